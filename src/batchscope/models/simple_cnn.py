"""The Simple CNN of Shallue et al. 2019, appendix B.

The base form has 32 and 64 filters and 1,024 hidden units. Narrow halves and wide doubles each of
the three.
"""

import jax
from flax import linen as nn

from batchscope.models.convolution import convolve_same
from batchscope.models.dense import Dense
from batchscope.models.pooling import max_pool_2x2

KERNEL_SIZE = 5


class Convolution(nn.Module):
    """A 5x5 convolution with stride 1, SAME padding and a bias."""

    filters: int

    @nn.compact
    def __call__(self, images: jax.Array) -> jax.Array:
        """Returns features [m, h, w, filters] for images [m, h, w, channels]."""
        shape = (KERNEL_SIZE, KERNEL_SIZE, images.shape[-1], self.filters)
        kernel = self.param("kernel", nn.initializers.lecun_normal(), shape)
        bias = self.param("bias", nn.initializers.zeros_init(), (self.filters,))
        return convolve_same(images, kernel) + bias


class SimpleCNN(nn.Module):
    """Two 5x5 convolutions, each with ReLU and 2x2 max pooling, and one hidden layer."""

    filters: tuple[int, int]
    hidden: int
    num_classes: int

    @nn.compact
    def __call__(self, images: jax.Array) -> jax.Array:
        """Returns logits [m, num_classes] for images [m, h, w, channels]."""
        features = images
        for layer, filters in enumerate(self.filters):
            features = Convolution(filters, name=f"convolution_{layer}")(features)
            # ReLU and the maximum commute: after pooling it is a quarter of the work
            features = nn.relu(max_pool_2x2(features))
        flat = features.reshape(features.shape[0], -1)
        hidden = nn.relu(Dense(self.hidden, name="hidden")(flat))
        return Dense(self.num_classes, name="output")(hidden)
