"""Ratios between two sweeps and the sentence about them."""

import numpy as np
import pytest

from batchscope.analysis import find
from batchscope.analysis.simulated_tables import simulate_tables
from batchscope.analysis.simulation import Truth

SGD = Truth(critical_batch_size=32.0, trials=100)
NESTEROV = Truth(critical_batch_size=256.0, minimum_steps=30.0, trials=100)


def _compare(first, second, *, seeds=(1, 2)):
    tables = [
        simulate_tables(truth, seed=seed, name=name)
        for truth, seed, name in zip((first, second), seeds, ("sgd", "nesterov"), strict=True)
    ]
    found = find(tables)
    return found, found.comparisons[0]


def test_momentum_extends_perfect_scaling():
    found, comparison = _compare(SGD, NESTEROV)
    first, second = (s.curve for s in found.sweeps)
    ratio = comparison.end_of_perfect_scaling
    expected = second.end_of_perfect_scaling.value / first.end_of_perfect_scaling.value
    assert ratio.value == pytest.approx(expected)
    assert 1 < ratio.low < ratio.value < ratio.high
    assert comparison.critical_batch_size.low < 8 < comparison.critical_batch_size.high
    critical = comparison.critical_batch_size
    assert comparison.sentence == (
        "nesterov extends perfect scaling over sgd: its critical batch size is "
        f"{_two(critical.value)} times as large ({_two(critical.low)} to {_two(critical.high)})."
    )


def _two(value):
    return f"{float(f'{value:.2g}'):.0f}" if value >= 9.95 else f"{float(f'{value:.2g}'):g}"


def test_the_other_way_round_is_said_the_same_way():
    _, comparison = _compare(NESTEROV, SGD)
    assert comparison.end_of_perfect_scaling.high < 1
    assert comparison.sentence.startswith("sgd extends perfect scaling over nesterov")


def test_sweeps_of_the_same_seed_are_compared_as_independent():
    # their draws come in the same order: paired as they are, their errors would cancel
    found, comparison = _compare(SGD, NESTEROV, seeds=(1, 1))
    for name in ("critical_batch_size", "end_of_perfect_scaling"):
        a, b = (_octaves(getattr(s.curve, name)) for s in found.sweeps)
        assert _octaves(getattr(comparison, name)) == pytest.approx(np.hypot(a, b), rel=0.15)


def _octaves(estimate):
    return np.log2(estimate.high / estimate.low)


def test_steps_are_compared_where_both_reached_the_goal():
    found, comparison = _compare(SGD, Truth(budget_steps=1000))
    first, second = found.sweeps
    both = [
        (a.batch_size, b.steps_to_result / a.steps_to_result)
        for a, b in zip(first.studies, second.studies, strict=True)
        if a.steps_to_result and b.steps_to_result
    ]
    assert len(both) < len(first.studies)
    assert [(b, e.value) for b, e in comparison.steps] == [(b, pytest.approx(r)) for b, r in both]
    assert all(e.low < e.value < e.high for _, e in comparison.steps)


def test_equal_sweeps_are_not_told_apart():
    _, comparison = _compare(SGD, SGD)
    assert "cannot be told apart" in comparison.sentence
    low, high = comparison.critical_batch_size.low, comparison.critical_batch_size.high
    assert low < 1 < high


ENDLESS = Truth(critical_batch_size=50_000.0, trials=100)


def test_a_bound_on_one_side_bounds_the_ratio():
    _, comparison = _compare(SGD, ENDLESS)
    ratio = comparison.end_of_perfect_scaling
    assert (ratio.bound, ratio.high) == (">=", None)
    assert "at least" in comparison.sentence
    _, reverse = _compare(ENDLESS, SGD, seeds=(2, 1))
    assert reverse.end_of_perfect_scaling.bound == "<="
    assert reverse.end_of_perfect_scaling.value == pytest.approx(1 / ratio.value)


def test_two_bounds_that_pull_apart_leave_the_ratio_unknown():
    _, comparison = _compare(ENDLESS, ENDLESS, seeds=(2, 3))
    assert comparison.end_of_perfect_scaling.value is None
    assert "is not known" in comparison.sentence


def test_every_pair_is_compared():
    sweeps = [simulate_tables(SGD, seed=i, name=str(i)) for i in range(3)]
    pairs = [(c.first, c.second) for c in find(sweeps).comparisons]
    assert pairs == [("0", "1"), ("0", "2"), ("1", "2")]


def test_numbers_are_finite():
    _, comparison = _compare(SGD, NESTEROV)
    for estimate in (e for _, e in comparison.steps):
        assert np.isfinite([estimate.value, estimate.low, estimate.high]).all()
