"""Fixed, seeded splits and subsets. The seeds are part of the package: changing one changes
every published number, so they stay."""

from dataclasses import replace
from typing import Any

from batchscope.data.dataset import Dataset
from batchscope.data.examples import Examples, SelectedExamples
from batchscope.data.order import fixed_permutation
from batchscope.errors import SpecError

_SPLIT_SEED = 20190719  # the day the paper appeared
_SPLIT, _SUBSET = 0, 1


def split(examples: Examples, sizes: tuple[int, ...]) -> tuple[Examples, ...]:
    """Returns disjoint random parts of the given sizes, which must add up to the whole."""
    assert sum(sizes) == len(examples)
    order = fixed_permutation(examples=len(examples), seed=_SPLIT_SEED, stream=_SPLIT)
    parts, start = [], 0
    for size in sizes:
        parts.append(SelectedExamples(examples, order[start : start + size]))
        start += size
    return tuple(parts)


def take_subset(dataset: Dataset, subset: Any) -> Dataset:
    """Returns the data set with `subset` of its training examples.

    They are the first of one fixed random order, so that a smaller subset is part of a larger one.

    Raises:
        SpecError: `subset` is not a whole number from 1 to the size of the training set.
    """
    available = len(dataset.train)
    if isinstance(subset, bool) or not isinstance(subset, int) or not 1 <= subset <= available:
        raise SpecError(
            f"subset = {subset!r}: expected a whole number from 1 to {available}, the training "
            f"examples of {dataset.name}; correct the data set's options"
        )
    order = fixed_permutation(examples=available, seed=_SPLIT_SEED, stream=_SUBSET)
    return replace(dataset, train=SelectedExamples(dataset.train, order[:subset]))
