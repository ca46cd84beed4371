"""Fully connected networks with ReLU (Shallue et al. 2019, appendix B: "fully connected")."""

import re

import jax
from flax import linen as nn

from batchscope.errors import SpecError
from batchscope.models.dense import Dense

_NAME = re.compile(r"fc(_[1-9][0-9]*)+")


class FullyConnected(nn.Module):
    """Hidden layers of the given widths, each followed by ReLU, and a linear output layer.

    Weights start from LeCun normal, biases from zero.
    """

    widths: tuple[int, ...]
    num_classes: int

    @nn.compact
    def __call__(self, inputs: jax.Array) -> jax.Array:
        """Returns logits [m, num_classes] for inputs [m, ...]."""
        hidden = inputs.reshape(inputs.shape[0], -1)
        for layer, width in enumerate(self.widths):
            hidden = nn.relu(Dense(width, name=f"hidden_{layer}")(hidden))
        return Dense(self.num_classes, name="output")(hidden)


class FullyConnectedDropout(nn.Module):
    """`FullyConnected` with dropout after every hidden layer; it has the same parameters.

    While training, a random key named "dropout" is needed.
    """

    widths: tuple[int, ...]
    num_classes: int
    dropout_rate: float

    @nn.compact
    def __call__(self, inputs: jax.Array, *, training: bool) -> jax.Array:
        """Returns logits [m, num_classes] for inputs [m, ...]."""
        hidden = inputs.reshape(inputs.shape[0], -1)
        for layer, width in enumerate(self.widths):
            hidden = nn.relu(Dense(width, name=f"hidden_{layer}")(hidden))
            hidden = nn.Dropout(self.dropout_rate, deterministic=not training)(hidden)
        return Dense(self.num_classes, name="output")(hidden)


def widths_of(name: str) -> tuple[int, ...] | None:
    """Returns the hidden widths that a name such as `fc_1024_1024` spells, None for other names."""
    if not _NAME.fullmatch(name):
        return None
    return tuple(int(width) for width in name.split("_")[1:])


def fully_connected(
    *, widths: tuple[int, ...], num_classes: int, dropout_rate: float | None = None
) -> nn.Module:
    """Returns the network, with dropout if a rate is given.

    Raises:
        SpecError: the rate is not a number in [0, 1).
    """
    if dropout_rate is None:
        return FullyConnected(widths=widths, num_classes=num_classes)
    is_number = isinstance(dropout_rate, int | float) and not isinstance(dropout_rate, bool)
    if not (is_number and 0 <= dropout_rate < 1):
        raise SpecError(
            f"dropout_rate = {dropout_rate!r}: expected a number of at least 0 and below 1; "
            f"correct the model's options"
        )
    return FullyConnectedDropout(
        widths=widths, num_classes=num_classes, dropout_rate=float(dropout_rate)
    )
