"""Numbers and small facts as text, the same in the page, the plots and the Markdown."""

import math
from collections.abc import Mapping

from batchscope.analysis.findings import CurveFindings, Estimate, StudyFindings
from batchscope.results.schema import Status

UNKNOWN = "–"
# of the table of studies, as far as the page and the Markdown agree
STUDY_HEADINGS = (
    "Batch size",
    "Steps to result",
    "Interval",
    "Examples",
    "Complete",
    "Pruned",
    "Infeasible",
    "Incomplete",
)
_BOUNDS = {">=": "≥ ", "<=": "≤ ", "=": ""}


def number(value: float | None) -> str:
    """Returns three significant digits or more, with thousands separators: `2,048`, `0.0312`."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if (value == int(value) and abs(value) < 1e15) or abs(value) >= 100:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.3g}"
    return text.replace("-", "\N{MINUS SIGN}")


def percent(fraction: float) -> str:
    """Returns a fraction as `20 %`."""
    return f"{100 * fraction:.3g}\N{NO-BREAK SPACE}%"


def rounded_percent(fraction: float) -> str:
    """Returns a fraction as a whole percentage, `3 %`: for quantities that are themselves noisy."""
    return f"{100 * fraction:.0f}\N{NO-BREAK SPACE}%"


def estimate(value: Estimate) -> str:
    """Returns the point estimate with its bound: `64`, `≥ 2,048`."""
    if value.value is None:
        return UNKNOWN
    return _BOUNDS.get(value.bound, "") + number(value.value)


def interval(value: Estimate) -> str:
    """Returns the interval in words: `51 to 83`, `at least 51`; empty where nothing bounds it."""
    if value.low is not None and value.high is not None:
        return f"{number(value.low)} to {number(value.high)}"
    if value.low is not None:
        return f"at least {number(value.low)}"
    if value.high is not None:
        return f"at most {number(value.high)}"
    return ""


def parameters(values: Mapping[str, float]) -> str:
    """Returns metaparameters as `learning_rate 0.12, momentum 0.9`."""
    return ", ".join(f"{name} {number(value)}" for name, value in values.items()) or UNKNOWN


def is_measured(study: StudyFindings) -> bool:
    """Returns whether the study says anything: a result, or trials that were seen without one."""
    return study.steps_to_result is not None or (
        study.steps_after > 0 and sum(study.counts.values()) > 0
    )


def steps(study: StudyFindings) -> str:
    """Returns the steps to result: `1,792`, `not reached in 5,000`, `not measured`."""
    if study.steps_to_result is not None:
        return number(study.steps_to_result)
    return f"not reached in {number(study.steps_after)}" if is_measured(study) else "not measured"


def counts(study: StudyFindings) -> str:
    """Returns the trials by status, `61 complete, 3 infeasible`, leaving out zeros."""
    parts = [f"{study.counts.get(s, 0):,} {s.lower()}" for s in Status if study.counts.get(s, 0)]
    if study.missing_trials:
        parts.append(f"{study.missing_trials:,} missing")
    return ", ".join(parts) or "none"


def key_numbers(curve: CurveFindings) -> tuple[tuple[str, str, Estimate], ...]:
    """Returns the numbers of a curve as (name, what it means, estimate)."""
    excess = percent(curve.tolerance)
    return (
        (
            "End of perfect scaling",
            f"where the steps first exceed perfect scaling by {excess}",
            curve.end_of_perfect_scaling,
        ),
        (
            "Critical batch size",
            "where perfect scaling meets the floor, E_min / S_min",
            curve.critical_batch_size,
        ),
        (
            "Maximum useful batch size",
            f"from here the steps are within {excess} of the fewest",
            curve.maximum_useful_batch_size,
        ),
        ("Fewest steps, S_min", "at any batch size, however large", curve.minimum_steps),
        ("Fewest examples, E_min", "at any batch size, however small", curve.minimum_examples),
        ("Sharpness, g", "of the bend; 1 is a hyperbola", curve.sharpness),
    )
