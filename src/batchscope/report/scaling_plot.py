"""The main plot: steps (or examples) to result against batch size, log2 against log2."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import altair as alt

from batchscope.analysis.findings import CurveFindings, StudyFindings
from batchscope.report import wording
from batchscope.report.axes import (
    MAIN_HEIGHT,
    batch_domain,
    batch_size_x,
    colour_of,
    dash_of,
    faded,
    finish,
    log2_axis,
    log2_scale,
    padded,
    pick_series,
    shape_of,
    table,
)
from batchscope.report.theme import Series, Style

Quantity = Literal["steps", "examples"]
TITLES = {"steps": "Steps to result", "examples": "Examples to result"}
_STRIP_PX = 17  # height of one sweep's row of regimes, above the data
_CHARACTER_PX = 5.6  # mean width of a character of the strip's labels


def scaling_plot(series: Sequence[Series], style: Style, quantity: Quantity) -> alt.LayerChart:
    """Returns measured points with intervals, fitted curves with bands, and the regimes.

    Clicking a legend entry shows that sweep alone; further clicks add and remove sweeps.
    """
    points = [row for s in series for row in _points(s, quantity)]
    curves = [row for s in series for row in _curve(s, quantity)]
    x_domain = batch_domain(series)
    inner = padded(
        [row[end] for row in points for end in ("low", "high")]
        + [row["value"] for row in curves if x_domain[0] <= row["batch_size"] <= x_domain[1]],
        octaves=0.35,
    )
    y_domain, strips = _regimes(series, inner)
    picked = pick_series()

    x = batch_size_x(x_domain)
    y = alt.Y(
        "value:Q", scale=log2_scale(y_domain), axis=log2_axis(inner), title=TITLES[quantity]
    )
    colour = colour_of(series)
    layers: list[alt.Chart] = []

    perfect = [row for s in series for row in _perfect_scaling(s, quantity, x_domain)]
    if perfect:
        layers.append(
            table(perfect)
            .mark_line(strokeWidth=1, strokeDash=[1, 3], strokeCap="round", clip=True)
            .encode(x, y, colour, opacity=faded(picked, 0.9), tooltip=alt.value(None))
        )
    if curves:
        band = table(curves).mark_area(clip=True, line=False)
        layers.append(
            band.encode(
                x, alt.Y("low:Q", title=TITLES[quantity]), alt.Y2("high:Q"), colour,
                opacity=faded(picked, 0.14), tooltip=alt.value(None),
            )
        )
        line = table(curves).mark_line(strokeWidth=2.2, clip=True)
        layers.append(
            line.encode(
                x, y, colour, dash_of(series),
                opacity=faded(picked, 0.95), tooltip=alt.value(None),
            )
        )
    layers += _strip_layers(strips, series, style, picked)
    layers += _marks_layers(series, quantity, inner, picked)

    spans = table([row for row in points if row["low"] < row["high"]])
    layers.append(
        spans.mark_rule(strokeWidth=1.6, clip=True).encode(
            x, alt.Y("low:Q", title=TITLES[quantity]), alt.Y2("high:Q"), colour,
            opacity=faded(picked, 0.85),
        )
    )
    layers.append(
        table([row for row in points if row["reached"]])
        .mark_point(filled=True, size=70, stroke=style.palette.paper, strokeWidth=1.2)
        .encode(
            x, y, colour_of(series), shape_of(series),
            opacity=faded(picked, 1.0), tooltip=_tooltips(quantity),
        )
        .add_params(picked)
    )
    censored = [row for row in points if not row["reached"]]
    if censored:
        layers.append(
            table(censored)
            .mark_point(shape="triangle-up", size=120, strokeWidth=2, fill=style.palette.paper)
            .encode(x, y, colour, opacity=faded(picked, 1.0), tooltip=_tooltips(quantity))
        )
    return finish(alt.layer(*layers), style, height=MAIN_HEIGHT)


def _scale(study_or_batch: float, quantity: Quantity) -> float:
    """Returns what one step counts for: itself, or the examples in it."""
    return 1.0 if quantity == "steps" else study_or_batch


def _points(series: Series, quantity: Quantity) -> Iterator[dict[str, Any]]:
    for study in series.sweep.studies:
        factor = _scale(study.batch_size, quantity)
        steps = study.steps_to_result
        reached = steps is not None
        value = float(steps if steps is not None else max(1, study.steps_after))
        span = study.interval if reached else None
        low = span.low if span and span.low else value
        high = span.high if span and span.high else value
        yield {
            "sweep": series.label,
            "batch_size": study.batch_size,
            "value": value * factor,
            "low": low * factor,
            "high": high * factor,
            "reached": reached,
            **_facts(study),
        }


def _facts(study: StudyFindings) -> dict[str, str]:
    """Returns the tooltip's texts."""
    if study.steps_to_result is None:
        steps = f"not reached in {wording.number(study.steps_after)} steps"
    else:
        steps = wording.number(study.steps_to_result)
    return {
        "steps_text": steps,
        "interval_text": _interval(study),
        "examples_text": wording.number(study.examples_to_result),
        "trials_text": wording.counts(study),
        "best_text": wording.parameters(study.best_parameters),
    }


def _interval(study: StudyFindings) -> str:
    if study.interval is None:
        return wording.UNKNOWN
    text = wording.interval(study.interval) or wording.UNKNOWN
    return f"{text} ({wording.percent(study.interval.level)})"


def _tooltips(quantity: Quantity) -> list[alt.Tooltip]:
    del quantity  # both plots tell the same facts of a study
    return [
        alt.Tooltip("sweep:N", title="Sweep"),
        alt.Tooltip("batch_size:Q", title="Batch size", format=","),
        alt.Tooltip("steps_text:N", title="Steps to result"),
        alt.Tooltip("interval_text:N", title="Interval, steps"),
        alt.Tooltip("examples_text:N", title="Examples"),
        alt.Tooltip("trials_text:N", title="Trials"),
        alt.Tooltip("best_text:N", title="Best trial"),
    ]


def _curve(series: Series, quantity: Quantity) -> Iterator[dict[str, Any]]:
    for point in series.sweep.curve.points if series.sweep.curve else ():
        factor = _scale(point.batch_size, quantity)
        yield {
            "sweep": series.label,
            "batch_size": point.batch_size,
            "value": point.steps * factor,
            "low": point.low * factor,
            "high": point.high * factor,
        }


def _perfect_scaling(
    series: Series, quantity: Quantity, x_domain: tuple[float, float]
) -> Iterator[dict[str, Any]]:
    """Yields the ends of the line steps = E_min / B that the curve leaves as B grows."""
    examples = series.sweep.curve.minimum_examples.value if series.sweep.curve else None
    if examples is None:
        return
    for batch_size in x_domain:
        yield {
            "sweep": series.label,
            "batch_size": batch_size,
            "value": examples / batch_size * _scale(batch_size, quantity),
        }


def _regimes(
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


def _turns(curve: CurveFindings) -> tuple[Any, Any]:
    return curve.end_of_perfect_scaling, curve.maximum_useful_batch_size


def _clamped(value: float | None, low: float, high: float) -> float:
    """Returns `value` within the measured range; an unknown turn lies beyond it."""
    return high if value is None else min(max(value, low), high)


def _strip_layers(
    strips: list[dict[str, Any]], series: Sequence[Series], style: Style, picked: alt.Parameter
) -> list[alt.Chart]:
    if not strips:
        return []
    x, x2 = alt.X("start:Q", title="Batch size"), alt.X2("end:Q")
    rectangles = [
        table([row for row in strips if row["shade"] == shade])
        .mark_rect(cornerRadius=2)
        .encode(
            x, x2, alt.Y("bottom:Q"), alt.Y2("top:Q"), colour_of(series),
            opacity=faded(picked, shade),
            tooltip=[alt.Tooltip("sweep:N", title="Sweep"), alt.Tooltip("regime:N", title="Regime")],
        )
        for shade in sorted({row["shade"] for row in strips})
    ]
    # A label shows only where its segment is wide enough, which depends on the screen.
    fits = "scale('x', datum.end) - scale('x', datum.start) > datum.room_px"
    labels = (
        table(strips)
        .mark_text(fontSize=10.5, color=style.palette.ink, tooltip=None)
        .encode(
            alt.X("middle:Q"), alt.Y("centre:Q"), alt.Text("regime:N"),
            opacity=alt.when(fits).then(alt.value(1)).otherwise(alt.value(0)),
        )
    )
    return [*rectangles, labels]


def _marks_layers(
    series: Sequence[Series],
    quantity: Quantity,
    inner: tuple[float, float],
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
                    "top": inner[1],
                    "value": _steps_on(curve, turn.value) * _scale(turn.value, quantity),
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
            alt.X("batch_size:Q"), alt.Y("value:Q"), alt.Y2("top:Q"),
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
