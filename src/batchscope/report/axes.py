"""What all plots share: log2 axes, the legend that toggles series, the look."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from batchscope.report.theme import Series, Style

Rows = Sequence[Mapping[str, Any]]
MAIN_HEIGHT = 430
SMALL_HEIGHT = 280


def table(rows: Rows) -> alt.Chart:
    """Returns an empty chart over `rows`."""
    return alt.Chart(alt.Data(values=[dict(row) for row in rows]))


def padded(values: Iterable[float], *, octaves: float) -> tuple[float, float]:
    """Returns the smallest and largest of positive `values`, each moved out by `octaves`."""
    finite = [v for v in values if v > 0 and math.isfinite(v)]
    if not finite:
        return 1.0, 2.0
    return min(finite) / 2**octaves, max(finite) * 2**octaves


def powers_of_two(domain: tuple[float, float], *, at_most: int = 13) -> list[float]:
    """Returns the powers of two within `domain`, thinned evenly to `at_most`."""
    low, high = (math.log2(end) for end in domain)
    exponents = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    stride = max(1, -(-len(exponents) // at_most))
    return [2.0**e for e in exponents if e % stride == 0]


def log2_scale(domain: tuple[float, float]) -> alt.Scale:
    """Returns a log2 scale over exactly `domain`."""
    return alt.Scale(type="log", base=2, domain=list(domain), nice=False)


def log2_axis(domain: tuple[float, float]) -> alt.Axis:
    """Returns an axis with a tick at each power of two, labelled as whole numbers."""
    labels = "datum.value < 1 ? format(datum.value, '.3~g') : format(datum.value, ',')"
    return alt.Axis(values=powers_of_two(domain), labelExpr=labels, labelOverlap="greedy")


def batch_domain(series: Iterable[Series]) -> tuple[float, float]:
    """Returns the batch sizes measured, with a margin."""
    return padded((s.batch_size for one in series for s in one.sweep.studies), octaves=0.4)


def batch_size_x(domain: tuple[float, float], *, field: str = "batch_size") -> alt.X:
    """Returns the horizontal axis of nearly every plot."""
    return alt.X(
        f"{field}:Q", scale=log2_scale(domain), axis=log2_axis(domain), title="Batch size"
    )


def pick_series() -> alt.Parameter:
    """Returns the selection that clicking a legend entry makes; more clicks add and remove."""
    return alt.selection_point(name="picked", fields=["sweep"], bind="legend", toggle="true")


def faded(picked: alt.Parameter, shown: float) -> Any:
    """Returns an opacity of `shown`, or nearly none for series not picked in the legend."""
    return alt.when(picked).then(alt.value(shown)).otherwise(alt.value(0.06))


def colour_of(series: Sequence[Series]) -> alt.Color:
    """Returns the colour encoding by sweep.

    Every layer states the same legend: Vega-Lite keeps what the first layer says.
    """
    return alt.Color(
        "sweep:N",
        scale=alt.Scale(domain=[s.label for s in series], range=[s.colour for s in series]),
        legend=legend_on_top(),
    )


def shape_of(series: Sequence[Series]) -> alt.Shape:
    """Returns the shape encoding by sweep; it shares the colour's legend."""
    return alt.Shape(
        "sweep:N",
        scale=alt.Scale(domain=[s.label for s in series], range=[s.shape for s in series]),
        legend=legend_on_top(),
    )


def dash_of(series: Sequence[Series]) -> alt.StrokeDash:
    """Returns the dash encoding by sweep."""
    return alt.StrokeDash(
        "sweep:N",
        scale=alt.Scale(domain=[s.label for s in series], range=[list(s.dash) for s in series]),
        legend=legend_on_top(),
    )


def legend_on_top(*, stroke_width: float = 0) -> alt.Legend:
    """Returns a legend above the plot, in one column where the plot is narrow."""
    return alt.Legend(
        title=None,
        columns=alt.ExprRef("width < 420 ? 1 : 3"),
        symbolOpacity=1,
        symbolStrokeWidth=stroke_width,
    )


def finish(chart: alt.LayerChart, style: Style, *, height: int) -> alt.LayerChart:
    """Returns `chart` with the size and the look of every plot."""
    palette = style.palette
    return (
        chart.properties(
            width=style.width,
            height=height,
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding")
            if style.width == "container"
            else alt.AutoSizeParams(type="pad"),
            background="transparent" if style.width == "container" else palette.paper,
            padding=4 if style.width == "container" else 20,
        )
        .configure(font=style.font)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=palette.muted,
            titleColor=palette.ink,
            labelFontSize=12,
            titleFontSize=12.5,
            titleFontWeight=500,
            titlePadding=10,
            labelPadding=6,
            gridColor=palette.grid,
            domainColor=palette.faint,
            tickColor=palette.faint,
            tickSize=4,
        )
        .configure_axisY(
            domain=False, ticks=False, titleAngle=0, titleAlign="left", titleAnchor="end",
            titleX=0, titleY=-14, titleBaseline="bottom",
        )
        .configure_axisX(grid=False)
        .configure_legend(
            orient="top",
            labelFontSize=13,
            labelColor=palette.ink,
            labelLimit=320,
            symbolSize=110,
            offset=40,
            columnPadding=22,
            rowPadding=6,
        )
        .configure_title(
            font=style.font,
            color=palette.ink,
            subtitleColor=palette.muted,
            anchor="start",
            fontSize=17,
            fontWeight=600,
            subtitleFontSize=12.5,
            subtitlePadding=6,
            offset=16,
        )
    )
