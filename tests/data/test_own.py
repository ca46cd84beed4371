"""A user's own data set: arrays, data sources, and every mistake in one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from batchscope.data import ArrayExamples, Dataset, Examples, SourceExamples, load_dataset
from batchscope.data.normalise import Affine
from batchscope.data.own import as_dataset
from batchscope.errors import SpecError
from batchscope.spec.sweep import Named

X = np.arange(24, dtype=np.float32).reshape(6, 2, 2)
Y = np.array([0, 1, 2, 0, 1, 2])


class Source:
    """A data source without `__getitems__`."""

    def __init__(self, images: Any, labels: Any) -> None:
        self._examples = list(zip(images, labels, strict=True))
        self.read: list[int] = []

    def __len__(self) -> int:
        return len(self._examples)

    def __getitem__(self, place: int) -> dict[str, Any]:
        self.read.append(place)
        image, label = self._examples[place]
        return {"image": image, "label": label, "id": place}


class ManySource(Source):
    def __getitems__(self, places: list[int]) -> list[dict[str, Any]]:
        return [Source.__getitem__(self, place) for place in places]


def _fetch(examples: Examples, *places: int) -> tuple[np.ndarray, np.ndarray]:
    return examples.fetch(np.array(places, np.int64))


def test_a_function_beside_the_sweep(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "def blobs(*, examples, spread=1.0):\n"
        "    x = np.full((examples, 3), spread, np.float32)\n"
        "    y = np.arange(examples) % 2\n"
        "    return {'train': (x, y), 'val': (x[:4], y[:4])}\n"
    )
    options = {"examples": 10, "spread": 2.0, "subset": 5}
    dataset = load_dataset(Named("mine:blobs", options, tmp_path))
    assert (len(dataset.train), len(dataset.val), dataset.test) == (5, 4, None)
    assert (dataset.num_classes, dataset.input_shape) == (2, (3,))
    assert _fetch(dataset.train, 0)[0].tolist() == [[2.0, 2.0, 2.0]]
    with pytest.raises(SpecError, match="no option 'size': it takes examples, spread, subset"):
        load_dataset(Named("mine:blobs", {"size": 10}, tmp_path))


def test_arrays() -> None:
    dataset = as_dataset("mine:f", {"train": (X, Y), "val": (X[:2], Y[:2]), "test": (X[3:], Y[3:])})
    assert (dataset.num_classes, dataset.input_shape) == (3, (2, 2))
    inputs, labels = _fetch(dataset.test, 2, 0)
    assert (inputs.dtype, labels.dtype) == (np.float32, np.int32)
    np.testing.assert_array_equal(inputs, X[[5, 3]])
    np.testing.assert_array_equal(labels, [2, 0])


def test_the_largest_label_of_any_split_counts() -> None:
    dataset = as_dataset("mine:f", {"train": (X, Y), "val": (X, np.full(6, 7))})
    assert dataset.num_classes == 8
    given = as_dataset("mine:f", {"train": (X, Y), "val": (X, Y), "num_classes": 12})
    assert given.num_classes == 12


def test_bytes_become_numbers_from_0_to_1_and_integers_stay() -> None:
    pixels = np.array([[0, 51], [255, 102]], np.uint8)
    dataset = as_dataset("f", {"train": (pixels, [0, 1]), "val": (pixels.astype(int), [0, 1])})
    np.testing.assert_allclose(_fetch(dataset.train, 0, 1)[0], [[0, 0.2], [1, 0.4]])
    np.testing.assert_array_equal(_fetch(dataset.val, 0, 1)[0], pixels)


def test_normalisation_by_channel() -> None:
    pixels = np.arange(12, dtype=np.uint8).reshape(2, 1, 2, 3)
    scale, offset = np.float32([1, 2, 3]), np.float32([0, -1, 5])
    examples = ArrayExamples(pixels, np.array([0, 1]), normalise=Affine(scale, offset))
    np.testing.assert_array_equal(_fetch(examples, 1)[0], pixels[1:] * scale + offset)


@pytest.mark.parametrize("kind", [Source, ManySource])
def test_data_sources_are_read_when_needed(kind: type[Source]) -> None:
    train = kind(X, Y)
    dataset = as_dataset("f", {"train": train, "val": kind(X[:1], Y[:1]), "num_classes": 3})
    assert (len(dataset.train), dataset.input_shape) == (6, (2, 2))
    train.read.clear()
    inputs, labels = _fetch(dataset.train, 4, 1)
    assert train.read == [4, 1]
    np.testing.assert_array_equal(inputs, X[[4, 1]])
    np.testing.assert_array_equal(labels, [1, 1])
    assert _fetch(dataset.train)[0].shape == (0, 2, 2)


def test_a_dataset_is_taken_as_it_is() -> None:
    part = ArrayExamples(X, Y, normalise=Affine())
    dataset = Dataset("own", part, part, None, num_classes=3, input_shape=(2, 2))
    assert as_dataset("f", dataset) is dataset


NAN = X.copy()
NAN[4, 1, 0] = np.nan
GOOD = (X, Y)
SOURCE = Source(X, Y)


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (None, "returned a NoneType; it must return a batchscope.data.Dataset or a mapping"),
        ((GOOD, GOOD), "returned a tuple"),
        ({"train": GOOD}, 'returned the keys train; expected "train" and "val"'),
        ({"train": GOOD, "valid": GOOD}, "returned the keys train, valid"),
        ({"train": GOOD, "val": GOOD, "dev": GOOD}, "returned the keys train, val, dev"),
        (
            {"train": GOOD, "val": 3, "num_classes": 3},
            "'val' of data set 'm:f' is a int; expected a pair of arrays",
        ),
        ({"train": (X, Y[:5]), "val": GOOD}, r"'train' .* labels of shape \(5,\); expected \(6,\)"),
        ({"train": (X, Y[:, None]), "val": GOOD}, r"labels of shape \(6, 1\)"),
        ({"train": (X, Y * 1.0), "val": GOOD}, "labels of type float64; expected integers"),
        ({"train": (X, Y - 1), "val": GOOD}, "the label -1 in example 0; expected 0 to 2"),
        (
            {"train": GOOD, "val": GOOD, "num_classes": 2},
            "the label 2 in example 2; expected 0 to 1",
        ),
        ({"train": GOOD, "val": GOOD, "num_classes": "3"}, "num_classes = '3'"),
        ({"train": GOOD, "val": (NAN, Y)}, "'val' .* a NaN or an infinity in example 4"),
        ({"train": (X[:0], Y[:0]), "val": GOOD}, r"inputs of shape \(0, 2, 2\); .* at least one"),
        ({"train": (Y, Y), "val": GOOD}, r"inputs of shape \(6,\)"),
        ({"train": (X.astype(str), Y), "val": GOOD}, "inputs of type <U.*; expected numbers"),
        ({"train": GOOD, "val": (X[:, :1], Y)}, r"shape \(1, 2\), expected \(2, 2\) as in 'train'"),
        ({"train": SOURCE, "val": SOURCE}, 'data sources without "num_classes"'),
        ({"train": Source([], []), "val": SOURCE, "num_classes": 3}, "'train' .* is empty"),
        ({"train": [1, 2, 3], "val": SOURCE, "num_classes": 3}, "wrong kind .int.; it must be"),
    ],
)
def test_mistakes_are_told_in_a_sentence(returned: Any, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        as_dataset("m:f", returned)


def test_a_mistake_inside_the_function_is_told_with_its_line(tmp_path: Path) -> None:
    code = "import numpy as np\ndef f(path='nowhere.npy'):\n    return np.load(path)\n"
    (tmp_path / "mine.py").write_text(code)
    says = "data set 'mine:f' failed with FileNotFoundError: .*nowhere.npy.*mine.py, line 3"
    with pytest.raises(SpecError, match=says):
        load_dataset(Named("mine:f", {}, tmp_path))


@pytest.mark.parametrize(
    ("image", "label", "says"),
    [
        (np.zeros((2, 3)), 0, r"example 0 .* the shape \(2, 3\), expected \(2, 2\)"),
        (np.zeros((2, 2)), 3, "example 0 .* the label 3, expected 0 to 2"),
        (np.zeros((2, 2)), 0.5, "labels must be single integers"),
        (np.zeros((2, 2)), [1], "labels must be single integers"),
        (np.full((2, 2), np.inf), 0, "a NaN or an infinity among the examples"),
    ],
)
def test_mistakes_found_while_reading_a_source(image: Any, label: Any, says: str) -> None:
    examples = SourceExamples(
        Source([image], [label]), num_classes=3, input_shape=(2, 2), normalise=Affine()
    )
    with pytest.raises(SpecError, match=says):
        _fetch(examples, 0)
