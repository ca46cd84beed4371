"""What a user's own data set function may return, and the checks on it.

Either a `Dataset`, or a mapping with "train" and "val", optionally "test" and "num_classes". Each
split is a pair of arrays (inputs [n, *input_shape], labels [n]) or a data source as
`SourceExamples` describes. Inputs of type uint8 are scaled from 0..255 to [0, 1]; others are taken
as they are, in float32. `num_classes` is the largest label + 1 where it is not given; data sources,
which are not read through, need it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from batchscope.data.dataset import Dataset
from batchscope.data.examples import ArrayExamples, Examples, SourceExamples, read_example
from batchscope.data.normalise import PIXELS_TO_UNIT, Affine, Normalise
from batchscope.errors import SpecError

_SPLITS = ("train", "val", "test")


def as_dataset(name: str, returned: Any) -> Dataset:
    """Returns what the function `name` returned as a data set.

    Raises:
        SpecError: it is not one; the sentence says what is wrong with which split.
    """
    if isinstance(returned, Dataset):
        return returned
    if not isinstance(returned, Mapping):
        raise SpecError(
            f"data set {name!r} returned a {type(returned).__name__}; it must return a "
            f'batchscope.data.Dataset or a mapping with "train" and "val"'
        )
    unknown = sorted(str(key) for key in set(returned) - {*_SPLITS, "num_classes"})
    missing = [key for key in ("train", "val") if key not in returned]
    if unknown or missing:
        raise SpecError(
            f"data set {name!r} returned the keys {', '.join(map(str, returned))}; expected "
            f'"train" and "val", optionally "test" and "num_classes"'
        )
    given = {key: returned[key] for key in _SPLITS if key in returned}
    num_classes = _num_classes(name, given, returned.get("num_classes"))
    shapes = {}
    splits: dict[str, Examples] = {}
    for key, value in given.items():
        splits[key], shapes[key] = _split(f"{key!r} of data set {name!r}", value, num_classes)
        if shapes[key] != shapes["train"]:
            raise SpecError(
                f"{key!r} of data set {name!r} has inputs of shape {shapes[key]}, expected "
                f"{shapes['train']} as in 'train'; give all splits one shape"
            )
    return Dataset(
        name=name,
        train=splits["train"],
        val=splits["val"],
        test=splits.get("test"),
        num_classes=num_classes,
        input_shape=shapes["train"],
    )


def _is_arrays(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and not isinstance(value[0], Mapping)


def _num_classes(name: str, splits: Mapping[str, Any], given: Any) -> int:
    if given is None:
        if not all(_is_arrays(value) for value in splits.values()):
            raise SpecError(
                f'data set {name!r} returned data sources without "num_classes"; '
                f"add the number of classes to the mapping"
            )
        labels = [np.asarray(value[1]) for value in splits.values()]
        # anything odd about the labels is told by the check of their split
        largest = [int(a.max()) for a in labels if a.size and np.issubdtype(a.dtype, np.integer)]
        given = max([1, *largest]) + 1
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 2:
        raise SpecError(
            f"data set {name!r} has num_classes = {given!r}; expected a whole number of at least 2"
        )
    return int(given)


def _split(where: str, value: Any, num_classes: int) -> tuple[Examples, tuple[int, ...]]:
    if _is_arrays(value):
        inputs, labels = np.asarray(value[0]), np.asarray(value[1])
        _check_arrays(where, inputs, labels, num_classes)
        examples: Examples = ArrayExamples(inputs, labels, normalise=_normalise(inputs.dtype))
        return examples, inputs.shape[1:]
    if not (hasattr(value, "__len__") and hasattr(value, "__getitem__")):
        raise SpecError(
            f"{where} is a {type(value).__name__}; expected a pair of arrays (inputs, labels) or "
            f"a data source with __len__ and __getitem__"
        )
    if len(value) == 0:
        raise SpecError(f"{where} is empty; it needs at least one example")
    first, _ = read_example(0, value[0])
    _check_numbers(where, first.dtype)
    source = SourceExamples(
        value, num_classes=num_classes, input_shape=first.shape, normalise=_normalise(first.dtype)
    )
    return source, first.shape


def _normalise(dtype: np.dtype[Any]) -> Normalise:
    return PIXELS_TO_UNIT if dtype == np.uint8 else Affine()


def _check_numbers(where: str, dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "uifb":
        raise SpecError(f"{where} has inputs of type {dtype}; expected numbers")


def _check_arrays(where: str, inputs: NDArray[Any], labels: NDArray[Any], num_classes: int) -> None:
    _check_numbers(where, inputs.dtype)
    if inputs.ndim < 2 or 0 in inputs.shape:
        raise SpecError(
            f"{where} has inputs of shape {inputs.shape}; expected [examples, *input_shape] "
            f"with at least one example"
        )
    if labels.shape != (len(inputs),):
        raise SpecError(
            f"{where} has labels of shape {labels.shape}; expected ({len(inputs)},), "
            f"one for each input"
        )
    if labels.dtype.kind not in "ui":
        raise SpecError(f"{where} has labels of type {labels.dtype}; expected integers")
    if not np.isfinite(inputs).all():
        place = int(np.argwhere(~np.isfinite(inputs))[0][0])
        raise SpecError(
            f"{where} has a NaN or an infinity in example {place}; inputs must be finite, "
            f"clean them first"
        )
    outside = np.flatnonzero((labels < 0) | (labels >= num_classes))
    if outside.size:
        raise SpecError(
            f"{where} has the label {labels[outside[0]]} in example {outside[0]}; "
            f"expected 0 to {num_classes - 1}, correct the labels or num_classes"
        )
