"""Plots that say how far the curve can be trusted, and the ratio of two sweeps."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from batchscope.analysis.findings import Comparison
from batchscope.analysis.study_findings import LARGEST_OPTIMISM_LOG2
from batchscope.report import wording
from batchscope.report.axes import (
    SMALL_HEIGHT,
    batch_domain,
    batch_size_x,
    colour_of,
    faded,
    finish,
    legend_columns,
    log2_axis,
    log2_scale,
    padded,
    pick_series,
    shape_of,
    table,
)
from batchscope.report.theme import Series, Style

FITTED = "fitted curve"
_RATIO_TICKS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 3 / 2, 2, 3, 4, 8, 16)


def optimism_plot(series: Sequence[Series], style: Style) -> alt.LayerChart:
    """Returns how much the best of n trials still gains over the best of n/2, per batch size.

    The dashed line is the gain above which a study needs more trials; those are filled.
    """
    rows = [
        {
            "sweep": one.label,
            "batch_size": study.batch_size,
            "optimism": study.optimism_log2,
            "gain": wording.rounded_percent(2**study.optimism_log2 - 1),
            "verdict": "needs more trials" if study.needs_more_trials else "enough trials",
        }
        for one in series
        for study in one.sweep.studies
        if study.optimism_log2 is not None
    ]
    picked = pick_series()
    x = batch_size_x(batch_domain(series))
    y = alt.Y("optimism:Q", title="log2(best of n/2 ÷ best of n)")
    line = table(rows).mark_line(strokeWidth=1, tooltip=None)
    limit = table([{"optimism": LARGEST_OPTIMISM_LOG2}]).mark_rule(
        color=style.palette.muted, strokeDash=[5, 3], tooltip=None
    )
    marks = [
        limit.encode(y),
        line.encode(x, y, colour_of(series), opacity=faded(picked, 0.4)),
    ]
    for verdict, fill in (("enough trials", style.palette.paper), ("needs more trials", None)):
        chosen = [row for row in rows if row["verdict"] == verdict]
        if not chosen:
            continue
        look = {"filled": True} if fill is None else {"fill": fill}
        marks.append(
            table(chosen)
            .mark_point(size=75, strokeWidth=1.8, **look)
            .encode(
                x,
                y,
                colour_of(series),
                shape_of(series),
                opacity=faded(picked, 1),
                tooltip=[
                    alt.Tooltip("sweep:N", title="Sweep"),
                    alt.Tooltip("batch_size:Q", title="Batch size", format=","),
                    alt.Tooltip("gain:N", title="Best of n/2 takes more steps by"),
                    alt.Tooltip("verdict:N", title="Verdict"),
                ],
            )
        )
    marks[-1] = marks[-1].add_params(picked)
    return finish([*marks], style, height=SMALL_HEIGHT)


def slopes_plot(series: Sequence[Series], style: Style) -> alt.LayerChart:
    """Returns local slopes of steps against batch size: -1 is perfect scaling, 0 no gain."""
    rows: list[dict[str, Any]] = [
        {"sweep": one.label, "batch_size": batch_size, "slope": slope}
        for one in series
        for batch_size, slope in (one.sweep.curve.slopes if one.sweep.curve else ())
    ]
    picked = pick_series()
    x = batch_size_x(batch_domain(series))
    y = alt.Y(
        "slope:Q",
        scale=alt.Scale(
            domain=[
                min([-1.15, *(row["slope"] - 0.1 for row in rows)]),
                max([0.15, *(row["slope"] + 0.1 for row in rows)]),
            ]
        ),
        axis=alt.Axis(format="~g", values=[-2, -1.5, -1, -0.5, 0, 0.5, 1]),
        title="Slope of log steps",
    )
    limits = (
        table([{"slope": -1}, {"slope": 0}])
        .mark_rule(color=style.palette.muted, strokeDash=[5, 3], tooltip=None)
        .encode(y)
    )
    line = table(rows).mark_line(strokeWidth=1, tooltip=None)
    points = table(rows).mark_point(filled=True, size=60)
    return finish(
        [
            limits,
            line.encode(x, y, colour_of(series), opacity=faded(picked, 0.4)),
            points.encode(
                x,
                y,
                colour_of(series),
                shape_of(series),
                opacity=faded(picked, 1),
                tooltip=[
                    alt.Tooltip("sweep:N", title="Sweep"),
                    alt.Tooltip("batch_size:Q", title="Between, at batch size", format=",.0f"),
                    alt.Tooltip("slope:Q", title="Slope", format=".2f"),
                ],
            ).add_params(picked),
        ],
        style,
        height=SMALL_HEIGHT,
    )


def diagnostics_plot(series: Series, style: Style) -> alt.LayerChart:
    """Returns the fitted curve and the two simpler fits over one sweep's points."""
    curve = series.sweep.curve
    points: list[dict[str, Any]] = [
        {"batch_size": study.batch_size, "steps": study.steps_to_result}
        for study in series.sweep.studies
        if study.steps_to_result is not None
    ]
    lines: list[dict[str, Any]] = []
    names = [FITTED]
    if curve is not None:
        lines = [
            {"fit": FITTED, "batch_size": p.batch_size, "steps": p.steps} for p in curve.points
        ]
        for diagnostic in curve.diagnostics:
            names.append(diagnostic.name)
            lines += [
                {"fit": diagnostic.name, "batch_size": b, "steps": s} for b, s in diagnostic.points
            ]
    x_domain = batch_domain([series])
    y_domain = padded((row["steps"] for row in points), octaves=0.5)
    x = batch_size_x(x_domain)
    y = alt.Y(
        "steps:Q",
        scale=log2_scale(y_domain),
        axis=log2_axis(y_domain, at_most=8),
        title="Steps to result",
    )
    dashes = [[1, 0], [7, 4], [2, 3]]
    legend = alt.Legend(
        title=None, columns=legend_columns(names), symbolType="stroke", symbolSize=450
    )
    colours = [series.colour, style.palette.ink, style.palette.muted]
    fits = (
        table(lines)
        .mark_line(strokeWidth=1.8, clip=True, tooltip=None)
        .encode(
            x,
            y,
            alt.Color(
                "fit:N",
                legend=legend,
                scale=alt.Scale(domain=names, range=colours[: len(names)]),
            ),
            alt.StrokeDash(
                "fit:N", legend=legend, scale=alt.Scale(domain=names, range=dashes[: len(names)])
            ),
        )
    )
    measured = (
        table(points)
        .mark_point(filled=True, opacity=1, size=60, color=series.colour, shape=series.shape)
        .encode(
            x,
            y,
            tooltip=[
                alt.Tooltip("batch_size:Q", title="Batch size", format=","),
                alt.Tooltip("steps:Q", title="Steps to result", format=","),
            ],
        )
    )
    return finish([fits, measured], style, height=SMALL_HEIGHT)


def ratio_plot(comparison: Comparison, second: Series | None, style: Style) -> alt.LayerChart:
    """Returns the steps of the second sweep over those of the first, at each batch size."""
    rows: list[dict[str, Any]] = [
        {
            "batch_size": batch_size,
            "ratio": ratio.value,
            "low": ratio.low if ratio.low else ratio.value,
            "high": ratio.high if ratio.high else ratio.value,
            "interval": wording.interval(ratio) or wording.UNKNOWN,
        }
        for batch_size, ratio in comparison.steps
        if ratio.value is not None and ratio.value > 0
    ]
    colour = second.colour if second else style.palette.ink
    x_domain = padded((row["batch_size"] for row in rows), octaves=0.4)
    ends = [row[end] for row in rows for end in ("low", "high")]
    y_domain = padded([*ends, 0.8, 1.25], octaves=0.15)
    x = batch_size_x(x_domain)
    axis = alt.Axis(
        values=[t for t in _RATIO_TICKS if y_domain[0] <= t <= y_domain[1]], format=".3~g"
    )
    title = "Steps, second ÷ first"
    y = alt.Y("ratio:Q", scale=log2_scale(y_domain), axis=axis, title=title)
    equal = (
        table([{"ratio": 1}])
        .mark_rule(color=style.palette.muted, strokeDash=[5, 3], tooltip=None)
        .encode(y)
    )
    spans = (
        table(rows)
        .mark_rule(strokeWidth=1.6, color=colour, clip=True, tooltip=None)
        .encode(x, alt.Y("low:Q", title=title), alt.Y2("high:Q"))
    )
    points = (
        table(rows)
        .mark_point(
            filled=True,
            opacity=1,
            size=75,
            color=colour,
            shape=second.shape if second else "circle",
        )
        .encode(
            x,
            y,
            tooltip=[
                alt.Tooltip("batch_size:Q", title="Batch size", format=","),
                alt.Tooltip("ratio:Q", title="Steps, second ÷ first", format=".3~g"),
                alt.Tooltip("interval:N", title="Interval"),
            ],
        )
    )
    return finish([equal, spans, points], style, height=SMALL_HEIGHT)
