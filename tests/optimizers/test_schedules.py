"""Learning rate schedules against their closed forms, with traced arguments."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batchscope.optimizers import build_schedule
from batchscope.spec.sweep import Named

rates = st.floats(2.0**-16, 10, width=32)
factors = st.floats(0, 1, width=32)
decays = st.floats(1, 100_000, width=32)
warmups = st.integers(0, 1000)
steps = st.lists(st.integers(0, 200_000), min_size=1, max_size=5)


def _compiled(name: str):
    build = build_schedule(Named(name))
    return jax.jit(lambda step, values: build(**values)(step))


COMPILED = {n: _compiled(n) for n in ("constant", "linear_decay", "cosine", "piecewise_linear")}


def _evaluate(name: str, step: float, **values: float) -> float:
    arguments = {key: jnp.float32(value) for key, value in values.items()}
    return float(COMPILED[name](jnp.int32(step), arguments))


def _linear(t: float, rate: float, alpha: float, decay: float) -> float:
    return rate * (1 - (1 - alpha) * t / decay) if t <= decay else alpha * rate


def _cosine(t: float, rate: float, alpha: float, decay: float) -> float:
    if t > decay:
        return alpha * rate
    return rate * (alpha + (1 - alpha) * (1 + math.cos(math.pi * t / decay)) / 2)


def _piecewise(t: float, rate: float, alpha: float, decay: float, warmup: float) -> float:
    if t < warmup:
        return rate * (t + 1) / (warmup + 1)
    if decay <= warmup:
        return alpha * rate
    return _linear(t - warmup, rate, alpha, decay - warmup)


@given(rate=rates, alpha=factors, decay=decays, warmup=warmups, some=steps)
@settings(deadline=None, max_examples=60)
def test_closed_forms(rate: float, alpha: float, decay: float, warmup: int, some: list) -> None:
    values = {
        "learning_rate": rate,
        "end_learning_rate_factor": alpha,
        "learning_rate_decay_steps": decay,
    }
    edges = [0, 1, math.floor(decay), math.ceil(decay), warmup - 1, warmup, warmup + 1]
    for t in [*some, *(edge for edge in edges if edge >= 0)]:
        near = pytest.approx
        bound = 2e-6 * rate
        assert _evaluate("constant", t, learning_rate=rate) == near(rate)
        linear = _evaluate("linear_decay", t, **values)
        assert linear == near(_linear(t, rate, alpha, decay), abs=bound)
        cosine = _evaluate("cosine", t, **values)
        assert cosine == near(_cosine(t, rate, alpha, decay), abs=bound)
        piecewise = _evaluate("piecewise_linear", t, **values, learning_rate_warmup_steps=warmup)
        # near the end of a warm-up a short decay magnifies the rounding of T - W
        loose = bound + rate * 2e-7 * decay / max(decay - warmup, 1e-3)
        assert piecewise == near(_piecewise(t, rate, alpha, decay, warmup), abs=loose)


LINEAR = {
    "learning_rate": 2.0,
    "end_learning_rate_factor": 0.25,
    "learning_rate_decay_steps": 4.0,
}


def test_linear_decay_by_hand() -> None:
    found = [_evaluate("linear_decay", t, **LINEAR) for t in range(7)]
    np.testing.assert_allclose(found, [2.0, 1.625, 1.25, 0.875, 0.5, 0.5, 0.5])


def test_warm_up_reaches_the_full_rate_and_meets_the_decay() -> None:
    values = LINEAR | {"learning_rate_decay_steps": 7.0, "learning_rate_warmup_steps": 3.0}
    found = [_evaluate("piecewise_linear", t, **values) for t in range(9)]
    np.testing.assert_allclose(found, [0.5, 1.0, 1.5, 2.0, 1.625, 1.25, 0.875, 0.5, 0.5])


@pytest.mark.parametrize("decay", [0.0, 2.0, 3.0])
def test_warm_up_longer_than_the_decay_ends_at_the_final_rate(decay: float) -> None:
    values = LINEAR | {"learning_rate_decay_steps": decay, "learning_rate_warmup_steps": 3.0}
    found = [_evaluate("piecewise_linear", t, **values) for t in range(5)]
    np.testing.assert_allclose(found, [0.5, 1.0, 1.5, 0.5, 0.5])


def test_without_warm_up_it_is_the_linear_decay() -> None:
    values = LINEAR | {"learning_rate_warmup_steps": 0.0}
    for t in range(7):
        assert _evaluate("piecewise_linear", t, **values) == _evaluate("linear_decay", t, **LINEAR)
