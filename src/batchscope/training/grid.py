"""When a study is evaluated."""

from collections.abc import Iterator

from batchscope.spec.sweep import Evaluation


def evaluation_steps(
    evaluation: Evaluation, *, batch_size: int, budget_steps: int
) -> Iterator[int]:
    """Yields the steps after which the validation error is measured, ascending.

    After step s the next evaluation is max(every_examples / batch_size, growth * s) steps away,
    rounded down, and at least one. The last is `budget_steps`. The grid depends on nothing else,
    so every trial of a study is measured at the same steps.
    """
    step = 0
    while step < budget_steps:
        spacing = max(evaluation.every_examples // batch_size, int(evaluation.growth * step), 1)
        step = min(step + spacing, budget_steps)
        yield step
