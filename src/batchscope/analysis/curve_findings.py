"""What a sweep's curve says, from its draws: estimates with intervals, bounds where the measured
batch sizes do not reach, and the curve on a fine grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from batchscope.analysis.curve import TOLERANCE, log2_bend
from batchscope.analysis.diagnostics import hyperbola, piecewise_linear
from batchscope.analysis.findings import CurveFindings, CurvePoint, Estimate
from batchscope.analysis.posterior import CurveDraws
from batchscope.analysis.study_times import Floats, StudyTimes

LEVEL = 0.9
NORMAL_QUANTILE = 1.645  # half the central 90 % of a normal distribution
_POINTS = 97


@dataclass(frozen=True)
class Readings:
    """What is read off every draw, in log2; each of shape (draws,)."""

    end_of_perfect_scaling: Floats
    critical_batch_size: Floats
    maximum_useful_batch_size: Floats


def read_off(draws: CurveDraws) -> Readings:
    """Returns log2 of B_ps, B_c and B_max of every draw."""
    bend = log2_bend(sharpness=draws.sharpness)
    critical = draws.log2_critical_batch_size
    return Readings(critical + bend, critical, critical - bend)


def interval(log2_values: Floats) -> tuple[float, float]:
    """Returns the central `LEVEL` interval of draws given in log2, not in log2 itself."""
    low, high = np.quantile(log2_values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(2.0**low), float(2.0**high)


def curve_findings(studies: Sequence[StudyTimes], draws: CurveDraws) -> CurveFindings:
    """Returns the findings of the curve fitted to `studies`, ascending by batch size.

    The point estimates belong to one curve: the medians of log S_min, log B_c and g.
    """
    reached = [s for s in studies if s.best is not None]
    octaves = np.log2([float(s.batch_size) for s in reached])
    steps_log2 = np.array([s.interval_log2[1] for s in reached])
    low_b, high_b = float(reached[0].batch_size), float(reached[-1].batch_size)
    typical = CurveDraws(
        *(
            np.atleast_1d(np.median(values))
            for values in (
                draws.log2_minimum_steps,
                draws.log2_critical_batch_size,
                draws.sharpness,
                draws.tau_log2,
            )
        )
    )
    values, spread = read_off(typical), read_off(draws)
    critical = _within(values.critical_batch_size, spread.critical_batch_size, low_b, high_b)
    ends = np.log2([low_b, high_b])
    examples = draws.log2_minimum_steps + draws.log2_critical_batch_size
    s_min, e_min = (
        typical.log2_minimum_steps,
        typical.log2_minimum_steps + values.critical_batch_size,
    )
    at_ends, draws_at_ends = typical.log2_steps(2.0**ends), draws.log2_steps(2.0**ends)
    return CurveFindings(
        critical_batch_size=critical,
        end_of_perfect_scaling=_within(
            values.end_of_perfect_scaling, spread.end_of_perfect_scaling, low_b, high_b
        ),
        maximum_useful_batch_size=_within(
            values.maximum_useful_batch_size, spread.maximum_useful_batch_size, low_b, high_b
        ),
        # A floor that was never seen is at most as high as the curve at the last batch size.
        minimum_steps=_at_most(at_ends[:, 1], draws_at_ends[:, 1])
        if critical.bound == ">="
        else _equal(s_min, draws.log2_minimum_steps),
        minimum_examples=_at_most(at_ends[:, 0] + ends[0], draws_at_ends[:, 0] + ends[0])
        if critical.bound == "<="
        else _equal(e_min, examples),
        sharpness=_equal(np.log2(typical.sharpness), np.log2(draws.sharpness)),
        tolerance=TOLERANCE,
        points=_points(studies, typical, draws),
        slopes=_slopes(octaves, steps_log2),
        diagnostics=(hyperbola(octaves, steps_log2), piecewise_linear(octaves, steps_log2)),
    )


def _equal(value_log2: Floats, draws_log2: Floats) -> Estimate:
    low, high = interval(draws_log2)
    value = float(2.0 ** value_log2[0])
    return Estimate(value=value, low=min(low, value), high=max(high, value), level=LEVEL)


def _at_most(value_log2: Floats, draws_log2: Floats) -> Estimate:
    value = float(2.0 ** value_log2[0])
    high = max(interval(draws_log2)[1], value)
    return Estimate(value=value, low=None, high=high, level=LEVEL, bound="<=")


def _within(value_log2: Floats, draws_log2: Floats, low_b: float, high_b: float) -> Estimate:
    """Returns the estimate of a batch size, as far as the measured ones can tell.

    An end of the interval beyond the measured batch sizes rests on the prior, not on data.
    """
    estimate = _equal(value_log2, draws_log2)
    low, high = estimate.low, estimate.high
    assert estimate.value is not None and low is not None and high is not None
    known_low = low if low >= low_b else None
    known_high = high if high <= high_b else None
    if estimate.value > high_b:
        return Estimate(high_b, known_low and min(known_low, high_b), None, LEVEL, ">=")
    if estimate.value < low_b:
        return Estimate(low_b, None, known_high and max(known_high, low_b), LEVEL, "<=")
    return Estimate(estimate.value, known_low, known_high, LEVEL)


def _points(
    studies: Sequence[StudyTimes], typical: CurveDraws, draws: CurveDraws
) -> tuple[CurvePoint, ...]:
    grid = np.geomspace(studies[0].batch_size, studies[-1].batch_size, _POINTS)
    steps = typical.log2_steps(grid)[0]
    tails = np.quantile(draws.log2_steps(grid), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    low, high = np.minimum(tails[0], steps), np.maximum(tails[1], steps)
    return tuple(
        CurvePoint(float(b), float(2.0**s), float(2.0**lo), float(2.0**hi))
        for b, s, lo, hi in zip(grid, steps, low, high, strict=True)
    )


def _slopes(octaves: Floats, steps_log2: Floats) -> tuple[tuple[float, float], ...]:
    middles = 2.0 ** ((octaves[1:] + octaves[:-1]) / 2)
    slopes = np.diff(steps_log2) / np.diff(octaves)
    return tuple((float(b), float(slope)) for b, slope in zip(middles, slopes, strict=True))


def slope_steeper_than_perfect(
    studies: Sequence[StudyTimes], draws: CurveDraws, *, correlation: Floats
) -> float | None:
    """Returns the slope of the studies below B_c if it is significantly steeper than -1.

    The curve cannot be steeper than perfect scaling, the data can (momentum needs large batches to
    pay off). The slope is that of a straight line through the studies up to B_c, at least three,
    by generalised least squares; None unless it lies below -1 with 95 % confidence.

    Args:
        studies: of one sweep, ascending by batch size.
        draws: of its curve.
        correlation: of the studies' errors, shape (studies, studies).
    """
    limit = float(np.median(draws.log2_critical_batch_size))
    chosen = [
        i for i, s in enumerate(studies) if s.best is not None and np.log2(s.batch_size) <= limit
    ]
    if len(chosen) < 3:
        return None
    crossings = np.array([studies[i].interval_log2 for i in chosen])
    design = np.stack(
        [np.ones(len(chosen)), np.log2([float(studies[i].batch_size) for i in chosen])], axis=1
    )
    tau = float(np.median(draws.tau_log2))
    covariance = tau**2 * correlation[np.ix_(chosen, chosen)]
    covariance += np.diag(np.ptp(crossings, axis=1) ** 2 / 12 + 1e-12)
    precision = np.linalg.inv(covariance)
    spread = np.linalg.inv(design.T @ precision @ design)
    slope = float((spread @ design.T @ precision @ crossings.mean(axis=1))[1])
    return slope if slope + NORMAL_QUANTILE * np.sqrt(spread[1, 1]) < -1.0 else None
