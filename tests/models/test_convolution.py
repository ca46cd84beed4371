"""The convolution and the pooling against XLA's own, in values and gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from batchscope.models.convolution import convolve_derived, convolve_plain
from batchscope.models.pooling import max_pool_2x2


def _normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(
    ("images", "kernel"),
    [
        ((3, 28, 28, 1), (5, 5, 1, 4)),
        ((16, 7, 9, 3), (5, 5, 3, 2)),
        ((19, 5, 6, 1), (5, 5, 1, 2)),
        ((1, 4, 4, 2), (5, 5, 2, 3)),
        ((2, 6, 5, 2), (3, 4, 2, 3)),
        ((2, 3, 8, 1), (2, 1, 1, 5)),
    ],
)
def test_both_forms_agree_in_value_and_gradients(
    images: tuple[int, ...], kernel: tuple[int, ...]
) -> None:
    x, k = _normal(0, *images), _normal(1, *kernel)
    weights = _normal(2, *images[:3], kernel[-1])

    def scored(convolve):
        return lambda x, k: (weights * jnp.sin(convolve(x, k))).sum()

    np.testing.assert_allclose(convolve_plain(x, k), convolve_derived(x, k), rtol=1e-5, atol=1e-5)
    plain = jax.grad(scored(convolve_plain), (0, 1))(x, k)
    derived = jax.grad(scored(convolve_derived), (0, 1))(x, k)
    for ours, theirs in zip(plain, derived, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_value_is_the_sum_over_the_neighbourhood() -> None:
    x, k = _normal(3, 2, 6, 7, 3), _normal(4, 5, 5, 3, 2)
    padded = np.pad(x.astype(np.float64), ((0, 0), (2, 2), (2, 2), (0, 0)))
    expected = np.zeros((2, 6, 7, 2))
    for row, column in np.ndindex(6, 7):
        window = padded[:, row : row + 5, column : column + 5]
        expected[:, row, column] = np.einsum("mijc,ijco->mo", window, k)
    np.testing.assert_allclose(convolve_plain(x, k), expected, rtol=1e-5, atol=1e-5)


def _xla_pool(features: jax.Array) -> jax.Array:
    window = (1, 2, 2, 1)
    return lax.reduce_window(features, -jnp.inf, lax.max, window, window, "VALID")


@pytest.mark.parametrize("shape", [(2, 4, 6, 3), (1, 5, 7, 2), (3, 2, 3, 1)])
@pytest.mark.parametrize("ties", [False, True])
def test_pooling_agrees_with_xla_in_value_and_gradient(shape: tuple[int, ...], ties: bool) -> None:
    x = _normal(5, *shape)
    if ties:
        x = np.sign(x)  # tiles of -1 and 1 tie almost everywhere
    weights = _normal(6, shape[0], shape[1] // 2, shape[2] // 2, shape[3])
    np.testing.assert_array_equal(max_pool_2x2(x), _xla_pool(x))
    ours = jax.grad(lambda x: (weights * max_pool_2x2(x)).sum())(x)
    theirs = jax.grad(lambda x: (weights * _xla_pool(x)).sum())(x)
    np.testing.assert_array_equal(ours, theirs)
