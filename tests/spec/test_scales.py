"""Scales against closed forms, and their bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batchscope.spec import ParameterConfig, ParameterType, Scale, from_unit, scaled_position

DOUBLE, INTEGER, DISCRETE = ParameterType
LINEAR, LOG, REVERSE_LOG = Scale


def double(scale: Scale, low: float, high: float) -> ParameterConfig:
    return ParameterConfig("x", DOUBLE, scale, low, high)


def integer(scale: Scale, low: int, high: int) -> ParameterConfig:
    return ParameterConfig("x", INTEGER, scale, float(low), float(high))


def test_values_at_quarters() -> None:
    quarters = [0.0, 0.25, 0.5, 0.75, 1.0]
    linear = from_unit(double(LINEAR, -1, 3), quarters)
    np.testing.assert_allclose(linear, [-1, 0, 1, 2, 3])
    logarithmic = from_unit(double(LOG, 1e-4, 1), quarters)
    np.testing.assert_allclose(logarithmic, [1e-4, 1e-3, 1e-2, 1e-1, 1], rtol=1e-14)
    reverse = from_unit(double(REVERSE_LOG, 0, 0.9999), quarters)
    np.testing.assert_allclose(1 - reverse, [1, 1e-1, 1e-2, 1e-3, 1e-4], rtol=1e-11)


def test_whole_numbers_of_a_linear_range_have_equal_shares() -> None:
    units = (np.arange(6_000) + 0.5) / 6_000
    values, counts = np.unique(from_unit(integer(LINEAR, -1, 4), units), return_counts=True)
    assert values.tolist() == [-1, 0, 1, 2, 3, 4]
    assert counts.tolist() == [1_000] * 6


def test_whole_numbers_of_a_logarithmic_range_have_the_share_of_their_unit_interval() -> None:
    units = (np.arange(100_000) + 0.5) / 100_000
    values, counts = np.unique(from_unit(integer(LOG, 1, 5), units), return_counts=True)
    expected = np.log((values + 0.5) / (values - 0.5)) / np.log(5.5 / 0.5)
    assert values.tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(counts / 100_000, expected, atol=2e-5)


def test_discrete_points_have_equal_shares() -> None:
    config = ParameterConfig("x", DISCRETE, feasible_points=(1.0, 10.0, 11.0))
    units = (np.arange(300) + 0.5) / 300
    values, counts = np.unique(from_unit(config, units), return_counts=True)
    assert values.tolist() == [1, 10, 11]
    assert counts.tolist() == [100] * 3
    assert from_unit(config, 1.0) == 11


units = st.floats(0, 1)


@st.composite
def ranges(draw: st.DrawFn, kind: ParameterType) -> ParameterConfig:
    scale = draw(st.sampled_from(Scale))
    largest = 1e15 if kind is INTEGER else 1.7e308
    ends: dict[Scale, st.SearchStrategy[float]] = {
        LINEAR: st.floats(-largest, largest),
        LOG: st.floats(1 if kind is INTEGER else 5e-324, largest),
        REVERSE_LOG: st.floats(-largest, 0 if kind is INTEGER else 1 - 1e-16),
    }
    end = ends[scale].map(lambda value: float(round(value))) if kind is INTEGER else ends[scale]
    low, high = sorted(draw(st.lists(end, min_size=2, max_size=2, unique=True)))
    return ParameterConfig("x", kind, scale, low, high)


@given(ranges(DOUBLE) | ranges(INTEGER), st.lists(units, min_size=2))
@settings(max_examples=300, deadline=None)
def test_values_are_inside_their_bounds_and_in_order(
    config: ParameterConfig, at: list[float]
) -> None:
    values = from_unit(config, sorted(at))
    assert config.min_value is not None
    assert config.max_value is not None
    assert np.all((values >= config.min_value) & (values <= config.max_value))
    # a weighted mean may be off by one rounding
    assert np.all(np.diff(values) >= -1e-12 * np.abs(values[1:]))
    if config.type is INTEGER:
        assert np.all(values == np.rint(values))


@given(ranges(DOUBLE) | ranges(INTEGER))
@settings(max_examples=200, deadline=None)
def test_the_ends_are_at_0_and_1(config: ParameterConfig) -> None:
    assert config.min_value is not None
    assert config.max_value is not None
    assert scaled_position(config, config.min_value) == 0
    assert scaled_position(config, config.max_value) == 1
    assert scaled_position(config, -np.inf) == 0
    assert scaled_position(config, np.inf) == 1


@pytest.mark.parametrize(
    "config", [double(LINEAR, -1e3, 1e5), double(LOG, 1e-6, 10), double(REVERSE_LOG, 0.5, 0.999)]
)
@given(units)
@settings(deadline=None)
def test_the_position_of_a_double_is_where_it_came_from(
    config: ParameterConfig, unit: float
) -> None:
    assert scaled_position(config, float(from_unit(config, unit))) == pytest.approx(unit, abs=1e-9)


def test_positions_of_whole_numbers_and_of_points() -> None:
    assert scaled_position(integer(LINEAR, 0, 4), 1) == 0.25
    assert scaled_position(integer(LOG, 1, 100), 10) == pytest.approx(0.5)
    points = ParameterConfig("x", DISCRETE, feasible_points=(1.0, 10.0, 1000.0))
    assert [scaled_position(points, value) for value in (1, 10, 1000)] == [0, 0.5, 1]
    assert scaled_position(ParameterConfig("x", DISCRETE, feasible_points=(3.0,)), 3) == 0.5
