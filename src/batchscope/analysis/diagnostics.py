"""Two simpler fits, shown beside the curve and used for nothing else.

The hyperbola is the curve with g = 1 (McCandlish et al. 2018, arXiv 1812.06162): systematically too
soft for tuned workloads. The piecewise-linear fit has the three regimes of Shallue et al. 2019 as
straight lines on log-log axes, of slopes -1, free, and 0; its two knots are poor estimators.
Both are least squares on the log2 steps of the studies that reached the goal.
"""

import numpy as np

from batchscope.analysis.curve import shape_log2
from batchscope.analysis.findings import Diagnostic
from batchscope.analysis.study_times import Floats

_KNOTS = 65
_POINTS = 65


def hyperbola(octaves: Floats, steps_log2: Floats) -> Diagnostic:
    """Fits S = S_min (1 + B_c / B).

    Args:
        octaves: log2 of the batch sizes, ascending, shape (studies,), two or more.
        steps_log2: log2 of the steps to result, shape (studies,).
    """
    low, high = float(octaves[0]) - 8.0, float(octaves[-1]) + 8.0
    critical, level = low, 0.0
    # S_min is linear in log space, so only B_c is searched: a grid, refined around its best point.
    for _ in range(4):
        candidates = np.linspace(low, high, 129)
        shape = shape_log2(octaves - candidates[:, None], sharpness=np.ones(1))
        levels = (steps_log2 - shape).mean(axis=1)
        misfit = np.sum((steps_log2 - shape - levels[:, None]) ** 2, axis=1)
        best = int(np.argmin(misfit))
        critical, level = float(candidates[best]), float(levels[best])
        cell = float(candidates[1] - candidates[0])
        low, high = critical - cell, critical + cell
    grid = np.linspace(octaves[0], octaves[-1], _POINTS)
    line = level + shape_log2(grid - critical, sharpness=np.ones(1))
    return Diagnostic(
        name="hyperbola",
        description="S = S_min (1 + B_c / B), the sharpness g = 1 of McCandlish et al. 2018; "
        "usually too soft around the bend.",
        parameters={
            "minimum_steps": float(2**level),
            "critical_batch_size": float(2**critical),
            "rms_residual_log2": _rms(
                shape_log2(octaves - critical, sharpness=np.ones(1)) + level, steps_log2
            ),
        },
        points=_points(grid, line),
    )


def piecewise_linear(octaves: Floats, steps_log2: Floats) -> Diagnostic:
    """Fits a continuous line on log-log axes with slopes -1, then free, then 0.

    Arguments are those of `hyperbola`. The knots are found by trying all pairs on a grid; the two
    linear parameters, level and middle slope, are then exact.
    """
    knots = np.linspace(octaves[0], octaves[-1], _KNOTS)
    first, second = (k.ravel() for k in np.meshgrid(knots, knots, indexing="ij"))
    ordered = first < second
    first, second = first[ordered, None], second[ordered, None]
    # steps = level - min(x, k1) + slope * (clip(x, k1, k2) - k1)
    fixed = -np.minimum(octaves, first)
    middle = np.clip(octaves, first, second) - first
    target = steps_log2 - fixed
    centred = middle - middle.mean(axis=1, keepdims=True)
    power = np.sum(centred**2, axis=1)
    # Where no study lies between or beyond the knots the middle slope is free of the data.
    slope = np.divide(
        np.sum(centred * target, axis=1), power, out=np.zeros(len(power)), where=power > 1e-12
    )
    slope = np.clip(slope, -1.0, 0.0)
    level = np.mean(target - slope[:, None] * middle, axis=1)
    misfit = np.sum((target - slope[:, None] * middle - level[:, None]) ** 2, axis=1)
    best = int(np.argmin(misfit))
    k1, k2 = float(first[best, 0]), float(second[best, 0])

    def line(x: Floats) -> Floats:
        values: Floats = level[best] - np.minimum(x, k1) + slope[best] * (np.clip(x, k1, k2) - k1)
        return values

    grid = np.unique(np.concatenate([np.linspace(octaves[0], octaves[-1], _POINTS), [k1, k2]]))
    return Diagnostic(
        name="piecewise linear",
        description="Straight lines on log-log axes with slopes -1, free, and 0; the places "
        "where they meet are poor estimates.",
        parameters={
            "first_knot": float(2**k1),
            "second_knot": float(2**k2),
            "middle_slope": float(slope[best]),
            "minimum_steps": float(2.0 ** line(np.array([k2]))[0]),
            "rms_residual_log2": _rms(line(octaves), steps_log2),
        },
        points=_points(grid, line(grid)),
    )


def _rms(line: Floats, steps_log2: Floats) -> float:
    return float(np.sqrt(np.mean((steps_log2 - line) ** 2)))


def _points(octaves: Floats, steps_log2: Floats) -> tuple[tuple[float, float], ...]:
    return tuple((float(2.0**x), float(2.0**y)) for x, y in zip(octaves, steps_log2, strict=True))
