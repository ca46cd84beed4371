"""The embedded data set: its splits, subsets, and that loading needs neither JAX nor TFDS."""

import subprocess
import sys

import numpy as np
import pytest

from batchscope.data import Dataset, Examples, load_dataset
from batchscope.errors import SpecError
from batchscope.spec.sweep import Named


def _all(examples: Examples) -> tuple[np.ndarray, np.ndarray]:
    return examples.fetch(np.arange(len(examples)))


@pytest.fixture(scope="module")
def mnist_10k() -> Dataset:
    return load_dataset(Named("mnist_10k"))


def test_splits(mnist_10k: Dataset) -> None:
    assert (mnist_10k.num_classes, mnist_10k.input_shape) == (10, (28, 28, 1))
    splits = [mnist_10k.train, mnist_10k.val, mnist_10k.test]
    assert [len(examples) for examples in splits] == [8192, 1024, 784]
    pixels, labels = zip(*map(_all, splits), strict=True)
    everything = np.concatenate(pixels)
    assert everything.shape == (10_000, 28, 28, 1)
    assert everything.dtype == np.float32
    # black and white after standardising with MNIST's own mean and deviation
    assert everything.min() == pytest.approx((0 - 0.1307) / 0.3081, abs=1e-5)
    assert everything.max() == pytest.approx((1 - 0.1307) / 0.3081, abs=1e-5)
    assert abs(everything.mean()) < 0.02
    assert abs(everything.std() - 1) < 0.02
    # the splits are disjoint and hold every image of the file: no two of them are the same
    assert len(np.unique(everything.reshape(10_000, -1), axis=0)) == 10_000
    counts = [1001, 1127, 991, 1032, 980, 863, 1014, 1070, 944, 978]
    assert np.bincount(np.concatenate(labels)).tolist() == counts
    assert labels[0].dtype == np.int32


def test_golden_split(mnist_10k: Dataset) -> None:
    """Changing the split changes every result: these labels may never change."""
    first = [_all(examples)[1][:12].tolist() for examples in (mnist_10k.train, mnist_10k.val)]
    assert first == [[9, 8, 7, 4, 6, 7, 1, 4, 1, 2, 5, 3], [6, 3, 4, 0, 9, 6, 7, 0, 7, 7, 6, 6]]
    counts = np.bincount(_all(mnist_10k.val)[1]).tolist()
    assert counts == [104, 97, 105, 107, 92, 89, 110, 119, 103, 98]


def test_images_belong_to_their_labels(mnist_10k: Dataset) -> None:
    """The nearest class mean finds about 80 % of digits, but 10 % if labels were shuffled."""
    pixels, labels = _all(mnist_10k.train)
    means = np.stack([pixels[labels == digit].mean(axis=0).ravel() for digit in range(10)])
    val, val_labels = _all(mnist_10k.val)
    distances = ((val.reshape(len(val), 1, -1) - means) ** 2).sum(axis=-1)
    assert np.mean(distances.argmin(axis=1) == val_labels) > 0.75


def test_fetch_follows_the_indices(mnist_10k: Dataset) -> None:
    pixels, labels = _all(mnist_10k.train)
    some = np.array([5, 8191, 0, 5])
    found_pixels, found_labels = mnist_10k.train.fetch(some)
    np.testing.assert_array_equal(found_pixels, pixels[some])
    np.testing.assert_array_equal(found_labels, labels[some])


def test_subsets_are_nested_and_leave_validation_alone(mnist_10k: Dataset) -> None:
    small = load_dataset(Named("mnist_10k", {"subset": 100}))
    large = load_dataset(Named("mnist_10k", {"subset": 1000}))
    assert (len(small.train), len(large.train), len(small.val)) == (100, 1000, 1024)
    np.testing.assert_array_equal(_all(small.train)[0], _all(large.train)[0][:100])
    everything = load_dataset(Named("mnist_10k", {"subset": 8192}))
    one_way = np.sort(_all(everything.train)[0].sum(axis=(1, 2, 3)))
    np.testing.assert_array_equal(one_way, np.sort(_all(mnist_10k.train)[0].sum(axis=(1, 2, 3))))


@pytest.mark.parametrize("subset", [0, -1, 8193, 10.0, "all", True])
def test_impossible_subsets(subset: object) -> None:
    with pytest.raises(SpecError, match=f"subset = {subset!r}: expected .* from 1 to 8192"):
        load_dataset(Named("mnist_10k", {"subset": subset}))


def test_unknown_options_and_names() -> None:
    with pytest.raises(SpecError, match="no option 'subst': it takes subset"):
        load_dataset(Named("mnist_10k", {"subst": 3}))
    with pytest.raises(SpecError, match="unknown data set 'mnist10k': did you mean 'mnist_10k'"):
        load_dataset(Named("mnist10k"))


def test_needs_neither_jax_nor_tfds() -> None:
    code = (
        "import sys; from batchscope.data import load_dataset; "
        "from batchscope.spec.sweep import Named; load_dataset(Named('mnist_10k')); "
        "print(sorted({'jax', 'flax', 'tensorflow_datasets', 'pandas'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
