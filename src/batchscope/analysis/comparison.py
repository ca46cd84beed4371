"""How far one sweep extends perfect scaling over another."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from batchscope.analysis.curve_findings import LEVEL, NORMAL_QUANTILE, Readings, interval
from batchscope.analysis.findings import Comparison, CurveFindings, Estimate
from batchscope.analysis.study_times import Floats, StudyTimes
from batchscope.analysis.wording import between_words, number

_END, _CRITICAL, _MAXIMUM = (
    "end_of_perfect_scaling",
    "critical_batch_size",
    "maximum_useful_batch_size",
)
_UNKNOWN = Estimate(value=None, low=None, high=None, level=LEVEL)


@dataclass(frozen=True)
class Fitted:
    """One sweep as a comparison needs it.

    Attributes:
        name: of the sweep.
        measures: what its steps count: sweeps with equal values here have comparable steps.
        studies: ascending by batch size.
        study_std_log2: standard error of each study's log2 steps, NaN where unknown.
        curve, readings: None without a curve.
    """

    name: str
    measures: tuple[str, ...]
    studies: Sequence[StudyTimes]
    study_std_log2: Floats
    curve: CurveFindings | None
    readings: Readings | None


def compare(first: Fitted, second: Fitted) -> Comparison:
    """Returns the ratios second / first, their searches taken as independent."""
    if first.curve is None or first.readings is None:
        ratios, without = (_UNKNOWN,) * 3, first.name
    elif second.curve is None or second.readings is None:
        ratios, without = (_UNKNOWN,) * 3, second.name
    else:
        without = ""
        a, b = first.curve, second.curve
        x, y = first.readings, second.readings

        def draws(name: str) -> Floats:
            """Differences of independent draws, second - first."""
            drawn: Floats = getattr(y, name)
            # sweeps of equal seeds have drawn in the same order: their i-th draws go together
            order = np.random.default_rng(0).permutation(len(drawn))
            difference: Floats = drawn[order] - getattr(x, name)
            return difference

        ratios = (
            _ratio(a.end_of_perfect_scaling, b.end_of_perfect_scaling, draws(_END)),
            _ratio(a.critical_batch_size, b.critical_batch_size, draws(_CRITICAL)),
            _ratio(a.maximum_useful_batch_size, b.maximum_useful_batch_size, draws(_MAXIMUM)),
        )
    return Comparison(
        first=first.name,
        second=second.name,
        sentence=_sentence(first.name, second.name, ratios[1], without=without),
        end_of_perfect_scaling=ratios[0],
        critical_batch_size=ratios[1],
        maximum_useful_batch_size=ratios[2],
        steps=_steps(first, second) if first.measures == second.measures else (),
    )


def _ratio(first: Estimate, second: Estimate, log2_draws: Floats) -> Estimate:
    """Returns second / first; a bound where one of them is, unknown where they pull apart."""
    upward = (second.bound == ">=") + (first.bound == "<=")
    downward = (second.bound == "<=") + (first.bound == ">=")
    if (upward and downward) or first.value is None or second.value is None:
        return _UNKNOWN
    value = second.value / first.value
    low, high = interval(log2_draws)
    known_low = min(low, value) if second.low is not None and first.high is not None else None
    known_high = max(high, value) if second.high is not None and first.low is not None else None
    if upward:
        return Estimate(value, known_low, None, LEVEL, ">=")
    if downward:
        return Estimate(value, None, known_high, LEVEL, "<=")
    return Estimate(value, known_low, known_high, LEVEL)


def _steps(first: Fitted, second: Fitted) -> tuple[tuple[int, Estimate], ...]:
    """Returns the ratio of measured steps at every batch size at which both reached the goal."""
    others = {s.batch_size: i for i, s in enumerate(second.studies) if s.best is not None}
    found = []
    for i, study in enumerate(first.studies):
        j = others.get(study.batch_size)
        if study.best is None or j is None:
            continue
        other = second.studies[j]
        assert other.best is not None
        value = float(other.steps[other.best] / study.steps[study.best])
        error = float(np.hypot(first.study_std_log2[i], second.study_std_log2[j]))
        low, high = (
            (None, None)
            if np.isnan(error)
            else (
                value * 2.0 ** (-NORMAL_QUANTILE * error),
                value * 2.0 ** (NORMAL_QUANTILE * error),
            )
        )
        found.append((study.batch_size, Estimate(value, low, high, LEVEL)))
    return tuple(found)


def _sentence(first: str, second: str, ratio: Estimate, *, without: str) -> str:
    """Puts the ratio of the critical batch sizes into words.

    At equal sharpness it is the ratio of the ends of perfect scaling too, and it is far better
    determined, since the end of perfect scaling depends on how sharp the bend is.
    """
    if without:
        return (
            f"How {second} scales against {first} is not known: {without} reached its goal at too "
            "few batch sizes for a curve."
        )
    if ratio.value is None:
        return (
            f"How far {second} extends perfect scaling over {first} is not known: the batch sizes "
            "measured do not reach the end of it."
        )
    if ratio.bound == "<=" or (ratio.high is not None and ratio.high < 1.0):
        first, second, ratio = second, first, _inverse(ratio)
    assert ratio.value is not None
    times = number(ratio.value)
    extends = f"{second} extends perfect scaling over {first}: its critical batch size is"
    between = between_words(ratio)
    if ratio.low is not None and ratio.low > 1.0:
        bound = "at least " if ratio.bound == ">=" else ""
        return f"{extends} {bound}{times} times as large ({between})."
    return (
        f"{second} and {first} cannot be told apart by where perfect scaling ends: "
        f"the ratio of their critical batch sizes is {times} ({between})."
    )


def _inverse(ratio: Estimate) -> Estimate:
    """Returns first / second; `ratio` has a value."""
    assert ratio.value is not None
    low = None if ratio.high is None else 1 / ratio.high
    high = None if ratio.low is None else 1 / ratio.low
    bound = {"<=": ">=", ">=": "<="}.get(ratio.bound, "=")
    return Estimate(1 / ratio.value, low, high, ratio.level, bound)
