"""Data sets in TFDS's own on-disk format, written by TFDS itself without TensorFlow."""

import io
import logging
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
import tensorflow_datasets as tfds

from batchscope.data import load_dataset
from batchscope.data.normalise import PIXELS_TO_UNIT, standardise_images
from batchscope.data.prepared import Sizes, load_prepared
from batchscope.errors import SpecError
from batchscope.spec.sweep import Named

VERSIONS = {"mnist": "3.0.1", "fashion_mnist": "3.0.1", "cifar10": "3.0.2"}
SHAPES = {"mnist": (28, 28, 1), "fashion_mnist": (28, 28, 1), "cifar10": (32, 32, 3)}
SIZES = Sizes(train=50, val=10, test=7)


def _image(shape: tuple[int, ...], number: int) -> np.ndarray:
    image = np.random.default_rng(number).integers(0, 256, shape, dtype=np.uint8)
    image[0, 0, 0] = number  # by which a test recognises it
    return image


def _png(image: np.ndarray) -> io.BytesIO:
    file = io.BytesIO()
    PIL.Image.fromarray(image.squeeze()).save(file, "png")
    file.seek(0)
    return file


def _write(folder: Path, name: str) -> Path:
    """Prepares a small data set that TFDS takes for `name`; image n has the label n % 10."""
    shape = SHAPES[name]

    # registered, there would be two builders of that name
    class Small(tfds.core.GeneratorBasedBuilder, skip_registration=True):
        VERSION = tfds.core.Version(VERSIONS[name])
        code_path = None  # else TFDS looks for checksums of downloads beside the code

        def _info(self):
            features = tfds.features.FeaturesDict(
                {
                    "image": tfds.features.Image(shape=shape),
                    "label": tfds.features.ClassLabel(num_classes=10),
                }
            )
            return tfds.core.DatasetInfo(builder=self, features=features)

        def _split_generators(self, _):
            return {"train": self._examples(range(60)), "test": self._examples(range(60, 67))}

        def _generate_examples(self):
            raise NotImplementedError

        def _examples(self, numbers):
            for number in numbers:
                yield number, {"image": _png(_image(shape, number)), "label": number % 10}

    Small.name = name
    Small(data_dir=folder, file_format="array_record").download_and_prepare()
    return folder


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(tmp_path_factory.mktemp("tfds"), "mnist")


def test_reads_what_tfds_wrote(data_dir: Path) -> None:
    dataset = load_prepared("mnist", sizes=SIZES, normalise=PIXELS_TO_UNIT, data_dir=str(data_dir))
    assert (dataset.name, dataset.num_classes, dataset.input_shape) == ("mnist", 10, (28, 28, 1))
    seen = []
    for examples, size in ((dataset.train, 50), (dataset.val, 10), (dataset.test, 7)):
        assert len(examples) == size
        inputs, labels = examples.fetch(np.arange(size))
        assert (inputs.dtype, labels.dtype) == (np.float32, np.int32)
        numbers = np.rint(inputs[:, 0, 0, 0] * 255).astype(int)
        for number, image, label in zip(numbers, inputs, labels, strict=True):
            assert label == number % 10
            np.testing.assert_allclose(image, _image((28, 28, 1), number) / 255, rtol=1e-6)
        seen.append(set(numbers.tolist()))
    # validation is a random part of the published training set, the test set is its own
    assert seen[0] | seen[1] == set(range(60))
    assert seen[2] == set(range(60, 67))
    assert seen[1] != set(range(50, 60))


def test_reading_twice_gives_the_same_splits(data_dir: Path) -> None:
    first, second = (
        load_prepared("mnist", sizes=SIZES, normalise=PIXELS_TO_UNIT, data_dir=str(data_dir))
        for _ in range(2)
    )
    everything = np.arange(10)
    np.testing.assert_array_equal(first.val.fetch(everything)[0], second.val.fetch(everything)[0])


def test_cifar10_images_are_standardised_one_by_one(tmp_path: Path) -> None:
    _write(tmp_path, "cifar10")
    dataset = load_prepared(
        "cifar10", sizes=SIZES, normalise=standardise_images, data_dir=str(tmp_path)
    )
    for examples in (dataset.train, dataset.test):
        inputs, _ = examples.fetch(np.arange(7))
        assert inputs.shape == (7, 32, 32, 3)
        np.testing.assert_allclose(inputs.mean(axis=(1, 2, 3)), 0, atol=1e-5)
        np.testing.assert_allclose(inputs.std(axis=(1, 2, 3)), 1, rtol=1e-5)


def test_a_uniform_image_standardises_to_zeros() -> None:
    images = np.full((2, 4, 4, 3), 200, np.uint8)
    np.testing.assert_array_equal(standardise_images(images), np.zeros((2, 4, 4, 3)))


def test_standardisation_bounds_the_deviation() -> None:
    image = np.zeros((1, 10, 10, 1), np.uint8)
    image[0, 0, 0, 0] = 1  # a deviation of 0.0995, just below 1 / sqrt(100)
    assert standardise_images(image)[0, 0, 0, 0] == pytest.approx(0.99 / 0.1, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "train"), [("mnist", 60_000), ("fashion_mnist", 60_000), ("cifar10", 50_000)]
)
def test_other_sizes_than_the_published_ones_are_refused(
    tmp_path: Path, name: str, train: int
) -> None:
    _write(tmp_path, name)
    says = f"{name}/.* has 60 examples in its 'train' split, expected {train}; delete that folder"
    with pytest.raises(SpecError, match=says):
        load_dataset(Named(name, {"data_dir": str(tmp_path)}))


def test_data_dir_must_be_text() -> None:
    with pytest.raises(SpecError, match="data_dir = 3: expected the name of a folder"):
        load_dataset(Named("mnist", {"data_dir": 3}))


def test_missing_data_says_where_it_was_looked_for_and_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        load_dataset(Named("fashion_mnist", {"data_dir": str(tmp_path)}))
    sentence = str(caught.value)
    assert f"fashion_mnist was looked for in {tmp_path}/fashion_mnist" in sentence
    assert "TFDS_DATA_DIR" in sentence
    assert f"tfds.builder('fashion_mnist', data_dir='{tmp_path}'" in sentence
    assert "file_format='array_record').download_and_prepare()" in sentence


def test_data_in_tensorflow_format_says_how_to_convert_it(tmp_path: Path) -> None:
    _write(tmp_path, "mnist")
    info = tmp_path / "mnist" / VERSIONS["mnist"] / "dataset_info.json"
    info.write_text(info.read_text().replace("array_record", "tfrecord"))
    with pytest.raises(SpecError, match=r"stored as tfrecord, .* convert it to array_record"):
        load_prepared("mnist", sizes=SIZES, normalise=PIXELS_TO_UNIT, data_dir=str(tmp_path))


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    _write(tmp_path, "mnist")
    folder = tmp_path / "mnist" / VERSIONS["mnist"]
    (folder / "dataset_info.json").write_text("{")
    with pytest.raises(SpecError, match=f"mnist in {tmp_path} cannot be opened"):
        load_prepared("mnist", sizes=SIZES, normalise=PIXELS_TO_UNIT, data_dir=str(tmp_path))


def test_loading_leaves_the_logging_level_as_it_was(data_dir: Path) -> None:
    logger = logging.getLogger("absl")
    before = logger.level
    load_prepared("mnist", sizes=SIZES, normalise=PIXELS_TO_UNIT, data_dir=str(data_dir))
    assert logger.level == before
