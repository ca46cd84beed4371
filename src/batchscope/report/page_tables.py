"""The page's tables: key numbers, comparisons, studies."""

from collections.abc import Mapping, Sequence

from batchscope.analysis.findings import Comparison, CurveFindings, Estimate, StudyFindings
from batchscope.report import wording
from batchscope.report.metaparameter_plots import varied_names
from batchscope.report.page_text import scrolling_table, swatch, text
from batchscope.report.theme import Series


def key_numbers_table(fitted: Sequence[Series], comparisons: Sequence[Comparison]) -> str:
    """Returns the numbers of each curve, one sweep a column, then one column per comparison."""
    curves: list[CurveFindings] = [s.sweep.curve for s in fitted if s.sweep.curve is not None]
    columns = [[value for _, _, value in wording.key_numbers(curve)] for curve in curves]
    columns += [_ratios(comparison) for comparison in comparisons]
    level = wording.percent(curves[0].critical_batch_size.level)
    marks = {one.sweep.name: swatch(one) for one in reversed(fitted)}
    header = [
        f'<span class="quiet">with {level} intervals</span>',
        *(f"{swatch(one)} {text(one.label)}" for one in fitted),
        *(_ratio_title(comparison, marks) for comparison in comparisons),
    ]
    rows = [
        [
            f'{_symbols(name)}<span class="meaning">{_symbols(meaning)}</span>',
            *(_estimate(column[place]) if place < len(column) else "" for column in columns),
        ]
        for place, (name, meaning, _) in enumerate(wording.key_numbers(curves[0]))
    ]
    return scrolling_table("Key numbers", header, rows)


def _ratios(comparison: Comparison) -> list[Estimate]:
    """Returns the ratios in the order of the key numbers, as far as they are compared."""
    return [
        comparison.end_of_perfect_scaling,
        comparison.critical_batch_size,
        comparison.maximum_useful_batch_size,
    ]


def _ratio_title(comparison: Comparison, marks: Mapping[str, str]) -> str:
    names = (comparison.second, comparison.first)
    words = f'<span class="spoken">{text(names[0])} ÷ {text(names[1])}</span>'
    if not all(name in marks for name in names):
        return f"{text(names[0])} ÷ {text(names[1])}"
    return f'<span aria-hidden="true">{marks[names[0]]} ÷ {marks[names[1]]}</span>{words}'


def _symbols(words: str) -> str:
    return text(words).replace("_min", "<sub>min</sub>")


def study_table(series: Series) -> str:
    """Returns one row per batch size of a sweep."""
    studies = series.sweep.studies
    names = varied_names([series])
    header = [
        *wording.STUDY_HEADINGS,
        "Optimism",
        "η / (1 − μ)",
        *(text(name).replace("_", "_<wbr>") for name in names),
    ]
    rows = [_study_row(study, names) for study in studies]
    return scrolling_table(f"Batch sizes of {series.label}", header, rows)


def _study_row(study: StudyFindings, names: Sequence[str]) -> list[str]:
    steps = wording.steps(study)
    if study.steps_to_result is None:
        steps = f'<span class="quiet">{steps}</span>'
    elif study.missing_trials:
        steps += '<span class="interval">provisional</span>'
    incomplete = f"{study.counts.get('INCOMPLETE', 0):,}"
    if study.missing_trials:
        incomplete += f'<span class="interval">{study.missing_trials:,} missing</span>'
    optimism = wording.UNKNOWN
    if study.optimism_log2 is not None:
        optimism = wording.rounded_percent(2**study.optimism_log2 - 1)
        if study.needs_more_trials:
            optimism = f'<strong>{optimism}</strong><span class="spoken">needs more trials</span>'
    return [
        wording.number(study.batch_size),
        steps,
        f'<span class="quiet">{_span(study.interval)}</span>',
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


def _span(interval: Estimate | None) -> str:
    return (wording.interval(interval) if interval else "") or wording.UNKNOWN


def _estimate(value: Estimate) -> str:
    return f'<span class="value">{wording.estimate(value)}</span>{_interval(value)}'


def _interval(value: Estimate) -> str:
    words = wording.interval(value)
    return f'<span class="interval">{words}</span>' if words else ""
