"""The evaluation grid, the loss, the limits of an evaluation, the cutting of batches."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchscope.spec.sweep import Evaluation, Goal
from batchscope.training.grid import evaluation_steps
from batchscope.training.ledger import passes
from batchscope.training.limits import error_limits
from batchscope.training.loss import classification_errors, cross_entropy
from batchscope.training.microbatches import CPU_SIZES, Microbatches


def test_the_grid_of_the_default_at_batch_size_64() -> None:
    steps = list(evaluation_steps(Evaluation(), batch_size=64, budget_steps=1000))
    assert steps[:4] == [8, 16, 24, 32]
    assert steps[-1] == 1000
    # beyond step 450 the spacing is 2 % of the step
    late = [s for s in steps if s > 500]
    assert late[1] - late[0] == late[0] // 50


@given(
    batch_size=st.integers(1, 5000),
    budget=st.integers(1, 5000),
    every=st.integers(1, 2000),
    growth=st.floats(0, 0.5),
)
def test_the_grid_rises_to_the_budget(
    batch_size: int, budget: int, every: int, growth: float
) -> None:
    grid = Evaluation(every_examples=every, growth=growth)
    steps = list(evaluation_steps(grid, batch_size=batch_size, budget_steps=budget))
    assert steps[-1] == budget
    before = [0, *steps[:-1]]
    for a, b in zip(before, steps, strict=True):
        assert 1 <= b - a <= max(every / batch_size, growth * a, 1)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.5])
def test_label_smoothing_spreads_alpha_over_the_other_classes(alpha: float) -> None:
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(7, 5)), rng.integers(0, 5, 7)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    expected = []
    for row, label in zip(log_p, labels, strict=True):
        target = [alpha / 4] * 5
        target[label] = 1 - alpha
        expected.append(-sum(t * r for t, r in zip(target, row, strict=True)))
    got = cross_entropy(jnp.asarray(logits), jnp.asarray(labels), alpha)
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    if alpha == 0:
        plain = cross_entropy(jnp.asarray(logits), jnp.asarray(labels))
        np.testing.assert_allclose(plain, expected, rtol=1e-5)


def test_classification_errors() -> None:
    logits = jnp.asarray([[1.0, 2.0], [3.0, 0.0], [0.0, 1.0]])
    assert classification_errors(logits, jnp.asarray([1, 1, 0])).tolist() == [False, True, True]


@given(
    examples=st.integers(1, 300),
    value=st.floats(0.001, 1.0),
    metric=st.sampled_from(["val/classification_error", "val/accuracy"]),
    above=st.booleans(),
)
def test_the_limit_stops_exactly_those_that_miss_the_goal(
    examples: int, value: float, metric: str, above: bool
) -> None:
    goal = Goal(metric, above=value) if above else Goal(metric, below=value)
    limit = int(error_limits(goal, examples=examples).classification_errors)
    errors = np.arange(examples + 1)
    wrong = metric == "val/classification_error"
    values = (errors if wrong else examples - errors) / examples
    passed = passes(goal, values)
    wants_few_errors = wrong != above
    if wants_few_errors:
        assert np.array_equal(passed, errors <= limit)
    else:
        assert not passed[errors > limit].any()


def test_cross_entropy_goals_stop_on_the_sum_and_training_goals_never() -> None:
    limits = error_limits(Goal("val/cross_entropy_error", below=0.5), examples=100)
    assert 50 < limits.cross_entropy < 51
    for goal in (Goal("train/cross_entropy_error", below=0.5), None):
        limits = error_limits(goal, examples=100)
        assert np.isinf(limits.cross_entropy)
        assert limits.classification_errors > 100


@given(batch_size=st.integers(1, 3000), steps=st.integers(1, 5))
def test_every_example_of_a_batch_is_in_one_microbatch(batch_size: int, steps: int) -> None:
    cut = Microbatches.plan(batch_size, sizes=CPU_SIZES, largest_batch=3000, window_examples=8192)
    steps = min(steps, cut.steps_per_window)
    batches = np.arange(1, steps * batch_size + 1).reshape(steps, batch_size)
    rows = cut.rows(batches)
    assert rows.shape == (cut.capacity, cut.size)
    per_step = rows[: steps * cut.per_step].reshape(steps, -1)
    assert np.array_equal(per_step[:, :batch_size], batches)
    assert not per_step[:, batch_size:].any()
    assert cut.per_step == 1 or cut.size == CPU_SIZES[-1]
