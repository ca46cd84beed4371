"""A sweep held against facts about its workload."""

from typing import Any

import pytest

from batchscope.errors import SpecError
from batchscope.spec import Sweep, load_sweep, validate_workload

FACTS: dict[str, Any] = {
    "metrics": ("val/classification_error", "val/accuracy"),
    "train_examples": 1024,
    "required": ("learning_rate", "momentum"),
    "optional": ("end_learning_rate_factor", "learning_rate_decay_steps", "epsilon"),
}


@pytest.fixture
def sweep() -> Sweep:
    return load_sweep("quick")  # batch sizes up to 1024


def test_a_sweep_that_fits(sweep: Sweep) -> None:
    validate_workload(sweep, **FACTS)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            {"metrics": ("val/classification_errors", "val/mse")},
            "sweep quick: goal.metric is 'val/classification_error', did you mean "
            "val/classification_errors? expected one of val/classification_errors, val/mse",
        ),
        (
            {"train_examples": 1023},
            "sweep quick: batch_sizes holds 1024, expected at most the 1023 training examples of "
            "mnist_10k",
        ),
        (
            {"required": ("learning_rate", "momentum", "beta_1")},
            "sweep quick: the metaparameter beta_1 of optimizer momentum and schedule linear_decay "
            "has no value, expected one under [metaparameters] or a range",
        ),
        (
            {"required": ("learning_rate",), "optional": ("momentums",)},
            "sweep quick: the metaparameter end_learning_rate_factor is used by nothing, expected",
        ),
        (
            {
                "optional": ("end_learning_rate_factor", "learning_rate_decay_step"),
            },
            "sweep quick: the metaparameter learning_rate_decay_steps is used by nothing, did you "
            "mean learning_rate_decay_step? expected only those of optimizer momentum and",
        ),
    ],
)
def test_what_does_not_fit_is_named(sweep: Sweep, facts: dict[str, Any], expected: str) -> None:
    with pytest.raises(SpecError) as caught:
        validate_workload(sweep, **{**FACTS, **facts})
    assert str(caught.value).startswith(expected)
