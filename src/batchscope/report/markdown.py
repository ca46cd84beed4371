"""The findings as Markdown: short enough for a review comment or a pipeline's artifact view.

No HTML is used: the pipeline's viewer shows it as text.
"""

import re
from collections.abc import Iterator, Sequence

from batchscope.analysis.findings import Comparison, CurveFindings, Findings, SweepFindings
from batchscope.report import wording
from batchscope.report.theme import FIGURE_STYLE, series_of

# Everything that Markdown or the HTML inside it could take for markup.
_MARKUP = re.compile(r"([\\`*_\[\]<>&|#~$])")


def to_markdown(findings: Findings) -> str:
    """Returns the answers in words, the key numbers and the studies as GitHub Markdown."""
    lines = ["# Steps to result against batch size", ""]
    if not findings.sweeps:
        lines += ["There is no sweep to report on.", ""]
    named = [(one.label, one.sweep) for one in series_of(findings, FIGURE_STYLE)]
    for label, sweep in named:
        lines += [f"**{escape(label)}**: {escape(sweep.headline)}", ""]
    for comparison in findings.comparisons:
        lines += [escape(comparison.sentence), ""]
    lines += _key_numbers([(label, s.curve) for label, s in named if s.curve is not None])
    for comparison in findings.comparisons:
        lines += _comparison(comparison)
    lines += _reservations(named)
    for label, sweep in named:
        lines += _studies(label, sweep)
    for label, sweep in named:
        lines += [f"{escape(label)}: {escape(provenance(sweep))}", ""]
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """Returns `text` on one line, with nothing in it that reads as Markdown or HTML."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split())).replace("\\<", "&lt;")


def provenance(sweep: SweepFindings) -> str:
    """Returns what was measured, and with what, on one line."""
    versions = ", ".join(f"{name} {version}" for name, version in sweep.versions.items())
    parts = [
        f"{sweep.model} on {sweep.dataset}",
        f"{sweep.optimizer} with {sweep.schedule}",
        f"goal {sweep.goal}",
        f"seed {sweep.seed}",
        f"pruning {sweep.prune}",
    ]
    return ", ".join(parts) + (f"; {versions}" if versions else "")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a table: the first column to the left, numbers to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return ["| " + " | ".join(cells) + " |" for cells in (header, rule, *rows)] + [""]


def _key_numbers(curves: Sequence[tuple[str, CurveFindings]]) -> list[str]:
    if not curves:
        return []
    columns = [wording.key_numbers(curve) for _, curve in curves]
    rows = []
    for place, (name, _, _) in enumerate(columns[0]):
        cells = []
        for column in columns:
            value = column[place][2]
            span = wording.interval(value)
            cells.append(wording.estimate(value) + (f" ({span})" if span else ""))
        rows.append([escape(name), *cells])
    level = wording.percent(curves[0][1].critical_batch_size.level)
    return _table([f"With {level} intervals", *(escape(label) for label, _ in curves)], rows)


def _comparison(comparison: Comparison) -> list[str]:
    ratios = (
        ("End of perfect scaling", comparison.end_of_perfect_scaling),
        ("Critical batch size", comparison.critical_batch_size),
        ("Maximum useful batch size", comparison.maximum_useful_batch_size),
    )
    rows = [[name, wording.estimate(r), wording.interval(r) or "–"] for name, r in ratios]
    title = f"{escape(comparison.second)} ÷ {escape(comparison.first)}"
    return _table([title, "Ratio", "Interval"], rows)


def _reservations(named: Sequence[tuple[str, SweepFindings]]) -> list[str]:
    lines = [
        f"- {escape(label)}: {escape(text)}"
        for label, sweep in named
        for text in (*sweep.problems, *sweep.notes)
    ]
    return ["**Notes**", "", *lines, ""] if lines else []


def _studies(label: str, sweep: SweepFindings) -> list[str]:
    if not sweep.studies:
        return []
    header = [
        *wording.STUDY_HEADINGS,
        "Effective learning rate",
    ]
    return [f"### Studies of {escape(label)}", "", *_table(header, list(_study_rows(sweep)))]


def _study_rows(sweep: SweepFindings) -> Iterator[list[str]]:
    for study in sweep.studies:
        incomplete = study.counts.get("INCOMPLETE", 0) + study.missing_trials
        yield [
            wording.number(study.batch_size),
            wording.steps(study),
            (wording.interval(study.interval) if study.interval else "") or wording.UNKNOWN,
            wording.number(study.examples_to_result),
            *(f"{study.counts.get(s, 0):,}" for s in ("COMPLETE", "PRUNED", "INFEASIBLE")),
            f"{incomplete:,}",
            wording.number(study.effective_learning_rate),
        ]
