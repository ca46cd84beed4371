"""The parts of the page, in reading order."""

from collections.abc import Iterable, Sequence

from batchscope.analysis.findings import Findings
from batchscope.report import wording
from batchscope.report.page_tables import key_numbers_table, study_table
from batchscope.report.page_text import swatch, text
from batchscope.report.plots import MAIN, Plot
from batchscope.report.theme import PAGE_STYLE, Series, series_of

_HOW_TO_READ = """
<p>Training with a larger batch takes fewer steps to reach the same quality. How many fewer is what
this report measures. At every batch size the metaparameters (learning rate and the like) are tuned
anew, and <strong>steps to result</strong> is the fewest training steps with which any trial first
passes the goal.</p>
<ul>
<li><strong>Perfect scaling</strong>: doubling the batch size halves the steps. Machines added are
machines well used. The line falls with slope −1.</li>
<li><strong>Diminishing returns</strong>: doubling still helps, by less than half.</li>
<li><strong>Maximal data parallelism</strong>: a larger batch gains nothing. The line is flat.</li>
</ul>
<p>The fitted curve is <span class="formula">S(B) = S<sub>min</sub> (1 + (B<sub>c</sub> /
B)<sup>g</sup>)<sup>1/g</sup></span>: S<sub>min</sub> steps are the fewest however large the batch,
the <strong>critical batch size</strong> B<sub>c</sub> is where the two straight lines meet, and g
says how sharp the bend is. Examples processed are steps times batch size, at least E<sub>min</sub>
= S<sub>min</sub> B<sub>c</sub>. A bar or a band shows the range that the measurements leave open;
“≥” means that the batch sizes measured end before the number does.</p>
<p>Hover or tap a point for its details. Click a name above a plot to show that sweep alone, again
to add or remove others.</p>
"""
_ABOUT_STUDIES = """
<p>Trials are counted by how they ended. Optimism is how many more steps the best of half the trials
takes; bold where the batch size needs more trials. η / (1 − μ) is the effective learning rate.</p>
"""


def title_of(findings: Findings) -> str:
    """Returns the report's title, naming the workload where all sweeps share one."""
    workloads = {f"{s.model} on {s.dataset}" for s in findings.sweeps}
    if len(workloads) == 1:
        return f"How far does batch size scale? {workloads.pop()}"
    return "How far does batch size scale?"


def body(findings: Findings, drawn: Sequence[Plot]) -> str:
    """Returns everything between the page's head and its scripts."""
    series = series_of(findings, PAGE_STYLE)
    parts = [
        _header(findings, series),
        _key_numbers(findings, series),
        _reservations(series),
        _scaling(drawn),
        _comparisons(drawn),
        _small_multiples(
            drawn,
            "trials",
            "Every trial",
            "When each trial reached the goal, side by side within its batch size. The ring marks "
            "the trial that counts. Pruned trials were stopped once they could no longer be the "
            "best; infeasible ones diverged: both are part of the measurement.",
        ),
        _small_multiples(
            drawn,
            "learning rate",
            "Best learning rate",
            "The effective learning rate η / (1 − μ) of the best trial, beside the two common "
            "rules for scaling it with the batch size. Each rule’s line is placed to pass through "
            "the geometric mean of the points.",
        ),
        _small_multiples(
            drawn,
            "metaparameters",
            "Best metaparameters",
            "The winning trial’s values. A ring marks a value near an edge of the search space.",
        ),
        _small_multiples(drawn, "trust", "Can the curve be trusted?", "", captions=True),
        _small_multiples(
            drawn,
            "fits",
            "Three fits",
            "Simpler fits to the same points, as a check only: a hyperbola (g = 1) bends too "
            "softly, and two straight lines too sharply.",
        ),
        _studies(series),
        f'<section id="how"><h2>How to read this</h2>{_HOW_TO_READ}</section>',
        _provenance(series),
    ]
    return f"<main>{''.join(parts)}</main>"


def _header(findings: Findings, series: Sequence[Series]) -> str:
    title = text(title_of(findings)).replace("scale? ", 'scale? <span class="workload">', 1)
    title += "</span>" if "<span" in title else ""
    answers = [
        f'<div class="answer" style="--mark:{one.colour}"><h2>{swatch(one)} {text(one.label)}</h2>'
        f"<p>{text(one.sweep.headline)}</p></div>"
        for one in series
    ]
    compared = [f'<p class="compared">{text(c.sentence)}</p>' for c in findings.comparisons]
    nothing = "" if series else "<p>There is no sweep to report on.</p>"
    return (
        f'<header><h1>{title}</h1>{nothing}<div class="answers">{"".join(answers)}</div>'
        f"{''.join(compared)}</header>"
    )


def _key_numbers(findings: Findings, series: Sequence[Series]) -> str:
    fitted = [one for one in series if one.sweep.curve is not None]
    if not fitted:
        return ""
    table = key_numbers_table(fitted, findings.comparisons)
    return f'<section id="numbers"><h2>Key numbers</h2>{table}</section>'


def _reservations(series: Sequence[Series]) -> str:
    def items(texts: Iterable[tuple[Series, str]]) -> str:
        return "".join(f"<li>{swatch(one)} <span>{text(t)}</span></li>" for one, t in texts)

    problems = items((one, t) for one in series for t in one.sweep.problems)
    notes = items((one, t) for one in series for t in one.sweep.notes)
    parts = []
    if problems:
        parts.append(f'<div class="problems"><h3>Could not be read</h3><ul>{problems}</ul></div>')
    if notes:
        parts.append(f'<div class="notes"><h3>Worth knowing</h3><ul>{notes}</ul></div>')
    return f'<aside id="notes" aria-label="Notes">{"".join(parts)}</aside>' if parts else ""


def _figure(plot: Plot, *, heading: str, caption: str, size: str) -> str:
    marked = text(plot.title)
    words = f"<p>{text(caption)}</p>" if caption else ""
    return (
        f'<figure class="{size}"><figcaption><{heading}>{marked}</{heading}>{words}</figcaption>'
        f'<div class="plot" data-plot="{text(plot.name)}" role="img" '
        f'aria-label="{text(plot.alt_text)}"><noscript>This plot needs scripts; the numbers are '
        "in the tables.</noscript></div></figure>"
    )


def _scaling(drawn: Sequence[Plot]) -> str:
    figures = [
        _figure(
            plot,
            heading="h2",
            caption=plot.caption,
            size="main" if plot.name == MAIN else "wide",
        )
        for plot in drawn
        if plot.section == "scaling"
    ]
    return f'<section id="curve">{"".join(figures)}</section>' if figures else ""


def _comparisons(drawn: Sequence[Plot]) -> str:
    chosen = [plot for plot in drawn if plot.section == "comparison"]
    if not chosen:
        return ""
    figures = "".join(
        _figure(plot, heading="h3", caption=plot.caption, size="small") for plot in chosen
    )
    return (
        '<section id="comparison"><h2>Steps of one sweep over another</h2>'
        f'<div class="grid">{figures}</div></section>'
    )


def _small_multiples(
    drawn: Sequence[Plot], section: str, title: str, lead: str, *, captions: bool = False
) -> str:
    chosen = [plot for plot in drawn if plot.section == section]
    if not chosen:
        return ""
    figures = "".join(
        _figure(plot, heading="h3", caption=plot.caption if captions else "", size="small")
        for plot in chosen
    )
    words = f"<p>{text(lead)}</p>" if lead else ""
    return (
        f'<section id="{section.replace(" ", "-")}"><h2>{text(title)}</h2>{words}'
        f'<div class="grid">{figures}</div></section>'
    )


def _studies(series: Sequence[Series]) -> str:
    parts = [
        f"<h3>{swatch(one)} {text(one.label)}</h3>{study_table(one)}"
        for one in series
        if one.sweep.studies
    ]
    if not parts:
        return ""
    return (
        f'<section id="studies"><h2>All batch sizes</h2>{_ABOUT_STUDIES}{"".join(parts)}</section>'
    )


def _provenance(series: Sequence[Series]) -> str:
    blocks = []
    for one in series:
        sweep = one.sweep
        facts = {
            "Workload": f"{sweep.model} on {sweep.dataset}",
            "Optimizer": f"{sweep.optimizer}, schedule {sweep.schedule}",
            "Goal": sweep.goal,
            "Seed": str(sweep.seed),
            "Pruning": sweep.prune,
            "Versions": ", ".join(f"{k} {v}" for k, v in sweep.versions.items()) or wording.UNKNOWN,
        }
        listed = "".join(f"<dt>{k}</dt><dd>{text(v)}</dd>" for k, v in facts.items())
        about = f"<p>{text(sweep.description)}</p>" if sweep.description else ""
        blocks.append(
            f"<div><h3>{swatch(one)} {text(one.label)}</h3>{about}<dl>{listed}</dl></div>"
        )
    return (
        '<footer id="provenance"><h2>Provenance</h2>'
        f'<div class="grid">{"".join(blocks)}</div>'
        "<p>The method is that of Shallue et al., Measuring the Effects of Data Parallelism on "
        "Neural Network Training, JMLR 20 (2019).</p></footer>"
        if blocks
        else ""
    )
