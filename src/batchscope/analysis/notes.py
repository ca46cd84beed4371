"""Warnings and reservations about a sweep, one sentence each, most important first."""

from collections.abc import Callable, Iterable, Sequence

from batchscope.analysis.findings import CurveFindings, StudyFindings
from batchscope.analysis.headline import FEWEST_STUDIES
from batchscope.analysis.wording import batch_sizes, number, whole
from batchscope.results.schema import Status
from batchscope.spec.sweep import Prune, Sweep


def notes(
    *,
    sweep: Sweep,
    studies: Sequence[StudyFindings],
    curve: CurveFindings | None,
    steep_slope: float | None,
) -> tuple[str, ...]:
    """Returns the notes of one sweep.

    Args:
        sweep: what was asked for.
        studies: ascending by batch size.
        curve: None where too few studies reached the goal.
        steep_slope: of the smallest batch sizes where it is significantly steeper than -1.
    """
    found: list[str] = []
    found += _no_curve(studies, curve)
    found += _provisional(studies)
    found += _not_reached(sweep, studies, fitted=curve is not None)
    found += _edges(studies)
    found += _more_trials(studies)
    found += _few_feasible(sweep, studies)
    if steep_slope is not None:
        found.append(
            f"At small batch sizes steps fall faster than perfect scaling (slope {steep_slope:.2f} "
            "on log-log axes, perfect scaling is -1): the curve cannot follow that, so read the "
            "measured steps there rather than the curve."
        )
    if sweep.prune is Prune.MIN and any(s.steps_to_result is not None for s in studies):
        found.append(
            'prune = "min" hides how much the fastest trials differ, so intervals rest on the '
            "scatter of the studies around the curve and on an assumed size of the search's "
            'error: prune = "kth" measures it.'
        )
    return tuple(found)


def _at(studies: Iterable[StudyFindings], which: Callable[[StudyFindings], bool]) -> list[int]:
    return [s.batch_size for s in studies if which(s)]


def _no_curve(studies: Sequence[StudyFindings], curve: CurveFindings | None) -> list[str]:
    reached = sum(s.steps_to_result is not None for s in studies)
    if curve is not None:
        return []
    return [
        f"No curve is fitted: {reached} of {len(studies)} batch sizes reached the goal, and its "
        f"three parameters need at least {FEWEST_STUDIES}."
    ]


def _provisional(studies: Sequence[StudyFindings]) -> list[str]:
    found = []
    if missing := _at(studies, lambda s: s.missing_trials > 0):
        count = sum(s.missing_trials for s in studies)
        found.append(
            f"{whole(count)} trial{'s' if count > 1 else ''} that should exist "
            f"{'are' if count > 1 else 'is'} missing at {batch_sizes(missing)}: the steps there "
            "are provisional until the sweep is run to its end."
        )
    if open_ := _at(studies, lambda s: s.counts[Status.INCOMPLETE] > 0):
        found.append(
            f"Trials were interrupted at {batch_sizes(open_)}: the steps there are provisional "
            "until the sweep is resumed."
        )
    return found


def _not_reached(sweep: Sweep, studies: Sequence[StudyFindings], *, fitted: bool) -> list[str]:
    found = []
    diverged = _at(studies, _all_diverged)
    if diverged:
        found.append(
            f"Every trial diverged at {batch_sizes(diverged)}: lower the learning rates of the "
            "search space."
        )
    missed = _at(
        studies,
        lambda s: s.steps_to_result is None and sum(s.counts.values()) > 0 and not _all_diverged(s),
    )
    if missed:
        found.append(
            f"No trial reached {sweep.goal} within its budget at {batch_sizes(missed)}"
            + (": the curve counts these as needing more than that." if fitted else ".")
        )
    if unmeasured := _at(studies, lambda s: not sum(s.counts.values())):
        found.append(f"Nothing is measured yet at {batch_sizes(unmeasured)}.")
    return found


def _all_diverged(study: StudyFindings) -> bool:
    return study.counts[Status.INFEASIBLE] == sum(study.counts.values()) > 0


def _edges(studies: Sequence[StudyFindings]) -> list[str]:
    sizes: dict[tuple[str, str, float], list[int]] = {}
    for study in studies:
        for edge in study.edges:
            sizes.setdefault((edge.parameter, edge.side, edge.limit), []).append(study.batch_size)
    return [
        f"The best {parameter} lies near the {'lower' if side == 'min' else 'upper'} edge "
        f"({limit:g}) of the search space at {batch_sizes(at)}: "
        f"{'lower' if side == 'min' else 'raise'} the edge and run again."
        for (parameter, side, limit), at in sizes.items()
    ]


def _more_trials(studies: Sequence[StudyFindings]) -> list[str]:
    short = [s for s in studies if s.needs_more_trials]
    if not short:
        return []
    worst = max(s.optimism_log2 or 0.0 for s in short)
    return [
        f"More trials are needed at {batch_sizes([s.batch_size for s in short])}: half of them "
        f"would have needed up to {number(100 * (2.0**worst - 1))} % more steps, so the fewest "
        "steps are not settled."
    ]


def _few_feasible(sweep: Sweep, studies: Sequence[StudyFindings]) -> list[str]:
    def too_few(study: StudyFindings) -> bool:
        feasible = study.counts[Status.COMPLETE] + study.counts[Status.PRUNED]
        settled = not study.missing_trials and not study.counts[Status.INCOMPLETE]
        return settled and 0 < feasible < sweep.trials

    if not (short := _at(studies, too_few)):
        return []
    return [
        f"Fewer than the {whole(sweep.trials)} feasible trials wanted were found at "
        f"{batch_sizes(short)}, where too many diverged: raise max_trials or lower the learning "
        "rates of the search space."
    ]
