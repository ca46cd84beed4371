"""The main plot: steps (or examples) to result against batch size, log2 against log2."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import altair as alt

from batchscope.analysis.findings import StudyFindings
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
from batchscope.report.regimes import drop_lines, regime_bars, room_for_bars
from batchscope.report.theme import Series, Style

Quantity = Literal["steps", "examples"]
TITLES = {"steps": "Steps to result", "examples": "Examples to result"}


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
    y_domain, height = room_for_bars(series, inner, inner_px=MAIN_HEIGHT)
    picked = pick_series()

    x = batch_size_x(x_domain)
    y = alt.Y("value:Q", scale=log2_scale(y_domain), axis=log2_axis(inner), title=TITLES[quantity])
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
                x,
                alt.Y("low:Q", title=TITLES[quantity]),
                alt.Y2("high:Q"),
                colour,
                opacity=faded(picked, 0.14),
                tooltip=alt.value(None),
            )
        )
        line = table(curves).mark_line(strokeWidth=2.2, clip=True)
        layers.append(
            line.encode(
                x,
                y,
                colour,
                dash_of(series),
                opacity=faded(picked, 0.95),
                tooltip=alt.value(None),
            )
        )
    layers += regime_bars(series, style, picked, inner=inner, inner_px=MAIN_HEIGHT)
    layers += drop_lines(series, picked, examples=quantity == "examples", top=inner[1])
    spanned = [row for row in points if row["low"] < row["high"]]
    if spanned:
        spans = table(spanned).mark_rule(strokeWidth=1.6, clip=True)
        layers.append(
            spans.encode(
                x,
                alt.Y("low:Q", title=TITLES[quantity]),
                alt.Y2("high:Q"),
                colour,
                opacity=faded(picked, 0.85),
            )
        )
    layers.append(
        table([row for row in points if row["reached"]])
        .mark_point(filled=True, size=70, stroke=style.palette.paper, strokeWidth=1.2)
        .encode(
            x,
            y,
            colour_of(series),
            shape_of(series),
            opacity=faded(picked, 1.0),
            tooltip=_tooltips(),
        )
        .add_params(picked)
    )
    censored = [row for row in points if not row["reached"]]
    if censored:
        layers.append(
            table(censored)
            .mark_point(shape="triangle-up", size=120, strokeWidth=2, fill=style.palette.paper)
            .encode(x, y, colour, opacity=faded(picked, 1.0), tooltip=_tooltips())
        )
    return finish([*layers], style, height=height)


def _scale(batch_size: float, quantity: Quantity) -> float:
    """Returns what one step counts for: itself, or the examples in it."""
    return 1.0 if quantity == "steps" else batch_size


def _points(series: Series, quantity: Quantity) -> Iterator[dict[str, Any]]:
    for study in filter(wording.is_measured, series.sweep.studies):
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
    return {
        "steps_text": wording.steps(study),
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


def _tooltips() -> list[alt.Tooltip]:
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
