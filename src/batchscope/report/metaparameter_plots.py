"""The best trial's metaparameters against batch size, and what the scaling heuristics say."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from batchscope.report import wording
from batchscope.report.axes import (
    SMALL_HEIGHT,
    batch_domain,
    batch_size_x,
    colour_of,
    decimal_axis,
    faded,
    finish,
    legend_columns,
    log2_scale,
    padded,
    pick_series,
    shape_of,
    table,
)
from batchscope.report.theme import Series, Style

_HEURISTICS = {"linear": 1.0, "square root": 0.5}  # powers of the batch size


def varied_names(series: Sequence[Series]) -> list[str]:
    """Returns the metaparameters whose best value differs within a sweep, in order."""
    names = {n: None for s in series for study in s.sweep.studies for n in study.best_parameters}
    return [name for name in names if any(_varies(one, name) for one in series)]


def _varies(series: Series, name: str) -> bool:
    best = (study.best_parameters for study in series.sweep.studies)
    return len({values[name] for values in best if name in values}) > 1


def learning_rate_plot(series: Series, style: Style) -> alt.LayerChart:
    """Returns the best effective learning rate of one sweep beside the two scaling heuristics.

    Each heuristic's line passes through the geometric mean of the points: it is the least-squares
    fit, in logarithms, of a line with that slope, so no single noisy study anchors it.
    """
    rows: list[dict[str, Any]] = [
        {
            "sweep": series.label,
            "batch_size": study.batch_size,
            "value": study.effective_learning_rate,
            "best_text": wording.parameters(study.best_parameters),
        }
        for study in series.sweep.studies
        if study.effective_learning_rate is not None and study.effective_learning_rate > 0
    ]
    x_domain = batch_domain([series])
    y_domain = padded((row["value"] for row in rows), octaves=0.8)
    x = batch_size_x(x_domain)
    y = alt.Y(
        "value:Q",
        scale=log2_scale(y_domain),
        axis=decimal_axis(y_domain),
        title="Effective learning rate η / (1 − μ)",
    )
    names = list(_HEURISTICS)
    lines = (
        table(list(_heuristic_lines(rows, x_domain)))
        .mark_line(strokeWidth=1.3, color=style.palette.muted, clip=True, tooltip=None)
        .encode(
            x,
            y,
            alt.StrokeDash(
                "heuristic:N",
                scale=alt.Scale(domain=names, range=[[7, 4], [2, 3]]),
                legend=alt.Legend(
                    title=None,
                    columns=legend_columns(names),
                    symbolType="stroke",
                    symbolSize=500,
                    symbolStrokeColor=style.palette.muted,
                ),
            ),
        )
    )
    points = (
        table(rows)
        .mark_point(filled=True, opacity=1, size=70, color=series.colour, shape=series.shape)
        .encode(
            x,
            y,
            tooltip=[
                alt.Tooltip("batch_size:Q", title="Batch size", format=","),
                alt.Tooltip("value:Q", title="Effective learning rate", format=".3~g"),
                alt.Tooltip("best_text:N", title="Best trial"),
            ],
        )
    )
    return finish([lines, points], style, height=SMALL_HEIGHT)


def _heuristic_lines(
    rows: Sequence[dict[str, Any]], x_domain: tuple[float, float]
) -> Iterator[dict[str, Any]]:
    if not rows:
        return
    middle_b = sum(math.log(row["batch_size"]) for row in rows) / len(rows)
    middle_rate = sum(math.log(row["value"]) for row in rows) / len(rows)
    for name, power in _HEURISTICS.items():
        for batch_size in x_domain:
            value = math.exp(middle_rate + power * (math.log(batch_size) - middle_b))
            yield {"heuristic": name, "batch_size": batch_size, "value": value}


def metaparameter_plot(series: Sequence[Series], name: str, style: Style) -> alt.LayerChart:
    """Returns the best value of metaparameter `name` at each batch size, where it varies.

    Values near an edge of the search space are ringed. A momentum is shown as 1 - momentum, on
    the logarithmic scale on which it is searched and acts.
    """
    rows = [row for one in series if _varies(one, name) for row in _values(one, name)]
    complement = "momentum" in name and all(0 <= row["raw"] < 1 for row in rows)
    for row in rows:
        row["value"] = 1 - row["raw"] if complement else row["raw"]
    values = [row["value"] for row in rows]
    logarithmic = all(v > 0 for v in values) and (complement or max(values) > 6 * min(values))

    picked = pick_series()
    x = batch_size_x(batch_domain(series))
    title = f"1 − {name}" if complement else name
    if logarithmic:
        y_domain = padded(values, octaves=0.5)
        y = alt.Y("value:Q", scale=log2_scale(y_domain), axis=decimal_axis(y_domain), title=title)
    else:
        y = alt.Y("value:Q", scale=alt.Scale(zero=False, padding=14), title=title)
    line = (
        table(rows)
        .mark_line(strokeWidth=1, tooltip=None)
        .encode(x, y, colour_of(series), opacity=faded(picked, 0.4))
    )
    points = (
        table(rows)
        .mark_point(filled=True, size=70)
        .encode(
            x,
            y,
            colour_of(series),
            shape_of(series),
            opacity=faded(picked, 1),
            tooltip=[
                alt.Tooltip("sweep:N", title="Sweep"),
                alt.Tooltip("batch_size:Q", title="Batch size", format=","),
                alt.Tooltip("raw:Q", title=name, format=".4~g"),
                alt.Tooltip("edge:N", title="Search space"),
            ],
        )
        .add_params(picked)
    )
    layers = [line, points]
    edges = [row for row in rows if row["edge"] != "inside"]
    if edges:
        rings = table(edges).mark_point(
            shape="circle", size=190, strokeWidth=1.5, color=style.palette.ink, tooltip=None
        )
        layers.append(rings.encode(x, y))
    return finish([*layers], style, height=SMALL_HEIGHT)


def _values(series: Series, name: str) -> Iterator[dict[str, Any]]:
    for study in series.sweep.studies:
        if name not in study.best_parameters:
            continue
        near = [edge for edge in study.edges if edge.parameter == name]
        yield {
            "sweep": series.label,
            "batch_size": study.batch_size,
            "raw": study.best_parameters[name],
            "edge": f"near its {near[0].side} {wording.number(near[0].limit)}"
            if near
            else "inside",
        }
