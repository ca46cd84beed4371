"""From the tables of a sweep to one entry per batch size: times, statuses, metaparameters."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from batchscope.analysis.steps_to_result import GoalTimes, goal_times
from batchscope.analysis.study_times import Ints, StudyTimes
from batchscope.results.schema import PARAMETER_PREFIX, Status
from batchscope.spec.sweep import Sweep


@dataclass(frozen=True)
class StudyTrials:
    """All trials of one study, feasible or not, ascending by trial id.

    Attributes:
        batch_size: in examples.
        trial_ids: shape (trials,).
        statuses: one per trial.
        times: of all trials: an infeasible one has not reached the goal.
        parameters: one mapping per trial.
        feasible: the times of the feasible trials, the population of every estimate.
    """

    batch_size: int
    trial_ids: Ints
    statuses: tuple[str, ...]
    times: StudyTimes
    parameters: tuple[Mapping[str, float], ...]
    feasible: StudyTimes


def study_trials(sweep: Sweep, measurements: pa.Table, trials: pa.Table) -> tuple[StudyTrials, ...]:
    """Returns the studies of a sweep, ascending by batch size, those asked for and those found.

    When a trial reached the goal is read from the measurements; its status, the step at which it
    stopped and its metaparameters from the trials table. A trial that has measurements only was
    interrupted before its pack was written.
    """
    goal = sweep.goal
    times = goal_times(measurements, metric=goal.metric, value=goal.value, maximize=goal.maximize)
    ids = {
        name: np.asarray(trials[name].to_numpy()) for name in ("batch_size", "trial_id", "steps")
    }
    statuses = trials["status"].to_pylist()
    names = [c for c in trials.column_names if c.startswith(PARAMETER_PREFIX)]
    values = {c.removeprefix(PARAMETER_PREFIX): trials[c].to_pylist() for c in names}
    sizes = {*sweep.batch_sizes, *ids["batch_size"].tolist(), *times.batch_size.tolist()}
    return tuple(
        _study(sweep, size, times=times, ids=ids, statuses=statuses, values=values)
        for size in sorted(sizes)
    )


def _study(
    sweep: Sweep,
    batch_size: int,
    *,
    times: GoalTimes,
    ids: Mapping[str, Ints],
    statuses: list[str],
    values: Mapping[str, list[float]],
) -> StudyTrials:
    rows = {int(ids["trial_id"][r]): r for r in np.flatnonzero(ids["batch_size"] == batch_size)}
    timed = {int(times.trial_id[t]): t for t in np.flatnonzero(times.batch_size == batch_size)}
    found = sorted({*rows, *timed})
    status, parameters = [], []
    steps, after, reached = np.zeros((3, len(found)), dtype=np.int64)
    for i, trial in enumerate(found):
        row, time = rows.get(trial), timed.get(trial)
        status.append(Status.INCOMPLETE.value if row is None else statuses[row])
        parameters.append({} if row is None else {n: v[row] for n, v in values.items()})
        if time is not None and times.reached[time] and status[-1] != Status.INFEASIBLE:
            reached[i] = 1
            steps[i], after[i] = times.goal_step[time], times.goal_step_after[time]
        elif row is not None:
            steps[i] = ids["steps"][row]
        elif time is not None:
            steps[i] = times.last_step[time]
    every = StudyTimes(
        batch_size=batch_size,
        budget_steps=sweep.budget.steps_at(batch_size),
        trial_ids=np.asarray(found, dtype=np.int64),
        steps=steps,
        after=after,
        reached=reached.astype(bool),
    )
    feasible = np.array([s != Status.INFEASIBLE for s in status], dtype=bool)
    return StudyTrials(
        batch_size=batch_size,
        trial_ids=every.trial_ids,
        statuses=tuple(status),
        times=every,
        parameters=tuple(parameters),
        feasible=StudyTimes(
            batch_size=batch_size,
            budget_steps=every.budget_steps,
            trial_ids=every.trial_ids[feasible],
            steps=steps[feasible],
            after=after[feasible],
            reached=every.reached[feasible],
        ),
    )
