"""When an evaluation may stop early, because the goal is known to be missed."""

import numpy as np

from batchscope.spec.sweep import Goal
from batchscope.training.trial import ErrorLimits

_NO_LIMIT = ErrorLimits(np.int32(np.iinfo(np.int32).max), np.float32(np.inf))


def error_limits(goal: Goal | None, *, examples: int) -> ErrorLimits:
    """Returns the sums over validation examples beyond which `goal` cannot be passed any more.

    Exact for errors: the goal is missed if and only if more than the limit are wrong in the end.
    For the cross entropy, a sum of float32, a margin of 0.1 % keeps it on the safe side.

    Args:
        goal: on any metric; one on the training set, or None, sets no limit.
        examples: validation examples in all.
    """
    if goal is None:
        return _NO_LIMIT
    errors = np.arange(examples + 1)
    if goal.metric == "val/classification_error":
        passing = (
            (errors / examples > goal.value) if goal.maximize else (errors / examples < goal.value)
        )
    elif goal.metric == "val/accuracy":
        accuracy = (examples - errors) / examples
        passing = accuracy > goal.value if goal.maximize else accuracy < goal.value
    elif goal.metric == "val/cross_entropy_error" and not goal.maximize:
        return _NO_LIMIT._replace(cross_entropy=np.float32(goal.value * examples * 1.001))
    else:
        return _NO_LIMIT
    if passing[-1]:  # the goal wants errors: nothing is decided before the end
        return _NO_LIMIT
    most = np.flatnonzero(passing).max(initial=-1)
    return _NO_LIMIT._replace(classification_errors=np.int32(most))
