"""A stride-1 SAME convolution whose gradients are fast in XLA's loops on the CPU.

XLA:CPU hands a convolution to Eigen only in its plain form: images [m, h, w, c] with a kernel
[kh, kw, c, o]. The gradients that JAX derives are written with other layouts, and inside a loop
they run as naive code, 10 to 80 times slower; a trainer lives in such a loop. Here both gradients
are plain convolutions of rearranged arrays. Elsewhere XLA's own convolution and gradients are used.
Parameters are the same and results agree to rounding.
"""

import jax
import jax.numpy as jnp
from jax import lax

_EXAMPLES_AT_A_TIME = 8

_Padding = tuple[tuple[int, int], tuple[int, int]]


def convolve_same(images: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns the cross-correlation [m, h, w, o] of images [m, h, w, c], kernel [kh, kw, c, o].

    Zeros surround the images; where their number is odd, the larger half is below and right.
    """
    if jax.default_backend() == "cpu":
        return convolve_plain(images, kernel)
    return convolve_derived(images, kernel)


def convolve_derived(images: jax.Array, kernel: jax.Array) -> jax.Array:
    """`convolve_same` with the gradients that JAX derives: for accelerators."""
    return _convolve(images, kernel, _same(kernel))


@jax.custom_vjp
def convolve_plain(images: jax.Array, kernel: jax.Array) -> jax.Array:
    """`convolve_same` with gradients that are plain convolutions too: for the CPU."""
    return _convolve(images, kernel, _same(kernel))


def _forward(images: jax.Array, kernel: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return convolve_plain(images, kernel), (images, kernel)


def _backward(
    saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    images, kernel = saved
    kernel_gradient = _kernel_gradient(images, gradient, kernel)
    # the transpose of a convolution is the convolution with the kernel turned by 180 degrees, and
    # with the two sides of the padding swapped
    turned = kernel[::-1, ::-1].transpose(0, 1, 3, 2)
    (above, below), (left, right) = _same(kernel)
    images_gradient = _convolve(gradient, turned, ((below, above), (right, left)))
    return images_gradient, kernel_gradient


convolve_plain.defvjp(_forward, _backward)


def _kernel_gradient(images: jax.Array, gradient: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns the sum over the examples, a few at a time so that they stay in the L2 cache."""

    def part(images: jax.Array, gradient: jax.Array) -> jax.Array:
        # each channel becomes an image, the examples become channels, and the gradient is the
        # kernel: [c, h, w, m] with [h, w, m, o] gives [c, kh, kw, o]
        by_channel, as_kernel = images.transpose(3, 1, 2, 0), gradient.transpose(1, 2, 0, 3)
        return _convolve(by_channel, as_kernel, _same(kernel)).transpose(1, 2, 0, 3)

    groups, rest = divmod(len(images), _EXAMPLES_AT_A_TIME)
    if groups + bool(rest) <= 1:
        return part(images, gradient)
    grouped = groups * _EXAMPLES_AT_A_TIME
    total, _ = lax.scan(
        lambda total, group: (total + part(*group), None),
        part(images[grouped:], gradient[grouped:]) if rest else jnp.zeros_like(kernel),
        tuple(
            array[:grouped].reshape(groups, _EXAMPLES_AT_A_TIME, *array.shape[1:])
            for array in (images, gradient)
        ),
    )
    return total


def _convolve(images: jax.Array, kernel: jax.Array, padding: _Padding) -> jax.Array:
    return lax.conv_general_dilated(
        images, kernel, (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def _same(kernel: jax.Array) -> _Padding:
    height, width = kernel.shape[:2]
    return ((height - 1) // 2, height // 2), ((width - 1) // 2, width // 2)
