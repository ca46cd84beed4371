"""What is read off the curve, against solving its definitions numerically."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from batchscope.analysis.curve import log2_bend, shape_log2
from batchscope.analysis.normal_tail import log_survival


def _steps(log2_batch_size, *, log2_critical, sharpness):
    """S / S_min, straight from the definition."""
    ratio = 2.0 ** (log2_critical - log2_batch_size)
    return (1 + ratio**sharpness) ** (1 / sharpness)


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.0, 5.0])
def test_shape_is_the_definition(sharpness):
    octaves = np.linspace(-6, 6, 25)
    expected = np.log2(_steps(octaves, log2_critical=0.0, sharpness=sharpness))
    found = shape_log2(octaves, sharpness=np.array(sharpness))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("tolerance", [0.05, 0.2, 1.0])
def test_bend_solves_both_definitions(sharpness, tolerance):
    def excess_over_perfect(octave):
        perfect = 2.0 ** (6 - octave)
        return _steps(octave, log2_critical=6, sharpness=sharpness) / perfect - 1 - tolerance

    def excess_over_minimum(octave):
        return _steps(octave, log2_critical=6, sharpness=sharpness) - 1 - tolerance

    bend = float(log2_bend(sharpness=np.array(sharpness), tolerance=tolerance))
    assert 6 + bend == pytest.approx(brentq(excess_over_perfect, -30, 30), abs=1e-9)
    assert 6 - bend == pytest.approx(brentq(excess_over_minimum, -30, 30), abs=1e-9)


def test_hyperbola_bends_at_a_fifth_and_five_times_the_critical_batch_size():
    assert 2 ** float(log2_bend(sharpness=np.array(1.0))) == pytest.approx(0.2)


def test_a_sharp_corner_has_no_bend_and_does_not_overflow():
    assert float(log2_bend(sharpness=np.array(1e5))) == pytest.approx(np.log2(1.2), abs=1e-4)
    assert shape_log2(np.array([-3.0, 3.0]), sharpness=np.array(1e5)) == pytest.approx([3.0, 0.0])


def test_log_survival_agrees_with_scipy():
    z = np.concatenate([np.linspace(-11, 11, 1234), [15.0, 40.0, 300.0]])
    np.testing.assert_allclose(log_survival(z), norm.logsf(z), rtol=1e-4, atol=1e-5)
