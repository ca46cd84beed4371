"""From the tables of one or more sweeps to the findings a report shows."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from batchscope.analysis.comparison import Fitted, compare
from batchscope.analysis.curve_findings import (
    curve_findings,
    read_off,
    slope_steeper_than_perfect,
)
from batchscope.analysis.findings import Findings, SweepFindings
from batchscope.analysis.headline import FEWEST_STUDIES, headline
from batchscope.analysis.notes import notes
from batchscope.analysis.posterior import draw_curves
from batchscope.analysis.search_noise import search_noise
from batchscope.analysis.studies import study_trials
from batchscope.analysis.study_findings import study_findings
from batchscope.results.tables import SweepTables
from batchscope.spec.sweep import Named


def find(sweeps: Sequence[SweepTables]) -> Findings:
    """Returns the findings of the sweeps and of every pair of them.

    Equal tables give equal findings: all randomness is seeded by the sweep's own seed.

    Raises:
        ResultsError: the goal's metric is not a column of the measurements.
    """
    found = [_find_one(tables) for tables in sweeps]
    return Findings(
        sweeps=tuple(findings for findings, _ in found),
        comparisons=tuple(compare(a, b) for (_, a), (_, b) in combinations(found, 2)),
    )


def _find_one(tables: SweepTables) -> tuple[SweepFindings, Fitted]:
    sweep = tables.sweep
    missing_trials = tables.missing_trials()
    studies = study_trials(sweep, tables.measurements, tables.trials)
    times = [study.feasible for study in studies]
    # SeedSequence wants a non-negative integer.
    rng = np.random.default_rng(abs(sweep.seed))
    noise = search_noise(times, rng=rng)
    curve = readings = steep = None
    if sum(study.best is not None for study in times) >= FEWEST_STUDIES:
        draws = draw_curves(times, noise, rng=rng)
        curve, readings = curve_findings(times, draws), read_off(draws)
        steep = slope_steeper_than_perfect(times, draws, correlation=noise.correlation)
    std = noise.study_std_log2()
    entries = tuple(
        study_findings(
            sweep,
            study,
            std_log2=None if np.isnan(std[i]) else float(std[i]),
            missing_trials=missing_trials.get(study.batch_size, 0),
        )
        for i, study in enumerate(studies)
    )
    goal = str(sweep.goal)
    findings = SweepFindings(
        name=sweep.name,
        description=sweep.description,
        dataset=_named(sweep.dataset),
        model=_named(sweep.model),
        optimizer=_named(sweep.optimizer),
        schedule=_named(sweep.schedule),
        goal=goal,
        prune=sweep.prune.value,
        seed=sweep.seed,
        headline=headline(goal=goal, studies=entries, curve=curve),
        studies=entries,
        curve=curve,
        notes=notes(sweep=sweep, studies=entries, curve=curve, steep_slope=steep),
        problems=tables.problems,
        versions=dict(tables.versions),
    )
    measures = (goal, findings.dataset, findings.model)
    return findings, Fitted(sweep.name, measures, times, std, curve, readings)


def _named(named: Named) -> str:
    options = ", ".join(f"{key} = {value}" for key, value in named.options.items())
    return f"{named.name} ({options})" if options else named.name
