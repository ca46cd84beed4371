"""One split of a data set, read by index."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from batchscope.data.normalise import Normalise
from batchscope.errors import SpecError

Indices = NDArray[np.int64]
Batch = tuple[NDArray[np.float32], NDArray[np.int32]]


@runtime_checkable
class Examples(Protocol):
    """Random access to the examples of one split."""

    def __len__(self) -> int:
        """Returns the number of examples."""
        ...

    def fetch(self, indices: Indices) -> Batch:
        """Returns inputs float32 [k, *input_shape] and labels int32 [k] for indices [k]."""
        ...


class ArrayExamples:
    """Examples held in memory, in the number type they came in: a byte per pixel stays a byte."""

    def __init__(
        self, inputs: NDArray[np.generic], labels: NDArray[np.integer], *, normalise: Normalise
    ) -> None:
        """Keeps inputs [n, *input_shape] and labels [n]; `normalise` is applied by `fetch`."""
        self._inputs = inputs
        self._labels = labels.astype(np.int32)
        self._normalise = normalise

    def __len__(self) -> int:
        return len(self._labels)

    def fetch(self, indices: Indices) -> Batch:
        """Returns the normalised inputs and the labels, both new arrays."""
        return self._normalise(self._inputs[indices]), self._labels[indices]


class SelectedExamples:
    """Some of the examples of another split, in a given order, without a copy."""

    def __init__(self, examples: Examples, places: Indices) -> None:
        """Example j is the one at places[j] of `examples`."""
        self._examples = examples
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def fetch(self, indices: Indices) -> Batch:
        """Returns what the underlying split gives for these examples."""
        return self._examples.fetch(self._places[indices])


class SourceExamples:
    """Examples read when they are needed from a random-access source, which may be on disk.

    The source has `__len__` and `__getitem__`, and optionally `__getitems__` for many at once; an
    example is a mapping with "image" (the input, an array of one shape) and "label" (an integer).
    """

    def __init__(
        self,
        source: Any,
        *,
        num_classes: int,
        input_shape: tuple[int, ...],
        normalise: Normalise,
    ) -> None:
        """Wraps the source; what it returns is checked at every `fetch`."""
        self._source = source
        self._num_classes = num_classes
        self._input_shape = input_shape
        self._normalise = normalise

    def __len__(self) -> int:
        return len(self._source)

    def fetch(self, indices: Indices) -> Batch:
        """Returns the normalised inputs and the labels.

        Raises:
            SpecError: an example lacks a field, or its shape, label or values are out of range.
        """
        places = [int(index) for index in indices]
        if not places:
            return np.zeros((0, *self._input_shape), np.float32), np.zeros(0, np.int32)
        if hasattr(self._source, "__getitems__"):
            found = self._source.__getitems__(places)
        else:
            found = [self._source[place] for place in places]
        pairs = [self._read(p, example) for p, example in zip(places, found, strict=True)]
        images, labels = zip(*pairs, strict=True)
        inputs = self._normalise(np.stack(images))
        if not np.isfinite(inputs).all():
            raise SpecError(
                f"the data source gave a NaN or an infinity among the examples {places[:8]}; "
                f"inputs must be finite, clean them first"
            )
        return inputs, np.array(labels, np.int32)

    def _read(self, place: int, example: Any) -> tuple[NDArray[np.generic], int]:
        image, label = read_example(place, example)
        if image.shape != self._input_shape:
            raise SpecError(
                f"example {place} of the data source has the shape {image.shape}, expected "
                f"{self._input_shape} as in the first one; make all inputs of one shape"
            )
        if not 0 <= label < self._num_classes:
            raise SpecError(
                f"example {place} of the data source has the label {label}, expected 0 to "
                f"{self._num_classes - 1}; correct the labels or num_classes"
            )
        return image, label


def read_example(place: int, example: Any) -> tuple[NDArray[np.generic], int]:
    """Returns the input and the label of what a data source gave for `place`.

    Raises:
        SpecError: it is not a mapping with "image" and an integer "label".
    """
    if not isinstance(example, Mapping) or not {"image", "label"} <= set(example):
        kind = f"keys {sorted(example)}" if isinstance(example, Mapping) else type(example).__name__
        raise SpecError(
            f"example {place} of the data source is of the wrong kind ({kind}); "
            f'it must be a mapping with "image" and "label"'
        )
    label = np.asarray(example["label"])
    if label.shape != () or not np.issubdtype(label.dtype, np.integer):
        raise SpecError(
            f"example {place} of the data source has the label {example['label']!r:.40}; "
            f"labels must be single integers"
        )
    return np.asarray(example["image"]), int(label)
