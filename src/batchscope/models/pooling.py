"""2x2 max pooling without XLA's select-and-scatter, which is slow inside loops on the CPU."""

import jax


def max_pool_2x2(features: jax.Array) -> jax.Array:
    """Returns the maxima [m, h // 2, w // 2, c] of the 2x2 tiles of features [m, h, w, c].

    An odd last row or column is dropped. Where entries of a tile tie for the maximum they share
    its gradient equally (XLA's own pooling gives all of it to the first).
    """
    examples, height, width, channels = features.shape
    rows, columns = height // 2, width // 2
    whole = features[:, : 2 * rows, : 2 * columns]
    return whole.reshape(examples, rows, 2, columns, 2, channels).max(axis=(2, 4))
