"""From [0, 1) to the values of a metaparameter, and back.

Scales as in the study database of Shallue et al. 2019: the value, its logarithm, or the logarithm
of (1 - value) is uniform.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from batchscope.spec.sweep import ParameterConfig, ParameterType, Scale

Floats = npt.NDArray[np.float64]


def from_unit(config: ParameterConfig, units: npt.ArrayLike) -> Floats:
    """Returns the values at `units`, never outside the bounds.

    DOUBLE: the scale is linear in the unit. INTEGER: the range is widened by one half at both
    ends and the value rounded, so that no whole number has less than its share; on a linear scale
    all shares are equal. DISCRETE: equal shares, in the order of the points.

    Args:
        config: the range.
        units: any shape, values in [0, 1].

    Returns:
        Doubles of the same shape.
    """
    units = np.asarray(units, dtype=np.float64)
    if config.type is ParameterType.DISCRETE:
        points = np.asarray(config.feasible_points, dtype=np.float64)
        index = np.floor(units * len(points)).astype(np.int64)
        return np.asarray(points[np.minimum(index, len(points) - 1)])
    low, high = bounds(config)
    if config.type is ParameterType.INTEGER:
        spread = _between(config.scale, low - 0.5, high + 0.5, units)
        values = np.floor(spread + 0.5)
    else:
        values = _between(config.scale, low, high, units)
    return np.asarray(np.clip(values, low, high))


def scaled_position(config: ParameterConfig, value: float) -> float:
    """Returns where a value stands in its range on the scale: 0 at the minimum, 1 at the maximum.

    For DOUBLE it is the inverse of `from_unit`. Of DISCRETE the position of the nearest point
    counts, 0.5 where there is only one. Values outside the range give 0 or 1.
    """
    if config.type is ParameterType.DISCRETE:
        points = np.asarray(config.feasible_points)
        if len(points) == 1:
            return 0.5
        return float(np.argmin(np.abs(points - value)) / (len(points) - 1))
    low, high = bounds(config)
    forward, _ = _TRANSFORMS[config.scale]
    at, start, end = forward(np.clip([value, low, high], low, high))
    # dividing first by the larger end keeps the width of a huge range finite
    size = max(abs(start), abs(end))
    return float(np.clip((at / size - start / size) / (end / size - start / size), 0.0, 1.0))


def bounds(config: ParameterConfig) -> tuple[float, float]:
    """Returns (smallest, largest) value of the range."""
    if config.type is ParameterType.DISCRETE:
        return config.feasible_points[0], config.feasible_points[-1]
    assert config.min_value is not None and config.max_value is not None
    return config.min_value, config.max_value


def _between(scale: Scale, low: float, high: float, units: Floats) -> Floats:
    forward, backward = _TRANSFORMS[scale]
    start, end = forward(np.asarray([low, high], dtype=np.float64))
    # a weighted mean, not start + unit * (end - start), which overflows for huge ranges
    return backward(start * (1.0 - units) + end * units)


def _identity(values: Floats) -> Floats:
    return values


def _log_of_rest(values: Floats) -> Floats:
    return np.asarray(np.log1p(-values))


def _rest_of_exp(values: Floats) -> Floats:
    return np.asarray(-np.expm1(values))


_TRANSFORMS: dict[Scale, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    Scale.LINEAR: (_identity, _identity),
    Scale.LOG: (np.log, np.exp),
    Scale.REVERSE_LOG: (_log_of_rest, _rest_of_exp),
}
