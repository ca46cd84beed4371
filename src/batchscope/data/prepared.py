"""Data sets of TensorFlow Datasets, read with NumPy alone.

The splits are those of Shallue et al. 2019: 5,000 images of the published training set are held
out for validation. MNIST and Fashion MNIST are scaled to [0, 1]; CIFAR-10 images are standardised
one by one. There is no augmentation.

Only data prepared as ArrayRecord can be read without TensorFlow. Preparing images takes TensorFlow
itself (tensorflow/datasets#11058), so it is tried only where TensorFlow is installed.
"""

import importlib.util
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from batchscope.data.dataset import Dataset
from batchscope.data.examples import ArrayExamples, Examples, SourceExamples
from batchscope.data.normalise import PIXELS_TO_UNIT, Normalise, standardise_images
from batchscope.data.splits import split
from batchscope.errors import SpecError

_CHUNK = 4096  # examples decoded at a time while filling the arrays


@dataclass(frozen=True)
class Sizes:
    """How many examples each split has; train and val share the published training set."""

    train: int
    val: int
    test: int


def mnist(*, data_dir: str | None = None) -> Dataset:
    """Returns MNIST in 55,000/5,000/10,000 images of 28 x 28 x 1, scaled to [0, 1]."""
    sizes = Sizes(train=55_000, val=5_000, test=10_000)
    return load_prepared("mnist", sizes=sizes, normalise=PIXELS_TO_UNIT, data_dir=data_dir)


def fashion_mnist(*, data_dir: str | None = None) -> Dataset:
    """Returns Fashion MNIST in 55,000/5,000/10,000 images of 28 x 28 x 1, scaled to [0, 1]."""
    sizes = Sizes(train=55_000, val=5_000, test=10_000)
    return load_prepared("fashion_mnist", sizes=sizes, normalise=PIXELS_TO_UNIT, data_dir=data_dir)


def cifar10(*, data_dir: str | None = None) -> Dataset:
    """Returns CIFAR-10 in 45,000/5,000/10,000 images of 32 x 32 x 3, each standardised."""
    sizes = Sizes(train=45_000, val=5_000, test=10_000)
    return load_prepared("cifar10", sizes=sizes, normalise=standardise_images, data_dir=data_dir)


def load_prepared(
    name: str, *, sizes: Sizes, normalise: Normalise, data_dir: str | None
) -> Dataset:
    """Returns a data set with the features "image" and "label" that TFDS has prepared on disk.

    The training and validation splits are held in memory as they are on disk (bytes); the test
    split, which a sweep does not touch, stays there.

    Args:
        data_dir: TFDS's data folder; None is TFDS's own choice, which follows the environment
            variable TFDS_DATA_DIR.

    Raises:
        SpecError: the data is neither there nor to be had, is stored in another format than
            ArrayRecord, or has other sizes than expected.
    """
    if not isinstance(data_dir, str | None):
        raise SpecError(f"data_dir = {data_dir!r}: expected the name of a folder as text")
    folder = None if data_dir is None else str(Path(data_dir).expanduser())
    with _quiet():
        builder = _prepared_builder(name, folder)
        for key, expected in {"train": sizes.train + sizes.val, "test": sizes.test}.items():
            found = builder.info.splits[key].num_examples if key in builder.info.splits else 0
            if found != expected:
                raise SpecError(
                    f"{name} in {builder.data_dir} has {found} examples in its {key!r} split, "
                    f"expected {expected}; delete that folder and prepare it again: "
                    f"{_how_to_prepare(name, folder)}"
                )
        train_source, test_source = (_source(builder, name, key) for key in ("train", "test"))
        features = builder.info.features
        num_classes, shape = features["label"].num_classes, tuple(features["image"].shape)
        train, val = split(_in_memory(train_source, normalise), (sizes.train, sizes.val))
    test = SourceExamples(
        test_source, num_classes=num_classes, input_shape=shape, normalise=normalise
    )
    return Dataset(
        name=name, train=train, val=val, test=test, num_classes=num_classes, input_shape=shape
    )


def _prepared_builder(name: str, folder: str | None) -> Any:
    import tensorflow_datasets as tfds

    # not tfds.data_source, which misses data that the builder finds: tensorflow/datasets#5665
    try:
        builder = tfds.builder(name, data_dir=folder)
    except Exception as error:
        raise SpecError(
            f"{name} in {folder or 'the default data folder of TFDS'} cannot be opened "
            f"({_one_line(error)}); correct data_dir or prepare it again: "
            f"{_how_to_prepare(name, folder)}"
        ) from error
    if builder.is_prepared():
        return builder
    missing = f"{name} was looked for in {builder.data_dir} and is not there"
    if importlib.util.find_spec("tensorflow") is None:
        raise SpecError(
            f"{missing}, and preparing it takes TensorFlow, which is not installed: set data_dir "
            f"or TFDS_DATA_DIR to where it is, or in any environment with TensorFlow run "
            f"{_how_to_prepare(name, folder)}"
        )
    try:
        builder = tfds.builder(name, data_dir=folder, file_format="array_record")
        builder.download_and_prepare()
    except Exception as error:
        raise SpecError(
            f"{missing}, and downloading it failed ({_one_line(error)}): set data_dir or "
            f"TFDS_DATA_DIR to where it is, or on a machine with network access run "
            f"{_how_to_prepare(name, folder)}"
        ) from error
    return builder


def _source(builder: Any, name: str, key: str) -> Any:
    try:
        return builder.as_data_source(split=key)
    except NotImplementedError as error:
        raise SpecError(
            f"{name} in {builder.data_dir} is stored as {builder.info.file_format.value}, which "
            f"takes TensorFlow to read; convert it to array_record with "
            f"`python -m tensorflow_datasets.scripts.convert_format`, or prepare it into another "
            f"data_dir: {_how_to_prepare(name, None)}"
        ) from error


def _in_memory(source: Any, normalise: Normalise) -> Examples:
    images: list[np.ndarray] = []
    labels: list[int] = []
    for start in range(0, len(source), _CHUNK):
        chunk = source.__getitems__(list(range(start, min(start + _CHUNK, len(source)))))
        images.append(np.stack([example["image"] for example in chunk]))
        labels.extend(int(example["label"]) for example in chunk)
    return ArrayExamples(np.concatenate(images), np.array(labels, np.int32), normalise=normalise)


def _how_to_prepare(name: str, folder: str | None) -> str:
    where = "" if folder is None else f", data_dir={folder!r}"
    return (
        f'`python -c "import tensorflow_datasets as tfds; '
        f"tfds.builder('{name}'{where}, file_format='array_record').download_and_prepare()\"`"
    )


def _one_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps TFDS's advice (OpenCV is faster, this folder holds no data) off the terminal."""
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
