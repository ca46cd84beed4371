"""What all plots share: log2 axes, the legend that toggles series, the look."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from batchscope.report.theme import Palette, Series, Style

Rows = Sequence[Mapping[str, Any]]
MAIN_HEIGHT = 400
SMALL_HEIGHT = 280


def table(rows: Rows) -> alt.Chart:
    """Returns an empty chart over `rows`."""
    return alt.Chart(alt.InlineData(values=[dict(row) for row in rows]))


def padded(values: Iterable[float], *, octaves: float) -> tuple[float, float]:
    """Returns the smallest and largest of positive `values`, each moved out by `octaves`."""
    finite = [v for v in values if v > 0 and math.isfinite(v)]
    if not finite:
        return 1.0, 2.0
    return min(finite) / 2**octaves, max(finite) * 2**octaves


def powers_of_two(domain: tuple[float, float], *, at_most: int) -> list[float]:
    """Returns the powers of two within `domain`, thinned evenly to `at_most`."""
    low, high = (math.log2(end) for end in domain)
    exponents = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    stride = max(1, -(-len(exponents) // at_most))
    ticks = [2.0**e for e in exponents if e % stride == 0]
    if len(ticks) < 3:  # a narrow range: 1.5 times each as well
        ticks = sorted(
            t
            for e in range(math.floor(low) - 1, math.ceil(high) + 1)
            for t in (2.0**e, 1.5 * 2.0**e)
            if domain[0] <= t <= domain[1]
        )
    return ticks


def round_numbers(domain: tuple[float, float]) -> list[float]:
    """Returns 1, 2, 5, 10, 20, ... within `domain`; more finely where that leaves few."""
    low, high = (math.log10(end) for end in domain)
    ticks: list[float] = []
    for steps in ((1,), (1, 2, 5), (1, 2, 3, 4, 5, 6, 7, 8, 9)):
        exponents = range(math.floor(low) - 1, math.ceil(high) + 1)
        ticks = [float(f"{m}e{e}") for e in exponents for m in steps]
        ticks = [t for t in ticks if domain[0] <= t <= domain[1]]
        if len(ticks) >= 3:
            break
    return ticks


def log2_scale(domain: tuple[float, float]) -> alt.Scale:
    """Returns a log2 scale over exactly `domain`."""
    return alt.Scale(type="log", base=2, domain=list(domain), nice=False)


def log2_axis(domain: tuple[float, float], *, at_most: int = 13) -> alt.Axis:
    """Returns an axis with a tick at each power of two, for counts of steps or examples."""
    return _axis(powers_of_two(domain, at_most=at_most))


def decimal_axis(domain: tuple[float, float]) -> alt.Axis:
    """Returns an axis with ticks at round numbers, for metaparameters."""
    return _axis(round_numbers(domain))


def _axis(ticks: list[float]) -> alt.Axis:
    labels = "datum.value < 1 ? format(datum.value, '.3~g') : format(datum.value, ',')"
    return alt.Axis(values=ticks, labelExpr=labels, labelOverlap="greedy", labelSeparation=6)


def batch_domain(series: Iterable[Series]) -> tuple[float, float]:
    """Returns the batch sizes measured, with a margin."""
    return padded((s.batch_size for one in series for s in one.sweep.studies), octaves=0.4)


def batch_size_x(domain: tuple[float, float], *, field: str = "batch_size") -> alt.X:
    """Returns the horizontal axis of nearly every plot."""
    return alt.X(f"{field}:Q", scale=log2_scale(domain), axis=log2_axis(domain), title="Batch size")


def pick_series() -> alt.Parameter:
    """Returns the selection that clicking a legend entry makes; more clicks add and remove."""
    return alt.selection_point(name="picked", fields=["sweep"], bind="legend", toggle="true")


def faded(picked: alt.Parameter, shown: float) -> Any:
    """Returns an opacity of `shown`, or nearly none for series not picked in the legend."""
    return alt.when(picked).then(alt.value(shown)).otherwise(alt.value(shown / 15))


def colour_of(series: Sequence[Series]) -> alt.Color:
    """Returns the colour encoding by sweep.

    Every layer states the same legend: Vega-Lite keeps what the first layer says.
    """
    return alt.Color(
        "sweep:N",
        scale=alt.Scale(domain=[s.label for s in series], range=[s.colour for s in series]),
        legend=legend_on_top(s.label for s in series),
    )


def shape_of(series: Sequence[Series]) -> alt.Shape:
    """Returns the shape encoding by sweep; it shares the colour's legend."""
    return alt.Shape(
        "sweep:N",
        scale=alt.Scale(domain=[s.label for s in series], range=[s.shape for s in series]),
        legend=legend_on_top(s.label for s in series),
    )


def dash_of(series: Sequence[Series]) -> alt.StrokeDash:
    """Returns the dash encoding by sweep."""
    return alt.StrokeDash(
        "sweep:N",
        scale=alt.Scale(domain=[s.label for s in series], range=[list(s.dash) for s in series]),
        legend=legend_on_top(s.label for s in series),
    )


def legend_on_top(labels: Iterable[str], *, stroke_width: float = 0) -> alt.Legend:
    """Returns a legend above the plot, of as many columns as fit."""
    return alt.Legend(
        title=None,
        columns=legend_columns(labels),
        symbolOpacity=1,
        symbolStrokeWidth=stroke_width,
    )


def legend_columns(labels: Iterable[str]) -> alt.ExprRef:
    """Returns how many columns of a legend with these entries fit into the plot's width."""
    widest_px = max((len(label) for label in labels), default=0) * 7.2 + 42
    # On the page the plot's own width is not settled when its legend is first laid out.
    room = "(isFinite(containerSize()[0]) ? containerSize()[0] : width)"
    return alt.ExprRef(f"max(1, floor({room} / {widest_px:.0f}))")


def finish(layers: Sequence[alt.Chart], style: Style, *, height: int) -> alt.LayerChart:
    """Returns the layers as one chart, with the size and the look of every plot."""
    fluid = style.width == "container"
    # One call each: Altair copies a chart with all its data whenever it changes something.
    chart = alt.LayerChart(layer=list(layers)).properties(
        width=style.width,
        height=height,
        autosize=alt.AutoSizeParams(type="fit-x" if fluid else "pad", contains="padding"),
        background="transparent" if fluid else style.palette.paper,
        padding=4 if fluid else 20,
    )
    looked: alt.LayerChart = chart.configure(font=style.font, **_look(style.palette, style.font))
    return looked


def _look(palette: Palette, font: str) -> dict[str, Any]:
    """Returns the configuration of axes, legends and titles."""
    return {
        "view": alt.ViewConfig(stroke=None),
        "axis": alt.AxisConfig(
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
        ),
        "axisX": alt.AxisConfig(grid=False),
        # The vertical title lies flat above its axis, where it is read without turning the head.
        "axisY": alt.AxisConfig(
            domain=False,
            ticks=False,
            titleAngle=0,
            titleAlign="left",
            titleAnchor="end",
            titleX=0,
            titleY=-14,
            titleBaseline="bottom",
        ),
        "legend": alt.LegendConfig(
            orient="top",
            labelFontSize=13,
            labelColor=palette.ink,
            labelLimit=320,
            symbolSize=110,
            offset=40,
            columnPadding=22,
            rowPadding=6,
        ),
        "title": alt.TitleConfig(
            font=font,
            color=palette.ink,
            anchor="start",
            fontSize=17,
            fontWeight=600,
            offset=16,
        ),
    }
