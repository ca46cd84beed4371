"""The data set that ships inside the package (see ATTRIBUTION.md beside it)."""

from importlib import resources

import numpy as np

from batchscope.data.dataset import Dataset
from batchscope.data.examples import ArrayExamples
from batchscope.data.normalise import Affine
from batchscope.data.splits import split

# of the pixels of all 60,000 MNIST training images, in [0, 1]
_MEAN, _DEVIATION = 0.1307, 0.3081
_STANDARDISE = Affine(scale=1 / (255 * _DEVIATION), offset=-_MEAN / _DEVIATION)


def mnist_10k() -> Dataset:
    """Returns 10,000 MNIST images in 8,192 for training, 1,024 for validation and 784 for testing.

    Inputs are 28 x 28 x 1, standardised: one mean and one deviation for all pixels.
    """
    resource = resources.files("batchscope.data").joinpath("mnist_10k.npz")
    with resource.open("rb") as file, np.load(file) as arrays:
        images, labels = arrays["x"], arrays["y"]
    everything = ArrayExamples(images[..., np.newaxis], labels, normalise=_STANDARDISE)
    # the file is grouped by digit: the split must shuffle
    train, val, test = split(everything, (8192, 1024, 784))
    return Dataset(
        name="mnist_10k", train=train, val=val, test=test, num_classes=10, input_shape=(28, 28, 1)
    )
