"""The Halton sequence with randomly permuted digits.

Point n has in dimension j the digits of n in base p_j (the j-th prime), mirrored at the decimal
point: u = sum_i pi_ij(d_i) p_j^-(i+1). Each permutation pi_ij is drawn independently for every
digit position i and dimension j (A. B. Owen, "A randomized Halton algorithm in R", 2017,
arXiv:1706.02808). Every point can be computed on its own.

Permuting matters most in high dimensions: the plain sequence fills the plane of its 19th and 20th
dimension (bases 67 and 71) along a few lines until some 67 * 71 points have been drawn. With
permuted digits such a plane is merely no more even than random points by then, while every single
dimension stays even; beyond 20 dimensions that is all that remains, and the sequence ends there.
"""

import numpy as np
import numpy.typing as npt

_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
MAX_DIMENSIONS = len(_PRIMES)
LARGEST_INDEX = 2**31 - 1
# keeps these streams apart from others that use the same generator and seed
_STREAM = 0x48414C54 << 32  # "HALT"


def halton(indices: npt.ArrayLike, *, dimensions: int, seed: int | None) -> npt.NDArray[np.float64]:
    """Returns points of the sequence.

    Args:
        indices: [n] which points, each from 0 to 2^31 - 1.
        dimensions: coordinates of a point, at most 20.
        seed: draws the digit permutations; None leaves the digits as they are.

    Returns:
        [n, dimensions] coordinates in [0, 1).

    Raises:
        ValueError: more dimensions or a larger index than the sequence has.
    """
    points = np.asarray(indices, dtype=np.int64)
    if not 0 <= dimensions <= MAX_DIMENSIONS:
        raise ValueError(f"dimensions is {dimensions}, expected 0 to {MAX_DIMENSIONS}")
    if points.ndim != 1 or np.any(points < 0) or np.any(points > LARGEST_INDEX):
        raise ValueError(f"indices are {points}, expected a vector of 0 to {LARGEST_INDEX}")
    coordinates = np.empty((len(points), dimensions))
    for dimension in range(dimensions):
        coordinates[:, dimension] = _coordinate(points, dimension=dimension, seed=seed)
    return coordinates


def _coordinate(
    indices: npt.NDArray[np.int64], *, dimension: int, seed: int | None
) -> npt.NDArray[np.float64]:
    base = _PRIMES[dimension]
    # from the last digit to the first (Horner): only +, / and integers, so the same everywhere
    value = np.zeros(len(indices))
    for position in reversed(range(_digits(base))):
        # a digit position beyond the index has the digit 0, and 0 is permuted as well
        digit = indices // min(base**position, LARGEST_INDEX + 1) % base
        if seed is not None:
            digit = _permutation(seed, dimension=dimension, position=position)[digit]
        value = (value + digit) / base
    return np.minimum(value, np.nextafter(1.0, 0.0))


def _digits(base: int) -> int:
    """Returns how many digits fill the 53 bits of a double."""
    digits = 1
    while base**digits < 2**53:
        digits += 1
    return digits


def _permutation(seed: int, *, dimension: int, position: int) -> npt.NDArray[np.int64]:
    """Returns the permutation of one digit of one dimension.

    Made from raw Philox output, which numpy keeps stable; its shuffles it may change.
    """
    key = np.array([seed, _STREAM | dimension << 16 | position], dtype=np.uint64)
    raw = np.random.Philox(key=key).random_raw(_PRIMES[dimension])
    return np.argsort(raw, kind="stable")
