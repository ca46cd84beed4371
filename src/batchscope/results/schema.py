"""The tables of a sweep. Column names are those of the published study database.

`measurements` has one row per evaluation of a trial, ordered by (trial_id, step); `trials` one row
per trial, ordered by trial_id. Both hold one pack of one study.
"""

from collections.abc import Sequence
from enum import StrEnum

import pyarrow as pa


class Status(StrEnum):
    """How a trial ended."""

    COMPLETE = "COMPLETE"  # used its budget or reached the goal
    PRUNED = "PRUNED"  # could no longer be the best: censored, not a failure
    INFEASIBLE = "INFEASIBLE"  # diverged: data, not an error
    INCOMPLETE = "INCOMPLETE"  # interrupted


MEASUREMENTS = pa.schema(
    [
        pa.field("batch_size", pa.int64(), nullable=False),
        pa.field("trial_id", pa.int64(), nullable=False),
        pa.field("step", pa.int64(), nullable=False),
        # mean over the minibatches since the previous evaluation
        pa.field("train/cross_entropy_error", pa.float64()),
        # means over the first val/examples validation examples
        pa.field("val/cross_entropy_error", pa.float64()),
        pa.field("val/classification_error", pa.float64()),
        pa.field("val/accuracy", pa.float64()),
        pa.field("val/examples", pa.int64(), nullable=False),
    ]
)

METRICS = (
    "train/cross_entropy_error",
    "val/cross_entropy_error",
    "val/classification_error",
    "val/accuracy",
)

PARAMETER_PREFIX = "parameters/"

_TRIALS = [
    pa.field("batch_size", pa.int64(), nullable=False),
    pa.field("trial_id", pa.int64(), nullable=False),
    pa.field("pack", pa.int64(), nullable=False),
    pa.field("status", pa.string(), nullable=False),
    # steps trained; for PRUNED the step at which the trial is censored
    pa.field("steps", pa.int64(), nullable=False),
    # the first evaluation that passed the goal, null if none did ...
    pa.field("goal_step", pa.int64()),
    # ... and the evaluation before it: the goal was crossed in (goal_step_after, goal_step]
    pa.field("goal_step_after", pa.int64()),
]


def trials_schema(parameters: Sequence[str]) -> pa.Schema:
    """Returns the schema of a trials table whose trials have these metaparameters.

    Each becomes a column `parameters/NAME` of doubles, searched or fixed alike.
    """
    columns = [
        pa.field(PARAMETER_PREFIX + name, pa.float64(), nullable=False) for name in parameters
    ]
    return pa.schema([*_TRIALS, *columns])
