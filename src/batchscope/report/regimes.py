"""The three regimes of each sweep: bars above the main plot, and lines down to the curve."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import altair as alt

from batchscope.analysis.findings import CurveFindings, Estimate
from batchscope.report import wording
from batchscope.report.axes import MAIN_HEIGHT, colour_of, faded, table
from batchscope.report.theme import Series, Style

_STRIP_PX = 17  # height of one sweep's row of regimes, above the data
_CHARACTER_PX = 5.6  # mean width of a character of the strip's labels


def regimes(
    series: Sequence[Series], inner: tuple[float, float]
) -> tuple[tuple[float, float], list[dict[str, Any]]]:
    """Returns the vertical domain with room for the strips, and the strips in its units."""
    fitted = [s for s in series if s.sweep.curve is not None and s.sweep.studies]
    if not fitted:
        return inner, []
    octaves = math.log2(inner[1] / inner[0])
    share = _STRIP_PX * len(fitted) / MAIN_HEIGHT
    octaves_per_strip = octaves * share / (1 - share) / len(fitted)
    rows = []
    for place, one in enumerate(fitted):
        top = inner[1] * 2 ** (octaves_per_strip * (len(fitted) - place))
        bottom = top / 2 ** (octaves_per_strip * 0.86)
        for start, end, regime, shade in _segments(one):
            rows.append(
                {
                    "sweep": one.label,
                    "start": start,
                    "end": end,
                    "middle": math.sqrt(start * end),
                    "bottom": bottom,
                    "top": top,
                    "centre": math.sqrt(bottom * top),
                    "regime": regime,
                    "shade": shade,
                    "room_px": _CHARACTER_PX * len(regime) + 6,
                }
            )
    return (inner[0], inner[1] * 2 ** (octaves_per_strip * len(fitted))), rows


def _segments(series: Series) -> Iterator[tuple[float, float, str, float]]:
    """Yields the regimes of a sweep within the batch sizes measured, with their shades."""
    curve = series.sweep.curve
    assert curve is not None
    sizes = [study.batch_size for study in series.sweep.studies]
    low, high = float(min(sizes)), float(max(sizes))
    turns = [_clamped(turn.value, low, high) for turn in _turns(curve)]
    edges = [low, turns[0], max(turns), high]
    regimes = (("perfect scaling", 0.5), ("diminishing returns", 0.26), ("maximal", 0.1))
    for (start, end), (regime, shade) in zip(pairwise(edges), regimes, strict=True):
        if end > start:
            yield start, end, regime, shade


def _turns(curve: CurveFindings) -> tuple[Estimate, Estimate]:
    return curve.end_of_perfect_scaling, curve.maximum_useful_batch_size


def _clamped(value: float | None, low: float, high: float) -> float:
    """Returns `value` within the measured range; an unknown turn lies beyond it."""
    return high if value is None else min(max(value, low), high)


def regime_bars(
    strips: list[dict[str, Any]], series: Sequence[Series], style: Style, picked: alt.Parameter
) -> list[alt.Chart]:
    if not strips:
        return []
    x, x2 = alt.X("start:Q", title="Batch size"), alt.X2("end:Q")
    rectangles = [
        table([row for row in strips if row["shade"] == shade])
        .mark_rect(cornerRadius=2)
        .encode(
            x,
            x2,
            alt.Y("bottom:Q"),
            alt.Y2("top:Q"),
            colour_of(series),
            opacity=faded(picked, shade),
            tooltip=[
                alt.Tooltip("sweep:N", title="Sweep"),
                alt.Tooltip("regime:N", title="Regime"),
            ],
        )
        for shade in sorted({row["shade"] for row in strips})
    ]
    # A label shows only where its segment is wide enough, which depends on the screen.
    fits = "scale('x', datum.end) - scale('x', datum.start) > datum.room_px"
    labels = (
        table(strips)
        .mark_text(fontSize=10.5, color=style.palette.ink, tooltip=None)
        .encode(
            alt.X("middle:Q"),
            alt.Y("centre:Q"),
            alt.Text("regime:N"),
            opacity=alt.when(fits).then(alt.value(1)).otherwise(alt.value(0)),
        )
    )
    return [*rectangles, labels]


def drop_lines(
    series: Sequence[Series],
    *,
    examples: bool,
    top: float,
    picked: alt.Parameter,
) -> list[alt.Chart]:
    """Returns the lines that drop from the turns of each strip to the curve below."""
    rows = []
    for one in series:
        curve = one.sweep.curve
        if curve is None or not one.sweep.studies:
            continue
        excess = wording.percent(curve.tolerance)
        names = (f"End of perfect scaling ({excess})", f"Maximum useful batch size ({excess})")
        sizes = [study.batch_size for study in one.sweep.studies]
        for name, turn in zip(names, _turns(curve), strict=True):
            inside = turn.value is not None and min(sizes) <= turn.value <= max(sizes)
            if turn.value is None or turn.bound != "=" or not inside:
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


def _steps_on(curve: CurveFindings, batch_size: float) -> float:
    """Returns the steps of the curve's nearest point."""
    nearest = min(curve.points, key=lambda p: abs(math.log(p.batch_size / batch_size)))
    return nearest.steps
