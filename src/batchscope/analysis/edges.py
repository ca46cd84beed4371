"""Whether the best trial sits near an edge of the search space: widen it and search again."""

from collections.abc import Mapping, Sequence

import numpy as np

from batchscope.analysis.findings import EdgeWarning
from batchscope.spec.sweep import ParameterConfig, ParameterType, Scale

# Fraction of the scaled range that counts as near an edge.
NEAR = 0.05


def edge_warnings(
    configs: Sequence[ParameterConfig], parameters: Mapping[str, float], *, batch_size: int
) -> tuple[EdgeWarning, ...]:
    """Returns a warning per searched metaparameter whose best value lies near an edge.

    Near is within `NEAR` of the range on the parameter's own scale. A discrete parameter is near
    an edge at its first or last point, and only if it has more than two: with two, each is an
    edge. The same goes for integers. The lower edge 0 gives no warning: below it momentum, weight
    decay, dropout and the like mean nothing, so the range cannot be widened.

    Args:
        configs: the search space.
        parameters: the best trial's metaparameters; those not searched are ignored.
        batch_size: of the study, for the warnings.
    """
    found = []
    for config in configs:
        if config.name not in parameters:
            continue
        value = parameters[config.name]
        side = _near_side(config, value)
        if side is None:
            continue
        points = config.feasible_points or (config.min_value or 0.0, config.max_value or 0.0)
        limit = min(points) if side == "min" else max(points)
        if side == "min" and limit == 0.0:
            continue
        found.append(EdgeWarning(batch_size, config.name, value, side, limit))
    return tuple(found)


def _near_side(config: ParameterConfig, value: float) -> str | None:
    """Returns "min", "max" or None."""
    if config.type is ParameterType.DISCRETE:
        low, high = min(config.feasible_points), max(config.feasible_points)
        choices = len(config.feasible_points)
    else:
        assert config.min_value is not None and config.max_value is not None
        low, high = config.min_value, config.max_value
        choices = round(high - low) + 1 if config.type is ParameterType.INTEGER else 3
    if choices <= 2 or low == high:
        return None
    if config.type is ParameterType.DOUBLE:
        first, last, at = (_scaled(config.scale, x) for x in (low, high, value))
        fraction = (at - first) / (last - first)
    else:
        fraction = 0.0 if value <= low else 1.0 if value >= high else 0.5
    return "min" if fraction < NEAR else "max" if fraction > 1 - NEAR else None


def _scaled(scale: Scale, value: float) -> float:
    """Returns where `value` lies on the scale the search draws uniformly from."""
    if scale is Scale.LOG:
        return float(np.log(value))
    if scale is Scale.REVERSE_LOG:
        return float(-np.log1p(-value))
    return value
