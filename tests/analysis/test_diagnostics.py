"""The two simpler fits give back lines of their own kind, and are least squares on others."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from batchscope.analysis.diagnostics import hyperbola, piecewise_linear

OCTAVES = np.arange(2.0, 12.0)


def test_hyperbola_gives_itself_back():
    steps = np.log2(90.0) + np.log2(1 + 70.0 / 2.0**OCTAVES)
    found = hyperbola(OCTAVES, steps)
    assert found.parameters["critical_batch_size"] == pytest.approx(70.0, rel=1e-3)
    assert found.parameters["minimum_steps"] == pytest.approx(90.0, rel=1e-3)
    assert found.parameters["rms_residual_log2"] < 1e-3
    assert found.points[0][0] == pytest.approx(4.0)
    assert found.points[-1] == pytest.approx((2048.0, 90.0 * (1 + 70.0 / 2048.0)), rel=1e-3)


def test_hyperbola_is_least_squares():
    steps = 7 + np.maximum(0, 6 - OCTAVES) + np.random.default_rng(0).normal(0, 0.2, size=10)

    def misfit(critical):
        shape = np.log2(1 + 2.0 ** (critical - OCTAVES))
        return np.var(steps - shape)

    best = minimize_scalar(misfit, bounds=(0, 12), method="bounded", options={"xatol": 1e-9})
    found = hyperbola(OCTAVES, steps).parameters
    assert np.log2(found["critical_batch_size"]) == pytest.approx(best.x, abs=1e-3)
    assert found["rms_residual_log2"] == pytest.approx(np.sqrt(best.fun), rel=1e-6)


def _line(x, level, first, second, slope):
    return level - np.minimum(x, first) + slope * (np.clip(x, first, second) - first)


def test_piecewise_linear_gives_itself_back():
    found = piecewise_linear(OCTAVES, _line(OCTAVES, 12.0, 4.25, 8.0, -0.5)).parameters
    assert np.log2(found["first_knot"]) == pytest.approx(4.25, abs=0.15)
    assert np.log2(found["second_knot"]) == pytest.approx(8.0, abs=0.15)
    assert found["middle_slope"] == pytest.approx(-0.5, abs=0.05)
    assert found["rms_residual_log2"] < 0.03


def test_piecewise_linear_is_as_good_as_a_general_optimizer():
    steps = _line(OCTAVES, 12.0, 4.0, 8.0, -0.6)
    steps += np.random.default_rng(1).normal(0, 0.15, size=10)

    def misfit(p):
        first, second = sorted(np.clip(p[1:3], 2.0, 11.0))
        return np.mean((_line(OCTAVES, p[0], first, second, np.clip(p[3], -1, 0)) - steps) ** 2)

    best = min(
        minimize(misfit, [12.0, a, b, -0.5], method="Nelder-Mead").fun
        for a in (3.0, 4.0, 5.0)
        for b in (6.0, 8.0, 9.0)
    )
    found = piecewise_linear(OCTAVES, steps).parameters["rms_residual_log2"]
    assert found <= np.sqrt(best) * 1.03


def test_perfect_scaling_throughout():
    found = piecewise_linear(OCTAVES, 14 - OCTAVES)
    assert found.parameters["rms_residual_log2"] < 1e-9
    assert np.isfinite(found.points).all()
