"""Pruning changes what is computed, never the answer."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from batchscope.results.schema import Status
from batchscope.spec import Sweep
from batchscope.spec.sweep import Budget, Goal, Named, Prune
from batchscope.training.engine import Engine

MakeEngine = Callable[..., Engine]


def goal_steps(trials: pa.Table) -> list[tuple[int, int]]:
    """(goal step, trial id) of the trials that reached the goal, in order."""
    rows = zip(trials["goal_step"].to_pylist(), trials["trial_id"].to_pylist(), strict=True)
    return sorted((step, trial) for step, trial in rows if step is not None)


@pytest.mark.parametrize("batch_size", [4, 16, 100])
def test_minimum_winner_and_order_statistics_are_those_of_the_unpruned_study(
    small: Sweep, engine: MakeEngine, batch_size: int
) -> None:
    study = small.at(
        optimizer=Named("sgd"),
        parameter_configs=small.parameter_configs[:1],
        batch_sizes=(batch_size,),
        trials=10,
        max_trials=10,
        goal=Goal("val/classification_error", below=0.6),
        budget=Budget(steps=1200 // batch_size + 100),
    )
    everything = engine(study.at(prune=Prune.NONE)).run_pack(batch_size, 0).trials
    reference = goal_steps(everything)
    assert len(reference) >= 4, "the study is to be informative"

    least = engine(study.at(prune=Prune.MIN)).run_pack(batch_size, 0).trials
    assert goal_steps(least)[0] == reference[0]
    for k in (2, 4):
        kth = goal_steps(engine(study.at(prune=Prune.KTH, k=k)).run_pack(batch_size, 0).trials)
        assert kth[:k] == reference[:k]
        # ties with the k-th are measured too; nothing beyond is
        assert kth == [row for row in reference if row[0] <= reference[k - 1][0]]


def test_pruned_trials_are_censored_where_they_stopped(small: Sweep, engine: MakeEngine) -> None:
    tables = engine(small).run_pack(16, 0)
    best = pc.min(tables.trials["goal_step"]).as_py()
    for row in tables.trials.to_pylist():
        if row["status"] == Status.PRUNED:
            assert row["steps"] == best
            assert row["goal_step"] is None
        elif row["status"] == Status.COMPLETE:
            assert row["goal_step"] == row["steps"] == best
            assert row["goal_step_after"] < best
    assert {Status.PRUNED, Status.COMPLETE} <= set(tables.trials["status"].to_pylist())


def test_measurements_common_to_pruned_and_unpruned_runs_are_equal(
    small: Sweep, engine: MakeEngine
) -> None:
    # in full, so that the rows can be compared to the last digit
    study = small.at(evaluation=small.evaluation.__class__(64, 0.05, early_stop=False))
    everything = engine(study.at(prune=Prune.NONE)).run_pack(16, 0).measurements
    pruned = engine(study).run_pack(16, 0).measurements
    last = pc.max(pruned["step"])
    assert everything.filter(pc.less_equal(everything["step"], last)).equals(pruned)


def test_an_evaluation_that_stops_early_never_changes_who_passes(
    small: Sweep, engine: MakeEngine
) -> None:
    full = small.at(evaluation=small.evaluation.__class__(64, 0.05, early_stop=False))
    early = engine(small).run_pack(16, 0)
    assert early.trials.equals(engine(full).run_pack(16, 0).trials)
    seen = np.asarray(early.measurements["val/examples"])
    assert seen.min() < 1024
    error = np.asarray(early.measurements["val/classification_error"])
    assert (error[seen < 1024] > 0.35).all()
