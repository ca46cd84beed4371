"""The page's tables: key numbers, comparisons, studies."""

from collections.abc import Sequence

from batchscope.analysis.findings import Comparison, CurveFindings, Estimate, StudyFindings
from batchscope.report import wording
from batchscope.report.page_text import scrolling_table, swatch, text
from batchscope.report.theme import Series


def key_numbers_table(fitted: Sequence[Series]) -> str:
    """Returns the numbers of each curve, one sweep a column."""
    curves: list[CurveFindings] = [s.sweep.curve for s in fitted if s.sweep.curve is not None]
    columns = [wording.key_numbers(curve) for curve in curves]
    level = wording.percent(curves[0].critical_batch_size.level)
    header = [
        f'<span class="quiet">with {level} intervals</span>',
        *(f"{swatch(one)} {text(one.label)}" for one in fitted),
    ]
    rows = [
        [
            f'{text(name)}<span class="meaning">{text(meaning)}</span>',
            *(_estimate(column[place][2]) for column in columns),
        ]
        for place, (name, meaning, _) in enumerate(columns[0])
    ]
    return scrolling_table("Key numbers", header, rows)


def comparison_table(comparison: Comparison) -> str:
    """Returns the ratios of two sweeps."""
    ratios = (
        ("End of perfect scaling", comparison.end_of_perfect_scaling),
        ("Critical batch size", comparison.critical_batch_size),
        ("Maximum useful batch size", comparison.maximum_useful_batch_size),
    )
    title = f"{comparison.second} ÷ {comparison.first}"
    header = [text(title), "Ratio"]
    return scrolling_table(title, header, [[name, _estimate(ratio)] for name, ratio in ratios])


def study_table(series: Series) -> str:
    """Returns one row per batch size of a sweep."""
    studies = series.sweep.studies
    names = list({name: None for study in studies for name in study.best_parameters})
    header = [
        "Batch size",
        "Steps to result",
        "Examples",
        "Complete",
        "Pruned",
        "Infeasible",
        "Incomplete",
        "Optimism",
        "Effective η",
        *(text(name) for name in names),
    ]
    rows = [_study_row(study, names) for study in studies]
    return scrolling_table(f"Batch sizes of {series.label}", header, rows)


def _study_row(study: StudyFindings, names: Sequence[str]) -> list[str]:
    if study.steps_to_result is None:
        steps = f'<span class="quiet">△ not in {wording.number(study.steps_after)}</span>'
    else:
        steps = wording.number(study.steps_to_result)
        if study.missing_trials:
            steps += '<span class="interval">provisional</span>'
        elif study.interval is not None:
            steps += _interval(study.interval)
    incomplete = f"{study.counts.get('INCOMPLETE', 0):,}"
    if study.missing_trials:
        incomplete += f'<span class="interval">{study.missing_trials:,} missing</span>'
    optimism = wording.UNKNOWN
    if study.optimism_log2 is not None:
        optimism = wording.percent(2**study.optimism_log2 - 1)
        if study.needs_more_trials:
            optimism += '<span class="interval">more trials</span>'
    return [
        wording.number(study.batch_size),
        steps,
        wording.number(study.examples_to_result),
        *(f"{study.counts.get(s, 0):,}" for s in ("COMPLETE", "PRUNED", "INFEASIBLE")),
        incomplete,
        optimism,
        wording.number(study.effective_learning_rate),
        *(_parameter(study, name) for name in names),
    ]


def _parameter(study: StudyFindings, name: str) -> str:
    cell = wording.number(study.best_parameters.get(name))
    for edge in study.edges:
        if edge.parameter == name:
            limit = wording.number(edge.limit)
            cell += f'<span class="interval">near {text(edge.side)} {limit}</span>'
    return cell


def _estimate(value: Estimate) -> str:
    return f'<span class="value">{wording.estimate(value)}</span>{_interval(value)}'


def _interval(value: Estimate) -> str:
    words = wording.interval(value)
    return f'<span class="interval">{words}</span>' if words else ""
