"""Steps to result: the first measurement of each study that passes the goal.

The semantics are those of the code published with Shallue et al. 2019 (google-research,
batch_science/measurement_utils.py): strict comparison, ties at one step to the lower trial id, no
row for a study that never gets there. NaN and null never pass; infinity compares as a number.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from batchscope.analysis.study_times import Bools, Ints
from batchscope.errors import ResultsError

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class GoalTimes:
    """When each trial first passed the goal; one entry per (batch size, trial) measured.

    Attributes:
        batch_size, trial_id: shape (trials,), ordered by both.
        reached: shape (trials,), whether the trial ever passed.
        goal_step: shape (trials,), the first step that passed; 0 where not `reached`.
        goal_step_after: shape (trials,), the last step measured before `goal_step`; 0 if none.
        last_step: shape (trials,), the last step measured.
    """

    batch_size: Ints
    trial_id: Ints
    reached: Bools
    goal_step: Ints
    goal_step_after: Ints
    last_step: Ints


def steps_to_result(
    measurements: pa.Table, *, metric: str, value: float, maximize: bool
) -> pa.Table:
    """Returns, per batch size, the measurement that passed the goal in the fewest steps.

    Args:
        measurements: at least the columns batch_size, trial_id, step and `metric`, rows in any
            order, any number of studies.
        metric: the column of the goal.
        value: the goal.
        maximize: whether a measurement passes above `value` (else below it).

    Returns:
        A table with the columns of `measurements` and at most one row per batch size, ascending.

    Raises:
        ResultsError: there is no such column.
    """
    passing = np.flatnonzero(_passes(measurements, metric=metric, value=value, maximize=maximize))
    rows = pa.array(passing)
    batch_size = _integers(measurements["batch_size"].take(rows))
    trial_id = _integers(measurements["trial_id"].take(rows))
    step = _integers(measurements["step"].take(rows))
    first = []
    for size in np.sort(pc.unique(pa.array(batch_size)).to_numpy()):
        study = np.flatnonzero(batch_size == size)
        study = study[step[study] == step[study].min()]
        first.append(passing[study[np.argmin(trial_id[study])]])
    return measurements.take(pa.array(first, type=pa.int64()))


def goal_times(measurements: pa.Table, *, metric: str, value: float, maximize: bool) -> GoalTimes:
    """Returns when each trial first passed the goal, and the evaluation before.

    Arguments and errors are those of `steps_to_result`.
    """
    passing = _passes(measurements, metric=metric, value=value, maximize=maximize)
    if len(passing) == 0:
        none = np.zeros(0, dtype=np.int64)
        return GoalTimes(none, none, none.astype(bool), none, none, none)
    codes, batch_size, trial_id = _codes(measurements)
    step = _integers(measurements["step"])
    goal = np.full(len(batch_size), _NEVER)
    np.minimum.at(goal, codes[passing], step[passing])
    last = np.zeros(len(batch_size), dtype=np.int64)
    np.maximum.at(last, codes, step)
    reached = goal < _NEVER
    before = step < goal[codes]
    after = np.zeros(len(batch_size), dtype=np.int64)
    np.maximum.at(after, codes[before], step[before])
    return GoalTimes(
        batch_size=batch_size,
        trial_id=trial_id,
        reached=reached,
        goal_step=np.where(reached, goal, 0),
        goal_step_after=np.where(reached, after, 0),
        last_step=last,
    )


def _passes(measurements: pa.Table, *, metric: str, value: float, maximize: bool) -> Bools:
    """Returns which rows pass the goal, shape (rows,)."""
    if metric not in measurements.column_names:
        raise ResultsError(
            f"the measurements have no column {metric!r}, only "
            f"{', '.join(measurements.column_names)}: name one of these as the goal's metric"
        )
    compare = pc.greater if maximize else pc.less
    passes: Bools = pc.fill_null(compare(measurements[metric], value), False).to_numpy()
    return passes


def _integers(column: pa.ChunkedArray | pa.Array) -> Ints:
    return np.asarray(column.to_numpy(), dtype=np.int64)


def _codes(measurements: pa.Table) -> tuple[Ints, Ints, Ints]:
    """Numbers the trials measured: (number per row, batch size per number, trial id per number).

    Numbers ascend with (batch size, trial id).
    """
    size_code, sizes = _dense(measurements["batch_size"])
    trial_code, trials = _dense(measurements["trial_id"])
    # In place and narrow: ten million rows are the case this is written for.
    size_code *= len(trials)
    size_code += trial_code
    del trial_code
    seen = np.zeros(len(sizes) * len(trials), dtype=bool)
    seen[size_code] = True
    present = np.flatnonzero(seen)
    renumber = np.cumsum(seen) - 1
    return renumber[size_code], sizes[present // len(trials)], trials[present % len(trials)]


def _dense(column: pa.ChunkedArray) -> tuple[Ints, Ints]:
    """Returns (rank of each row's value among the distinct values, those values ascending)."""
    values = np.sort(_integers(pc.unique(column)))
    return np.searchsorted(values, _integers(column)).astype(np.int64), values
