"""A stride-1 SAME convolution that is also fast inside XLA's loops on the CPU.

XLA:CPU runs a convolution inside `while`, `scan` or `fori_loop` about 16 times slower than outside,
and a trainer lives in such a loop. There the convolution is written as a matrix product over
patches. Both forms have the same parameters and agree to rounding.
"""

import jax
import jax.numpy as jnp
from jax import lax


def convolve_same(images: jax.Array, kernel: jax.Array) -> jax.Array:
    """Returns the cross-correlation [m, h, w, o] of images [m, h, w, c], kernel [kh, kw, c, o].

    Zeros surround the images; of an odd number of them the larger half goes below and right.
    """
    if jax.default_backend() == "cpu":
        return convolve_patches(images, kernel)
    return convolve_lax(images, kernel)


def convolve_lax(images: jax.Array, kernel: jax.Array) -> jax.Array:
    """`convolve_same` as XLA's own convolution: for accelerators."""
    return lax.conv_general_dilated(
        images, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


@jax.custom_vjp
def convolve_patches(images: jax.Array, kernel: jax.Array) -> jax.Array:
    """`convolve_same` as one matrix product [m h w, kh kw c] @ [kh kw c, o]: for the CPU."""
    height, width, _, _ = kernel.shape
    return _product(_patches(images, height, width, mirrored=False), kernel)


def _forward(images: jax.Array, kernel: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return convolve_patches(images, kernel), (images, kernel)


def _backward(
    saved: tuple[jax.Array, jax.Array], gradient: jax.Array
) -> tuple[jax.Array, jax.Array]:
    images, kernel = saved
    height, width, inputs, outputs = kernel.shape
    patches = _patches(images, height, width, mirrored=False)
    kernel_gradient = lax.dot_general(
        patches.reshape(-1, patches.shape[-1]),
        gradient.reshape(-1, outputs),
        (((0,), (0,)), ((), ())),
    ).reshape(kernel.shape)
    # the transpose of a convolution is the convolution with the kernel turned by 180 degrees
    turned = kernel[::-1, ::-1].transpose(0, 1, 3, 2)
    images_gradient = _product(_patches(gradient, height, width, mirrored=True), turned)
    return images_gradient, kernel_gradient


convolve_patches.defvjp(_forward, _backward)


def _patches(images: jax.Array, height: int, width: int, *, mirrored: bool) -> jax.Array:
    """Returns the neighbourhoods [m, h, w, kh kw c]; `mirrored` swaps the sides of the padding."""
    rows, columns = images.shape[1:3]
    above, left = (height - 1) // 2, (width - 1) // 2
    if mirrored:
        above, left = height - 1 - above, width - 1 - left
    padded = jnp.pad(
        images, ((0, 0), (above, height - 1 - above), (left, width - 1 - left), (0, 0))
    )
    shifted = [
        padded[:, row : row + rows, column : column + columns]
        for row in range(height)
        for column in range(width)
    ]
    return jnp.concatenate(shifted, axis=-1)


def _product(patches: jax.Array, kernel: jax.Array) -> jax.Array:
    flat = patches.reshape(-1, patches.shape[-1]) @ kernel.reshape(-1, kernel.shape[-1])
    return flat.reshape(*patches.shape[:3], -1)
