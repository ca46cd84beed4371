"""The plots of a report, in order, each with its title, caption and words for who cannot see it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import altair as alt
from altair.utils.schemapi import debug_mode

from batchscope.analysis.findings import Findings
from batchscope.report import wording
from batchscope.report.check_plots import diagnostics_plot, optimism_plot, ratio_plot, slopes_plot
from batchscope.report.metaparameter_plots import (
    learning_rate_plot,
    metaparameter_plot,
    varied_names,
)
from batchscope.report.scaling_plot import scaling_plot
from batchscope.report.theme import FIGURE_STYLE, Series, Style, series_of
from batchscope.report.trials_plot import trials_plot

MAIN = "steps_to_result"
_GROUPS = {
    "trials": "All trials",
    "learning rate": "Best effective learning rate",
    "metaparameters": "Best metaparameters",
    "fits": "Three fits",
    "comparison": "Steps",
}


@dataclass(frozen=True)
class Plot:
    """One plot of a report.

    Attributes:
        name: names its files; letters, digits, `_`, `-` and `.`.
        section: the part of the report it belongs to.
        caption: how to read it, one or two sentences.
        alt_text: what it shows, for readers who cannot see it.
    """

    name: str
    section: str
    title: str
    caption: str
    alt_text: str
    chart: alt.LayerChart


def figures(findings: Findings) -> dict[str, alt.LayerChart]:
    """Returns the report's plots by name, titled and in print colours, as Altair charts."""
    return {
        plot.name: plot.chart.properties(title=alt.TitleParams(_figure_title(plot)))
        for plot in plots(findings, FIGURE_STYLE)
    }


def plots(findings: Findings, style: Style) -> tuple[Plot, ...]:
    """Returns the plots that `findings` have something to show in, in the report's order."""
    series = tuple(s for s in series_of(findings, style) if s.sweep.studies)
    if not series:
        return ()
    # Altair would check every part of a chart against Vega-Lite's schema: seconds per report
    with debug_mode(False):
        return tuple(_all_plots(findings, series, style))


def _all_plots(findings: Findings, series: tuple[Series, ...], style: Style) -> Iterator[Plot]:
    yield from (
        *_scaling(series, style),
        *_trials(series, style),
        *_metaparameters(series, style),
        *_checks(series, style),
        *_comparisons(findings, series, style),
    )


def _scaling(series: tuple[Series, ...], style: Style) -> Iterator[Plot]:
    yield Plot(
        MAIN,
        "scaling",
        "Steps to result against batch size",
        "Each point is the fewest training steps to the goal at that batch size, over all trials, "
        "with its interval; the line is the fitted curve with its pointwise band. Dotted: perfect "
        "scaling. The bars on top are the three regimes, and the dashed lines drop from their "
        "ends to the curve. Triangles: not reached in that many steps.",
        _scaling_words(series),
        scaling_plot(series, style, "steps"),
    )
    yield Plot(
        "examples_to_result",
        "scaling",
        "Examples to result against batch size",
        "The same measurements as examples processed, steps × batch size: the cost of the "
        "training. Flat while scaling is perfect; where it doubles with the batch size, a larger "
        "batch buys nothing.",
        "Examples to result against batch size, log-log: the steps times the batch size.",
        scaling_plot(series, style, "examples"),
    )


def _scaling_words(series: tuple[Series, ...]) -> str:
    parts = []
    for one in series:
        reached = [s for s in one.sweep.studies if s.steps_to_result is not None]
        if not reached:
            parts.append(f"{one.label} never reached the goal.")
            continue
        first, last = reached[0], reached[-1]
        parts.append(
            f"{one.label} falls from {wording.number(first.steps_to_result)} steps at batch size "
            f"{wording.number(first.batch_size)} to {wording.number(last.steps_to_result)} at "
            f"{wording.number(last.batch_size)}."
        )
    return "Steps to result against batch size, log-log. " + " ".join(parts)


def _trials(series: tuple[Series, ...], style: Style) -> Iterator[Plot]:
    for one in series:
        if not any(study.trials for study in one.sweep.studies):
            continue
        yield Plot(
            _file_name("trials", one),
            "trials",
            one.label,
            "",
            f"Every trial of {one.label}: the steps at which it reached the goal, or was pruned, "
            "diverged or used up its budget without.",
            trials_plot(one, style),
        )


def _metaparameters(series: tuple[Series, ...], style: Style) -> Iterator[Plot]:
    for one in series:
        rates = [s.effective_learning_rate for s in one.sweep.studies if s.effective_learning_rate]
        if len(rates) > 1:
            yield Plot(
                _file_name("effective_learning_rate", one),
                "learning rate",
                one.label,
                "",
                f"Best effective learning rate of {one.label} at each batch size, from "
                f"{wording.number(rates[0])} to {wording.number(rates[-1])}, beside linear and "
                "square-root scaling.",
                learning_rate_plot(one, style),
            )
    for index, name in enumerate(varied_names(series)):
        yield Plot(
            f"best_{_slug(name) or index}",
            "metaparameters",
            name,
            "",
            f"Best value of {name} at each batch size.",
            metaparameter_plot(series, name, style),
        )


def _checks(series: tuple[Series, ...], style: Style) -> Iterator[Plot]:
    if any(study.optimism_log2 is not None for s in series for study in s.sweep.studies):
        needy = sum(study.needs_more_trials for s in series for study in s.sweep.studies)
        yield Plot(
            "optimism",
            "trust",
            "Would more trials help?",
            "How many more steps the best of half the trials takes, in doublings. What differs "
            "between batch sizes bends the curve. Filled, above the dashed line: this batch size "
            "needs more trials.",
            f"Optimism of the best of n trials at each batch size; {needy} studies need more.",
            optimism_plot(series, style),
        )
    sloped = tuple(s for s in series if s.sweep.curve is not None and s.sweep.curve.slopes)
    if sloped:
        yield Plot(
            "slopes",
            "trust",
            "Local slopes",
            "Between neighbouring batch sizes, as measured. −1 is perfect scaling, 0 no gain; "
            "below −1 scaling is better than perfect.",
            "Slopes of log steps against log batch size between neighbouring batch sizes.",
            slopes_plot(sloped, style),
        )
    for one in (s for s in series if s.sweep.curve is not None and s.sweep.curve.points):
        yield Plot(
            _file_name("fits", one),
            "fits",
            one.label,
            "",
            f"The fitted curve of {one.label} beside a hyperbola and a piecewise linear fit.",
            diagnostics_plot(one, style),
        )


def _comparisons(findings: Findings, series: tuple[Series, ...], style: Style) -> Iterator[Plot]:
    by_name = {one.sweep.name: one for one in series}
    for index, comparison in enumerate(findings.comparisons):
        if not any(ratio.value for _, ratio in comparison.steps):
            continue
        yield Plot(
            "steps_ratio" if index == 0 else f"steps_ratio_{index + 1}",
            "comparison",
            f"{comparison.second} ÷ {comparison.first}",
            "Below 1 the second sweep needs fewer steps than the first.",
            f"Steps to result of {comparison.second} over those of {comparison.first} at each "
            "batch size.",
            ratio_plot(comparison, by_name.get(comparison.second), style),
        )


def _figure_title(plot: Plot) -> str:
    """Returns a title that stands without the report's headings around it."""
    group = _GROUPS.get(plot.section)
    return f"{group}: {plot.title}" if group else plot.title


def _slug(text: str) -> str:
    """Returns `text` with only letters, digits, `_`, `-` and `.` that any file system takes."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("._")[:60]


def _file_name(prefix: str, series: Series) -> str:
    """Returns a file name for one sweep's plot; the index keeps alike names apart."""
    return f"{prefix}_{series.index + 1}_{_slug(series.sweep.name)}".rstrip("_")
