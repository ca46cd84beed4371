"""The answer of a sweep in words."""

from collections.abc import Sequence

from batchscope.analysis.findings import CurveFindings, Estimate, StudyFindings
from batchscope.analysis.wording import listed, number, whole
from batchscope.results.schema import Status

FEWEST_STUDIES = 4  # for a curve of three parameters


def headline(*, goal: str, studies: Sequence[StudyFindings], curve: CurveFindings | None) -> str:
    """Returns one or two sentences: where perfect scaling ends and where gains stop, or why that
    is not known.
    """
    measured = [s for s in studies if sum(s.counts.values())]
    reached = [s for s in studies if s.steps_to_result is not None]
    if not measured:
        return "Nothing has been measured yet."
    if not reached:
        return _nothing_reached(goal, measured)
    if curve is None:
        return _too_few(goal, reached)
    return _regimes(curve, measured, reached)


def _nothing_reached(goal: str, measured: Sequence[StudyFindings]) -> str:
    if all(s.counts[Status.INFEASIBLE] == sum(s.counts.values()) for s in measured):
        return "Every trial diverged, at every batch size: the search space asks for too much."
    if len(measured) == 1:
        return f"No trial reached {goal} at batch size {whole(measured[0].batch_size)}."
    return f"No trial reached {goal} at any batch size."


def _too_few(goal: str, reached: Sequence[StudyFindings]) -> str:
    steps = listed(
        [
            f"{whole(s.steps_to_result or 0)} steps at batch size {whole(s.batch_size)}"
            for s in reached
        ]
    )
    count = len(reached)
    return (
        f"Reaching {goal} took {steps}. A curve needs at least {FEWEST_STUDIES} batch sizes that "
        f"reach the goal; {'one does' if count == 1 else f'{count} do'}."
    )


def _regimes(
    curve: CurveFindings, measured: Sequence[StudyFindings], reached: Sequence[StudyFindings]
) -> str:
    smallest, largest = whole(reached[0].batch_size), whole(reached[-1].batch_size)
    # "... measured" would be wrong where smaller or larger ones were, and missed the goal.
    first = "measured" if reached[0] is measured[0] else "that reached the goal"
    last = "measured" if reached[-1] is measured[-1] else "that reached the goal"
    perfect, useful = curve.end_of_perfect_scaling, curve.maximum_useful_batch_size
    if useful.bound == "<=":
        steps = number(curve.minimum_steps.value or 0.0)
        if reached[0] is not measured[0]:
            return (
                f"From batch size {smallest}, the smallest that reached the goal, larger batches "
                f"gain nothing: about {steps} steps are needed up to {largest}."
            )
        return (
            f"Larger batches gain nothing: about {steps} steps are needed at every batch size "
            f"from {smallest} to {largest}."
        )
    if perfect.bound == ">=":
        return (
            f"Steps halve with each doubling up to {largest}, the largest batch size {last}; "
            "where that ends is not known."
        )
    if perfect.bound == "<=":
        start = (
            f"Already at {smallest}, the smallest batch size {first}, doubling the batch size "
            "saves less than half of the steps"
        )
    else:
        end = number(perfect.value or 0.0)
        start = f"Steps halve with each doubling up to batch size ~{end}{_reservation(perfect)}"
    if useful.bound == ">=":
        return (
            f"{start}; the gains shrink from there, but go on up to {largest}, the largest batch "
            f"size {last}."
        )
    if _is_open(useful):
        return (
            f"{start}; where a larger batch stops helping is not settled: perhaps at "
            f"~{number(useful.value or 0.0)}{_reservation(useful)}. More trials would tell."
        )
    return f"{start}; beyond ~{number(useful.value or 0.0)} nothing is gained."


def _is_open(estimate: Estimate) -> bool:
    """Returns whether the data leave a side of the interval open."""
    return estimate.low is None or estimate.high is None


def _reservation(estimate: Estimate) -> str:
    """Returns what the interval says where it is open, in brackets; nothing where it is closed."""
    if not _is_open(estimate):
        return ""
    if estimate.low is not None:
        return f" (at least {number(estimate.low)})"
    if estimate.high is not None:
        return f" (at most {number(estimate.high)})"
    return " (a guess: the data bound it on neither side)"
