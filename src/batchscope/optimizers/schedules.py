"""Learning rate schedules: eta(t) for the step t = 0, 1, 2, ...

eta_0 is `learning_rate`, alpha `end_learning_rate_factor`, T `learning_rate_decay_steps` and
W `learning_rate_warmup_steps`. All of them, and t, may be traced scalars, so nothing here branches
on a value. T and W need not be whole numbers.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp

Scalar = float | jax.Array
Schedule = Callable[[Scalar], jax.Array]


def constant(*, learning_rate: Scalar) -> Schedule:
    """Returns eta(t) = eta_0."""
    return lambda step: jnp.asarray(learning_rate, jnp.float32)


def linear_decay(
    *,
    learning_rate: Scalar,
    end_learning_rate_factor: Scalar,
    learning_rate_decay_steps: Scalar,
) -> Schedule:
    """Returns eta(t) = eta_0 (1 - (1 - alpha) t / T) up to T, then alpha eta_0.

    The schedule that Shallue et al. 2019 (section 4) use for most workloads.
    """

    def schedule(step: Scalar) -> jax.Array:
        progress = _progress(step, start=0.0, end=learning_rate_decay_steps)
        return _decayed(learning_rate, end_learning_rate_factor, progress)

    return schedule


def cosine(
    *,
    learning_rate: Scalar,
    end_learning_rate_factor: Scalar,
    learning_rate_decay_steps: Scalar,
) -> Schedule:
    """Returns half a cosine from eta_0 at 0 to alpha eta_0 at T, constant from there.

    eta(t) = eta_0 (alpha + (1 - alpha) (1 + cos(pi t / T)) / 2), Loshchilov and Hutter 2017,
    equation 5 without restarts.
    """

    def schedule(step: Scalar) -> jax.Array:
        progress = _progress(step, start=0.0, end=learning_rate_decay_steps)
        fallen = (1 - jnp.cos(jnp.pi * progress)) / 2
        return _decayed(learning_rate, end_learning_rate_factor, fallen)

    return schedule


def piecewise_linear(
    *,
    learning_rate: Scalar,
    end_learning_rate_factor: Scalar,
    learning_rate_decay_steps: Scalar,
    learning_rate_warmup_steps: Scalar,
) -> Schedule:
    """Returns a linear warm-up over W steps followed by a linear decay that ends at T.

    eta(t) = eta_0 (t + 1) / (W + 1)                        for t < W: no step is wasted on eta = 0
             eta_0 (1 - (1 - alpha) (t - W) / (T - W))      for W <= t <= T
             alpha eta_0                                    for t > T

    W = 0 is `linear_decay`. Where T <= W the decay has no room: alpha eta_0 follows the warm-up.
    """

    def schedule(step: Scalar) -> jax.Array:
        warmup = jnp.asarray(learning_rate_warmup_steps, jnp.float32)
        time = jnp.asarray(step, jnp.float32)
        rising = learning_rate * (time + 1) / (warmup + 1)
        progress = _progress(step, start=warmup, end=learning_rate_decay_steps)
        falling = _decayed(learning_rate, end_learning_rate_factor, progress)
        return jnp.where(time < warmup, rising, falling)

    return schedule


def _progress(step: Scalar, *, start: Scalar, end: Scalar) -> jax.Array:
    """Returns the share of the way from `start` to `end`, within [0, 1]; 1 if there is no way."""
    length = jnp.asarray(end, jnp.float32) - start
    # the inner where keeps a zero length out of the division, which would be 0 / 0 at the start
    share = (jnp.asarray(step, jnp.float32) - start) / jnp.where(length > 0, length, 1.0)
    return jnp.where(length > 0, jnp.clip(share, 0.0, 1.0), 1.0)


def _decayed(learning_rate: Scalar, factor: Scalar, progress: jax.Array) -> jax.Array:
    return learning_rate * (1 - (1 - factor) * progress)


SCHEDULES: dict[str, Callable[..., Schedule]] = {
    "constant": constant,
    "linear_decay": linear_decay,
    "cosine": cosine,
    "piecewise_linear": piecewise_linear,
}
