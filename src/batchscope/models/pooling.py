"""2x2 max pooling whose gradient is elementwise: XLA's select-and-scatter is slow on the CPU."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def max_pool_2x2(features: jax.Array) -> jax.Array:
    """Returns the maxima [m, h // 2, w // 2, c] of the 2x2 tiles of features [m, h, w, c].

    An odd last row or column is dropped. The gradient goes to the first entry of a tile, row by
    row, that equals its maximum, as in XLA's own pooling.
    """
    first, second, third, fourth = _corners(features)
    return jnp.maximum(jnp.maximum(first, second), jnp.maximum(third, fourth))


def _forward(features: jax.Array) -> tuple[jax.Array, jax.Array]:
    return max_pool_2x2(features), features


def _backward(features: jax.Array, gradient: jax.Array) -> tuple[jax.Array]:
    examples, height, width, channels = features.shape
    rows, columns = height // 2, width // 2
    first, second, third, _ = _corners(features)
    maxima = max_pool_2x2(features)
    winner = jnp.where(
        first == maxima, 0, jnp.where(second == maxima, 1, jnp.where(third == maxima, 2, 3))
    )
    place = 2 * jnp.arange(2)[:, None, None, None] + jnp.arange(2)[None, None, :, None]
    spread = jnp.where(
        winner[:, :, None, :, None, :] == place, gradient[:, :, None, :, None, :], 0
    ).reshape(examples, 2 * rows, 2 * columns, channels)
    # what pooling dropped has no influence
    return (jnp.pad(spread, ((0, 0), (0, height % 2), (0, width % 2), (0, 0))),)


max_pool_2x2.defvjp(_forward, _backward)


def _corners(features: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Returns the four entries of every tile, row by row, each [m, h // 2, w // 2, c]."""
    examples, height, width, channels = features.shape
    rows, columns = height // 2, width // 2
    tiles = features[:, : 2 * rows, : 2 * columns]
    tiles = tiles.reshape(examples, rows, 2, columns, 2, channels)
    return tiles[:, :, 0, :, 0], tiles[:, :, 0, :, 1], tiles[:, :, 1, :, 0], tiles[:, :, 1, :, 1]
