"""Every trial of a sweep: when it reached the goal, or where it was last seen without."""

from collections.abc import Iterator
from typing import Any

import altair as alt

from batchscope.analysis.findings import TrialPoint
from batchscope.report import wording
from batchscope.report.axes import (
    SMALL_HEIGHT,
    batch_domain,
    batch_size_x,
    finish,
    legend_on_top,
    log2_axis,
    log2_scale,
    padded,
    table,
)
from batchscope.report.theme import Series, Style
from batchscope.results.schema import Status

REACHED = "reached the goal"
_OUTCOMES = {
    Status.COMPLETE: "used its budget, goal not reached",
    Status.PRUNED: "pruned before the goal",
    Status.INFEASIBLE: "infeasible (diverged)",
    Status.INCOMPLETE: "incomplete (interrupted)",
}
_SHAPES = {
    REACHED: "circle",
    _OUTCOMES[Status.COMPLETE]: "triangle-up",
    _OUTCOMES[Status.PRUNED]: "stroke",
    _OUTCOMES[Status.INFEASIBLE]: "M-.7,-.7L.7,.7M.7,-.7L-.7,.7",
    _OUTCOMES[Status.INCOMPLETE]: "square",
}
_GOLDEN = 0.6180339887498949


def trials_plot(series: Series, style: Style) -> alt.LayerChart:
    """Returns one mark per trial, side by side within its batch size; the best is ringed."""
    rows = list(_rows(series))
    x_domain = batch_domain([series])
    y_domain = padded((row["steps"] for row in rows), octaves=0.5)
    present = [outcome for outcome in _SHAPES if any(row["outcome"] == outcome for row in rows)]
    colours = [series.colour if o == REACHED else style.palette.muted for o in present]

    x = batch_size_x(x_domain, field="place")
    y = alt.Y(
        "steps:Q",
        scale=log2_scale(y_domain),
        axis=log2_axis(y_domain, at_most=8),
        title="Steps of each trial",
    )
    marks = (
        table(rows)
        .mark_point(size=34, strokeWidth=1.4)
        .encode(
            x,
            y,
            alt.Color(
                "outcome:N",
                scale=alt.Scale(domain=present, range=colours),
                legend=legend_on_top(present, stroke_width=1.4),
            ),
            alt.Shape(
                "outcome:N",
                scale=alt.Scale(domain=present, range=[_SHAPES[o] for o in present]),
                legend=legend_on_top(present, stroke_width=1.4),
            ),
            tooltip=[
                alt.Tooltip("batch_size:Q", title="Batch size", format=","),
                alt.Tooltip("trial_id:Q", title="Trial"),
                alt.Tooltip("outcome:N", title="Outcome"),
                alt.Tooltip("steps:Q", title="Steps", format=","),
                alt.Tooltip("parameters_text:N", title="Metaparameters"),
            ],
        )
    )
    best = (
        table([row for row in rows if row["best"]])
        .mark_point(
            shape="circle", size=120, strokeWidth=1.6, color=style.palette.ink, tooltip=None
        )
        .encode(x, y)
    )
    return finish([marks, best], style, height=SMALL_HEIGHT)


def _rows(series: Series) -> Iterator[dict[str, Any]]:
    for study in series.sweep.studies:
        for trial in study.trials:
            # Spread by the golden ratio: neighbours in the search do not overlap, and a trial
            # keeps its place when others are added.
            offset = (trial.trial_id * _GOLDEN) % 1 - 0.5
            yield {
                "batch_size": study.batch_size,
                "place": study.batch_size * 2 ** (0.7 * offset),
                "trial_id": trial.trial_id,
                "outcome": _outcome(trial),
                "steps": max(1, trial.steps),
                "best": trial.trial_id == study.best_trial_id,
                "parameters_text": wording.parameters(trial.parameters),
            }


def _outcome(trial: TrialPoint) -> str:
    return REACHED if trial.reached else _OUTCOMES[Status(trial.status)]
