"""What is done to a batch of raw inputs before a model sees it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# [k, *input_shape] of any number type -> float32 of the same shape
Normalise = Callable[[NDArray[np.generic]], NDArray[np.float32]]


@dataclass(frozen=True)
class Affine:
    """inputs * scale + offset, in float32.

    Attributes:
        scale, offset: numbers, or float32 arrays that broadcast over the input shape, such as
            [channels] for a normalisation of each channel.
    """

    scale: float | NDArray[np.float32] = 1.0
    offset: float | NDArray[np.float32] = 0.0

    def __call__(self, inputs: NDArray[np.generic]) -> NDArray[np.float32]:
        """Returns the normalised inputs, always a new array."""
        normalised = inputs.astype(np.float32)
        normalised *= np.float32(self.scale)
        normalised += np.float32(self.offset)
        return normalised


PIXELS_TO_UNIT = Affine(scale=1 / 255)


def standardise_images(images: NDArray[np.generic]) -> NDArray[np.float32]:
    """Returns each image [h, w, c] shifted and scaled to mean 0 and standard deviation 1.

    The deviation is taken over all h w c values of one image and is bounded from below by
    1 / sqrt(h w c), so that a uniform image becomes zeros. Nothing is estimated from the training
    set, so subsets and splits cannot leak into each other.
    """
    values = images.astype(np.float32).reshape(len(images), -1)
    values -= values.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.mean(np.square(values), axis=1, keepdims=True))
    values /= np.maximum(deviation, np.float32(values.shape[1] ** -0.5))
    return values.reshape(images.shape)
