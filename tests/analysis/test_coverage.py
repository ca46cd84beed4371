"""Intervals cover their truth as often as they claim, on simulated sweeps.

The large study is benchmarks/coverage.py; this one runs its code on few sweeps. The intended
coverage is 85 to 95 percent; a binomial count of 100 sweeps a row at 85 % has a standard error of
3.6 points, and the bounds below lie 2.5 of them outside of the band. Two hundred sweeps
in all, half of them with censored studies.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

_PATH = Path(__file__).parents[2] / "benchmarks" / "coverage.py"
_SPEC = importlib.util.spec_from_file_location("coverage_benchmark", _PATH)
assert _SPEC is not None and _SPEC.loader is not None
coverage_benchmark = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(coverage_benchmark)

SWEEPS = 100


@pytest.fixture(scope="module", params=["reached", "censored"])
def coverage(request):
    rng = np.random.default_rng(20)
    truths = list(coverage_benchmark.random_truths(SWEEPS, rng=rng))
    if request.param == "censored":
        truths = [coverage_benchmark.censored(truth) for truth in truths]
    return coverage_benchmark.measure(truths, rng=rng)


@pytest.mark.parametrize("quantity", coverage_benchmark.QUANTITIES)
def test_ninety_percent_intervals_hold_the_truth(coverage, quantity):
    formed = coverage.formed[quantity]
    assert formed > 0.9 * SWEEPS
    assert coverage.share(quantity) > 0.85 - 2.5 * np.sqrt(0.85 * 0.15 / formed)


def test_intervals_are_not_just_wide():
    # One truth in the middle of the range: at 64 trials B_c is known within an octave, mostly.
    rng = np.random.default_rng(21)
    widths = coverage_benchmark.critical_widths_log2(
        coverage_benchmark.TRUTHS["B_c 64, g 2, n 64"], sweeps=20, rng=rng
    )
    assert np.median(widths) < 1.0
