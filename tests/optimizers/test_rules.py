"""The update rules, step by step, against hand-written ones in float64."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from batchscope.optimizers import build_optimizer
from batchscope.spec.sweep import Named

STEPS = 12
MU, BETA1, BETA2, EPSILON = 0.83, 0.85, 0.97, 1e-3


def _rate(step):
    return 0.3 / (1 + step)


def _gradient(theta):
    """That of a quartic with unequal axes: it depends on theta, so that errors add up."""
    return np.array([0.5, 2.0, 0.01]) * theta**3 + theta


def _sgd(theta):
    for step in range(STEPS):
        theta = theta - _rate(step) * _gradient(theta)
        yield theta


def _momentum(theta):
    v = np.zeros_like(theta)
    for step in range(STEPS):
        v = MU * v + _gradient(theta)
        theta = theta - _rate(step) * v
        yield theta


def _nesterov(theta):
    v = np.zeros_like(theta)
    for step in range(STEPS):
        g = _gradient(theta)
        v = MU * v + g
        theta = theta - _rate(step) * (g + MU * v)
        yield theta


def _adam(beta1: float, beta2: float, epsilon: float):
    def run(theta):
        first, second = np.zeros_like(theta), np.zeros_like(theta)
        for step in range(STEPS):
            g = _gradient(theta)
            first = beta1 * first + (1 - beta1) * g
            second = beta2 * second + (1 - beta2) * g**2
            unbiased = first / (1 - beta1 ** (step + 1))
            root = np.sqrt(second / (1 - beta2 ** (step + 1)))
            theta = theta - _rate(step) * unbiased / (root + epsilon)
            yield theta

    return run


ADAM = {"beta1": BETA1, "beta2": BETA2, "epsilon": EPSILON}


@pytest.mark.parametrize(
    ("name", "metaparameters", "rule"),
    [
        ("sgd", {}, _sgd),
        ("momentum", {"momentum": MU}, _momentum),
        ("nesterov_momentum", {"momentum": MU}, _nesterov),
        ("adam", ADAM, _adam(BETA1, BETA2, EPSILON)),
        ("adam", {}, _adam(0.9, 0.999, 1e-8)),
    ],
)
def test_matches_the_rule_with_traced_metaparameters(
    name: str, metaparameters: dict[str, float], rule: Callable
) -> None:
    build = build_optimizer(Named(name))
    start = np.array([0.7, -0.4, 1.1])

    @jax.jit
    def run(metaparameters):
        optimizer = build(_rate, **metaparameters)

        def step(carry, _):
            theta, state = carry
            gradient = jnp.array([0.5, 2.0, 0.01]) * theta**3 + theta
            updates, state = optimizer.update(gradient, state, theta)
            theta = optax.apply_updates(theta, updates)
            return (theta, state), theta

        theta = jnp.asarray(start, jnp.float32)
        return jax.lax.scan(step, (theta, optimizer.init(theta)), length=STEPS)[1]

    expected = np.array(list(rule(start)))
    # in float32, 1 - 0.999^t alone is off by up to 6e-5 of itself
    np.testing.assert_allclose(run(metaparameters), expected, rtol=2e-5, atol=1e-5)


def test_one_compiled_step_serves_trials_with_their_own_metaparameters() -> None:
    build = build_optimizer(Named("momentum"))

    def second_update(rate, momentum):
        optimizer = build(lambda step: rate, momentum=momentum)
        state = optimizer.init(jnp.ones(()))
        _, state = optimizer.update(jnp.ones(()), state)
        return optimizer.update(jnp.ones(()), state)[0]

    rates, momenta = np.float32([0.1, 1.0, 3.0]), np.float32([0.0, 0.5, 0.9])
    updates = jax.jit(jax.vmap(second_update))(rates, momenta)
    np.testing.assert_allclose(updates, -rates * (1 + momenta), rtol=1e-6)
