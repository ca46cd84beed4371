"""The three regimes of each sweep: bars above the main plot, and lines down to the curve."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import altair as alt

from batchscope.analysis.findings import CurveFindings, Estimate
from batchscope.report import wording
from batchscope.report.axes import colour_of, faded, table
from batchscope.report.theme import Series, Style

_REGIMES = (("perfect scaling", 0.5), ("diminishing returns", 0.26), ("maximal", 0.1))
_BAR_PX = 17  # height of one sweep's bar with the gap below it
_CHARACTER_PX = 5.6  # mean width of a character of the bars' labels


def room_for_bars(
    series: Sequence[Series], inner: tuple[float, float], *, inner_px: int
) -> tuple[tuple[float, float], int]:
    """Returns the vertical domain and the height in pixels with room for bars above the data.

    Args:
        inner: the domain of the data, `inner_px` high.
    """
    height_px = _BAR_PX * len(_with_regimes(series))
    octaves = math.log2(inner[1] / inner[0]) * height_px / inner_px
    return (inner[0], inner[1] * 2**octaves), inner_px + height_px


def regime_bars(
    series: Sequence[Series],
    style: Style,
    picked: alt.Parameter,
    *,
    inner: tuple[float, float],
    inner_px: int,
) -> list[alt.Chart]:
    """Returns a bar per sweep, divided into its regimes, labelled where a label fits."""
    rows = list(_bars(series, inner, inner_px))
    if not rows:
        return []
    rectangles = [
        table([row for row in rows if row["regime"] == regime])
        .mark_rect(cornerRadius=2)
        .encode(
            alt.X("start:Q"),
            alt.X2("end:Q"),
            alt.Y("bottom:Q"),
            alt.Y2("top:Q"),
            colour_of(series),
            opacity=faded(picked, shade),
            tooltip=[
                alt.Tooltip("sweep:N", title="Sweep"),
                alt.Tooltip("regime:N", title="Regime"),
            ],
        )
        for regime, shade in _REGIMES
        if any(row["regime"] == regime for row in rows)
    ]
    # Whether a label fits depends on the screen.
    too_wide = "scale('x', datum.end) - scale('x', datum.start) < datum.label_px"
    labels = (
        table(rows)
        .mark_text(fontSize=10.5, color=style.palette.ink, tooltip=None)
        .encode(
            alt.X("middle:Q"),
            alt.Y("centre:Q"),
            alt.Text("regime:N"),
            opacity=alt.when(too_wide)
            .then(alt.value(0))
            .when(picked)
            .then(alt.value(1))
            .otherwise(alt.value(0)),
        )
    )
    return [*rectangles, labels]


def drop_lines(
    series: Sequence[Series], picked: alt.Parameter, *, examples: bool, top: float
) -> list[alt.Chart]:
    """Returns the lines that drop from where regimes meet to the curve below.

    Args:
        examples: whether the curve is drawn in examples rather than steps.
        top: where the lines start.
    """
    rows = []
    for one in _with_regimes(series):
        curve = _curve(one)
        excess = wording.percent(curve.tolerance)
        names = (f"End of perfect scaling ({excess})", f"Maximum useful batch size ({excess})")
        low, high = _measured(one)
        for name, turn in zip(names, _turns(curve), strict=True):
            if turn.value is None or turn.bound != "=" or not low <= turn.value <= high:
                continue
            rows.append(
                {
                    "sweep": one.label,
                    "batch_size": turn.value,
                    "top": top,
                    "value": _steps_on(curve, turn.value) * (turn.value if examples else 1),
                    "name": name,
                    "estimate": wording.estimate(turn),
                    "interval": wording.interval(turn),
                }
            )
    if not rows:
        return []
    return [
        table(rows)
        .mark_rule(strokeWidth=1.3, strokeDash=[4, 3])
        .encode(
            alt.X("batch_size:Q"),
            alt.Y("value:Q"),
            alt.Y2("top:Q"),
            colour_of(series),
            opacity=faded(picked, 0.75),
            tooltip=[
                alt.Tooltip("sweep:N", title="Sweep"),
                alt.Tooltip("name:N", title="Mark"),
                alt.Tooltip("estimate:N", title="Batch size"),
                alt.Tooltip("interval:N", title="Interval"),
            ],
        )
    ]


def _with_regimes(series: Sequence[Series]) -> list[Series]:
    """Returns the series whose curve says where perfect scaling ends."""
    return [
        one
        for one in series
        if one.sweep.studies
        and one.sweep.curve is not None
        and one.sweep.curve.points
        and one.sweep.curve.end_of_perfect_scaling.value is not None
    ]


def _curve(series: Series) -> CurveFindings:
    assert series.sweep.curve is not None
    return series.sweep.curve


def _measured(series: Series) -> tuple[float, float]:
    sizes = [study.batch_size for study in series.sweep.studies]
    return float(min(sizes)), float(max(sizes))


def _turns(curve: CurveFindings) -> tuple[Estimate, Estimate]:
    return curve.end_of_perfect_scaling, curve.maximum_useful_batch_size


def _bars(
    series: Sequence[Series], inner: tuple[float, float], inner_px: int
) -> Iterator[dict[str, Any]]:
    """Yields the pieces of the bars, the first sweep's on top, in the units of the axes."""
    known = _with_regimes(series)
    octaves = math.log2(inner[1] / inner[0]) * _BAR_PX / inner_px
    for place, one in enumerate(known):
        top = inner[1] * 2 ** (octaves * (len(known) - place))
        bottom = top / 2 ** (octaves * 0.86)
        for start, end, regime in _pieces(one):
            yield {
                "sweep": one.label,
                "start": start,
                "end": end,
                "middle": math.sqrt(start * end),
                "bottom": bottom,
                "top": top,
                "centre": math.sqrt(bottom * top),
                "regime": regime,
                "label_px": _CHARACTER_PX * len(regime) + 6,
            }


def _pieces(series: Series) -> Iterator[tuple[float, float, str]]:
    """Yields (start, end, regime) within the batch sizes measured."""
    low, high = _measured(series)
    # A turn that is not known lies beyond the batch sizes measured.
    ends, floors = (
        high if turn.value is None else min(max(turn.value, low), high)
        for turn in _turns(_curve(series))
    )
    edges = pairwise((low, ends, max(ends, floors), high))
    for (start, end), (regime, _) in zip(edges, _REGIMES, strict=True):
        if end > start:
            yield start, end, regime


def _steps_on(curve: CurveFindings, batch_size: float) -> float:
    """Returns the steps at the point of the curve nearest to `batch_size`."""
    return min(curve.points, key=lambda p: abs(math.log(p.batch_size / batch_size))).steps
