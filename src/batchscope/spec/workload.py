"""Holding a sweep against the workload it names."""

from collections.abc import Collection
from difflib import get_close_matches

from batchscope.errors import SpecError
from batchscope.spec.sweep import Sweep


def validate_workload(
    sweep: Sweep,
    *,
    metrics: Collection[str],
    train_examples: int,
    required: Collection[str],
    optional: Collection[str],
) -> None:
    """Checks what only the data, the optimizer and the schedule can tell.

    Args:
        sweep: a valid sweep.
        metrics: the metrics that are measured on this workload.
        train_examples: size of the training set.
        required: metaparameters the optimizer and the schedule cannot do without.
        optional: metaparameters they use where given.

    Raises:
        SpecError: the goal is for a metric that is not measured, a batch size exceeds the training
            set, or the metaparameters are not those that are used.
    """
    if sweep.goal.metric not in metrics:
        raise SpecError(
            f"sweep {sweep.name}: goal.metric is {sweep.goal.metric!r}, "
            f"{_hint(sweep.goal.metric, metrics)}expected one of {', '.join(metrics)}"
        )
    if sweep.batch_sizes[-1] > train_examples:
        raise SpecError(
            f"sweep {sweep.name}: batch_sizes holds {sweep.batch_sizes[-1]}, expected at most the "
            f"{train_examples} training examples of {sweep.dataset.name}"
        )
    given = sweep.parameter_names
    used = f"optimizer {sweep.optimizer.name} and schedule {sweep.schedule.name}"
    for name in required:
        if name not in given:
            raise SpecError(
                f"sweep {sweep.name}: the metaparameter {name} of {used} has no value, expected "
                f"one under [metaparameters] or a range as [search_space.parameter_configs.{name}]"
            )
    usable = [*required, *(name for name in optional if name not in required)]
    for name in given:
        if name not in usable:
            free = [each for each in usable if each not in given]
            raise SpecError(
                f"sweep {sweep.name}: the metaparameter {name} is used by nothing, "
                f"{_hint(name, free)}expected only those of {used}: {', '.join(usable)}"
            )


def _hint(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}? " if close else ""
