"""The sequence against an independent implementation, its defining property, and random points."""

import numpy as np
import pytest
from scipy.stats import qmc

from batchscope.search import halton

PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71]


GOLDEN = [
    [0.3331487852750281, 0.4610500388697971, 0.7147497375435794],
    [0.8331487852750281, 0.7943833722031304, 0.5147497375435794],
    [0.08314878527502811, 0.12771670553646378, 0.9147497375435794],
    [0.34002382342200077, 0.784957427774053, 0.7147092895435794],
]


def test_without_permutations_it_is_the_halton_sequence() -> None:
    expected = qmc.Halton(20, scramble=False).random(2_000)
    np.testing.assert_allclose(halton(range(2_000), dimensions=20, seed=None), expected, atol=1e-15)


def test_far_points_without_permutations_are_mirrored_digits() -> None:
    index = 2**31 - 1
    digits = [int(digit) for digit in np.base_repr(index, 3)]
    mirrored = sum(digit * 3.0 ** (place - len(digits)) for place, digit in enumerate(digits))
    assert halton([index], dimensions=2, seed=None)[0, 1] == pytest.approx(mirrored, abs=1e-15)


@pytest.mark.parametrize("seed", [0, 1, 4294967295])
def test_every_elementary_interval_holds_one_of_the_first_points(seed: int) -> None:
    # of the first b^k points each interval [i, i + 1) / b^k holds exactly one, in every dimension;
    # so it is for every following block of b^k points
    points = halton(range(2 * 71**2), dimensions=20, seed=seed)
    for dimension, base in enumerate(PRIMES):
        for size in (base, base**2):
            for block in (points[:size], points[size : 2 * size]):
                cells = np.floor(block[:, dimension] * size).astype(int)
                assert sorted(cells) == list(range(size))


def test_every_elementary_box_of_two_dimensions_holds_one_of_the_first_points() -> None:
    points = halton(range(2**3 * 3**2), dimensions=2, seed=5)
    cells = np.floor(points * [2**3, 3**2]).astype(int)
    assert len({tuple(cell) for cell in cells}) == 2**3 * 3**2


@pytest.mark.parametrize("dimensions", [1, 2, 4, 6])
def test_it_is_far_more_even_than_random_points(dimensions: int) -> None:
    random = np.random.default_rng(0)
    ours = np.mean(
        [qmc.discrepancy(halton(range(128), dimensions=dimensions, seed=s)) for s in range(10)]
    )
    theirs = np.mean([qmc.discrepancy(random.random((128, dimensions))) for _ in range(10)])
    assert ours < {1: 0.03, 2: 0.1, 4: 0.25, 6: 0.5}[dimensions] * theirs


def test_permutations_break_the_lines_of_the_last_two_dimensions() -> None:
    def correlation(seed: int | None) -> float:
        points = halton(range(60), dimensions=20, seed=seed)
        return abs(float(np.corrcoef(points[:, 18], points[:, 19])[0, 1]))

    assert correlation(None) > 0.99
    assert np.mean([correlation(seed) for seed in range(20)]) < 0.2


def test_each_point_is_uniform_over_seeds() -> None:
    points = np.array([halton([0, 77], dimensions=3, seed=seed) for seed in range(400)])
    for values in points.reshape(400, 6).T:
        # Kolmogorov-Smirnov distance; 0.081 is its 1 % point for 400 values, 0.1 far beyond
        gaps = np.abs(np.sort(values) - (np.arange(400) + 0.5) / 400)
        assert gaps.max() < 0.1


def test_points_do_not_depend_on_those_asked_for_with_them() -> None:
    together = halton(range(300), dimensions=5, seed=3)
    np.testing.assert_array_equal(halton([299, 7], dimensions=5, seed=3), together[[299, 7]])
    np.testing.assert_array_equal(halton(range(300), dimensions=2, seed=3), together[:, :2])


def test_seeds_differ() -> None:
    first = halton(range(8), dimensions=4, seed=0)
    assert not np.any(first == halton(range(8), dimensions=4, seed=1))


def test_the_largest_index_is_inside_the_unit_cube() -> None:
    for seed in range(50):
        points = halton([0, 2**31 - 1], dimensions=20, seed=seed)
        assert np.all((points >= 0) & (points < 1))


@pytest.mark.parametrize(("indices", "dimensions"), [([-1], 1), ([2**31], 1), ([0], 21)])
def test_there_is_no_such_point(indices: list[int], dimensions: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        halton(indices, dimensions=dimensions, seed=0)


def test_golden_values() -> None:
    # exact: a point of a seed must never change, or results could not be continued
    points = halton([0, 1, 2, 1_000_000], dimensions=3, seed=0)
    assert points.tolist() == GOLDEN
