"""The tables that a simulated sweep would have written, for tests and for trying things out."""

import numpy as np
import pyarrow as pa

from batchscope.analysis.simulation import Truth, evaluation_grid, simulate_times
from batchscope.analysis.study_times import StudyTimes
from batchscope.results import SweepTables
from batchscope.results.schema import MEASUREMENTS, Status, trials_schema
from batchscope.spec.sweep import (
    Budget,
    Goal,
    Named,
    ParameterConfig,
    ParameterType,
    Prune,
    Scale,
    Sweep,
)

_GOAL = Goal("val/classification_error", below=0.1)


def simulate_tables(truth: Truth, *, seed: int, name: str = "simulated") -> SweepTables:
    """Returns a sweep with one search sequence drawn from `truth`.

    Measured errors fall steadily and pass the goal at each trial's goal step. Metaparameters are
    random and have nothing to do with the times.
    """
    rng = np.random.default_rng(seed)
    studies = simulate_times(truth, rng=rng)
    sweep = _sweep(truth, seed=seed, name=name)
    return SweepTables(
        sweep=sweep,
        measurements=pa.concat_tables([_measurements(study) for study in studies]),
        trials=pa.concat_tables([_trials(study, rng=rng) for study in studies]),
    )


def _sweep(truth: Truth, *, seed: int, name: str) -> Sweep:
    prune = {0: Prune.NONE, 1: Prune.MIN}.get(truth.k, Prune.KTH)
    unlimited = truth.budget_steps is None and truth.budget_examples is None
    return Sweep(
        name=name,
        dataset=Named("simulated"),
        model=Named("simulated"),
        optimizer=Named("momentum"),
        schedule=Named("constant"),
        goal=_GOAL,
        batch_sizes=truth.batch_sizes,
        trials=truth.trials,
        budget=Budget(10**9 if unlimited else truth.budget_steps, truth.budget_examples),
        parameter_configs=(
            ParameterConfig("learning_rate", ParameterType.DOUBLE, Scale.LOG, 1e-3, 1e1),
            ParameterConfig("momentum", ParameterType.DOUBLE, Scale.REVERSE_LOG, 0.0, 0.999),
        ),
        seed=seed,
        prune=prune,
        k=max(truth.k, 1),
    )


def _measurements(study: StudyTimes) -> pa.Table:
    grid = evaluation_grid(batch_size=study.batch_size, last_step=int(study.steps.max()))
    counts = np.searchsorted(grid, study.steps, side="right")
    trial = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    step = grid[np.arange(len(trial)) - first]
    goal_step = np.where(study.reached, study.steps, 2 * study.steps + 1)[trial]
    # Falls as 1/step and equals the goal half a step before the crossing.
    error = _GOAL.value * (goal_step - 0.5) / step
    columns = {
        "batch_size": np.full(len(step), study.batch_size),
        "trial_id": study.trial_ids[trial],
        "step": step,
        "train/cross_entropy_error": 2 * error,
        "val/cross_entropy_error": 2 * error,
        "val/classification_error": np.minimum(error, 1.0),
        "val/accuracy": 1 - np.minimum(error, 1.0),
        "val/examples": np.full(len(step), 1024),
    }
    return pa.table(columns, schema=MEASUREMENTS)


def _trials(study: StudyTimes, *, rng: np.random.Generator) -> pa.Table:
    count = len(study.trial_ids)
    used_up = study.reached | (study.steps >= study.budget_steps)
    columns = {
        "batch_size": np.full(count, study.batch_size),
        "trial_id": study.trial_ids,
        "pack": np.zeros(count, dtype=np.int64),
        "status": np.where(used_up, Status.COMPLETE.value, Status.PRUNED.value),
        "steps": study.steps,
        "goal_step": pa.array(study.steps, mask=~study.reached),
        "goal_step_after": pa.array(study.after, mask=~study.reached),
        "parameters/learning_rate": 10.0 ** rng.uniform(-2.5, 0.5, size=count),
        "parameters/momentum": 1 - 10.0 ** rng.uniform(-2.5, -0.5, size=count),
    }
    return pa.table(columns, schema=trials_schema(["learning_rate", "momentum"]))
