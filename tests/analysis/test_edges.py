"""When the best trial counts as lying near an edge of the search space."""

import pytest

from batchscope.analysis.edges import edge_warnings
from batchscope.spec.sweep import ParameterConfig, ParameterType, Scale


def _side(config, value):
    found = edge_warnings((config,), {config.name: value}, batch_size=64)
    return found[0].side if found else None


def _range(scale, low, high, kind=ParameterType.DOUBLE):
    return ParameterConfig("x", kind, scale, low, high)


@pytest.mark.parametrize(
    ("scale", "low", "high", "value", "side"),
    [
        (Scale.LINEAR, 1.0, 2.0, 1.04, "min"),
        (Scale.LINEAR, 1.0, 2.0, 1.06, None),
        (Scale.LINEAR, 1.0, 2.0, 1.96, "max"),
        # 5 % of four decades is 0.2 of a decade, a factor of 1.58.
        (Scale.LOG, 1e-3, 1e1, 1.5e-3, "min"),
        (Scale.LOG, 1e-3, 1e1, 1.7e-3, None),
        (Scale.LOG, 1e-3, 1e1, 6.5, "max"),
        # 1 - value from 1 to 0.001: 5 % of three decades is a factor of 1.41.
        (Scale.REVERSE_LOG, 0.0, 0.999, 1 - 0.0013, "max"),
        (Scale.REVERSE_LOG, 0.0, 0.999, 1 - 0.0015, None),
        (Scale.REVERSE_LOG, 0.5, 0.999, 0.51, "min"),
    ],
)
def test_near_is_five_percent_of_the_scaled_range(scale, low, high, value, side):
    assert _side(_range(scale, low, high), value) == side


def test_zero_is_an_edge_that_cannot_be_moved():
    assert _side(_range(Scale.LINEAR, 0.0, 0.5), 0.001) is None
    assert _side(_range(Scale.LINEAR, 0.0, 0.5), 0.499) == "max"
    assert _side(_range(Scale.REVERSE_LOG, 0.0, 0.999), 0.01) is None


def test_discrete_points_and_integers_have_outermost_values_only():
    points = ParameterConfig("x", ParameterType.DISCRETE, feasible_points=(3.0, 1.0, 2.0))
    assert [_side(points, v) for v in (1.0, 2.0, 3.0)] == ["min", None, "max"]
    pair = ParameterConfig("x", ParameterType.DISCRETE, feasible_points=(1.0, 2.0))
    assert [_side(pair, v) for v in (1.0, 2.0)] == [None, None]
    whole = _range(Scale.LINEAR, 1.0, 100.0, ParameterType.INTEGER)
    assert [_side(whole, v) for v in (1.0, 2.0, 99.0, 100.0)] == ["min", None, None, "max"]


def test_a_fixed_or_foreign_parameter_has_no_edges():
    assert _side(_range(Scale.LOG, 0.1, 0.1), 0.1) is None
    assert edge_warnings((_range(Scale.LOG, 0.1, 1.0),), {"y": 0.1}, batch_size=64) == ()


def test_a_warning_says_where():
    (warning,) = edge_warnings((_range(Scale.LOG, 0.1, 10.0),), {"x": 9.9}, batch_size=64)
    assert (warning.batch_size, warning.parameter, warning.value) == (64, "x", 9.9)
    assert (warning.side, warning.limit) == ("max", 10.0)
