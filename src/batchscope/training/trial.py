"""One trial: how it starts, trains and is evaluated. Pure functions, mapped over trials elsewhere.

Everything that tells two trials of a study apart (metaparameters, trial id) is a traced argument,
and so are the batch size and the number of steps: one executable serves them all.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from batchscope.training.loss import classification_errors, cross_entropy

Parameters = Any
Metaparameters = Mapping[str, jax.Array]
Array = Any  # an argument of a compiled function: NumPy on the host, traced inside


class TrialState(NamedTuple):
    """What a trial carries from step to step.

    Attributes:
        parameters: of the model.
        optimizer: state of the optimizer.
        loss_sum: sum of the minibatch cross entropies since the last evaluation, a scalar.
    """

    parameters: Parameters
    optimizer: optax.OptState
    loss_sum: jax.Array


class Examples(NamedTuple):
    """Examples on the device: inputs [n, ...] float32, labels [n] int32."""

    inputs: Array
    labels: Array


class Window(NamedTuple):
    """A run of consecutive training steps, the same for every trial.

    Attributes:
        examples: where the batches are taken from.
        rows: [capacity, microbatch] indices into `examples`; step k of the window owns the rows
            k * microbatches ... (k + 1) * microbatches - 1.
        first_step: steps trained before this window.
        steps: steps in it.
        microbatches: rows per step.
        batch_size: examples per step; what the last row of a step holds beyond it is padding.
        starts_interval: whether an evaluation lies right before this window.
    """

    examples: Examples
    rows: Array
    first_step: Array
    steps: Array
    microbatches: Array
    batch_size: Array
    starts_interval: Array


class ErrorLimits(NamedTuple):
    """Sums beyond which an evaluation may stop: the goal is missed whatever follows."""

    classification_errors: Array  # int32
    cross_entropy: Array  # float32


class Evaluated(NamedTuple):
    """Sums over the validation examples seen, scalars; means are taken on the host."""

    cross_entropy: Array
    classification_errors: Array
    examples: Array


class Trial:
    """The functions of one trial of a workload.

    Args:
        module: a flax module; called with `training` if its `__call__` takes it.
        input_shape: of one example.
        make_optimizer: metaparameters -> optax transformation.
        uses_dropout: whether the module draws random numbers while training.
        seed: of the sweep; initial parameters and dropout derive from (seed, trial id).
    """

    def __init__(
        self,
        module: Any,
        *,
        input_shape: tuple[int, ...],
        make_optimizer: Callable[[Metaparameters], optax.GradientTransformation],
        uses_dropout: bool,
        seed: int,
    ) -> None:
        self._module = module
        self._input_shape = input_shape
        self._make_optimizer = make_optimizer
        self._uses_dropout = uses_dropout
        self._seed = seed

    def start(self, trial_id: jax.Array, metaparameters: Metaparameters) -> TrialState:
        """Returns the untrained state of a trial."""
        initialisation, _ = self._keys(trial_id)
        one = jnp.zeros((1, *self._input_shape), jnp.float32)
        arguments = {"training": False} if self._uses_dropout else {}
        parameters = self._module.init(initialisation, one, **arguments)["params"]
        optimizer = self._make_optimizer(metaparameters).init(parameters)
        return TrialState(parameters, optimizer, jnp.float32(0))

    def train(
        self,
        state: TrialState,
        trial_id: jax.Array,
        metaparameters: Metaparameters,
        window: Window,
        *,
        one_microbatch: bool,
    ) -> TrialState:
        """Returns the state after the steps of `window`.

        The gradient of a step is the mean over its batch, accumulated over microbatches.
        `one_microbatch` says that every step has a single one, which saves the accumulator.
        """
        optimizer = self._make_optimizer(metaparameters)
        smoothing = metaparameters.get("label_smoothing")
        _, dropout = self._keys(trial_id)
        size = window.rows.shape[1]

        def sums(parameters: Parameters, step: jax.Array, row: jax.Array) -> Any:
            """Gradient of the summed loss of one microbatch, and its summed cross entropy."""
            indices = window.rows[step * window.microbatches + row]
            inputs = window.examples.inputs.at[indices].get(mode="clip")
            labels = window.examples.labels.at[indices].get(mode="clip")
            positions = row * size + jnp.arange(size)
            weights = (positions < window.batch_size).astype(jnp.float32)
            key = jax.random.fold_in(dropout, window.first_step + step)

            def loss(parameters: Parameters) -> tuple[jax.Array, jax.Array]:
                logits = self._training_logits(parameters, inputs, key, positions)
                plain = cross_entropy(logits, labels)
                smoothed = plain if smoothing is None else cross_entropy(logits, labels, smoothing)
                return _weighted_sum(smoothed, weights), _weighted_sum(plain, weights)

            return jax.grad(loss, has_aux=True)(parameters)

        def step(k: jax.Array, state: TrialState) -> TrialState:
            if one_microbatch:
                gradient, loss = sums(state.parameters, k, jnp.int32(0))
            else:
                zeros = jax.tree.map(jnp.zeros_like, state.parameters)
                gradient, loss = jax.lax.fori_loop(
                    0,
                    window.microbatches,
                    lambda row, total: jax.tree.map(jnp.add, total, sums(state.parameters, k, row)),
                    (zeros, jnp.float32(0)),
                )
            scale = 1 / window.batch_size.astype(jnp.float32)
            gradient = jax.tree.map(lambda leaf: leaf * scale, gradient)
            updates, optimizer_state = optimizer.update(gradient, state.optimizer, state.parameters)
            parameters = optax.apply_updates(state.parameters, updates)
            return TrialState(parameters, optimizer_state, state.loss_sum + loss * scale)

        loss_sum = jnp.where(window.starts_interval, 0, state.loss_sum)
        return jax.lax.fori_loop(0, window.steps, step, state._replace(loss_sum=loss_sum))

    def evaluate(
        self, state: TrialState, examples: Examples, count: jax.Array, limits: ErrorLimits
    ) -> Evaluated:
        """Returns sums over validation examples, until they are used up or a limit is passed.

        Args:
            state: the trial.
            examples: inputs [chunks, chunk, ...] and labels [chunks, chunk], padded at the end.
            count: number of real examples.
            limits: when to stop.
        """
        chunks, size = examples.labels.shape

        def body(carry: tuple[jax.Array, Evaluated]) -> tuple[jax.Array, Evaluated]:
            chunk, total = carry
            labels = examples.labels[chunk]
            logits = self._logits(state.parameters, examples.inputs[chunk])
            real = chunk * size + jnp.arange(size) < count
            errors = jnp.where(real, classification_errors(logits, labels), False)
            seen = Evaluated(
                total.cross_entropy
                + _weighted_sum(cross_entropy(logits, labels), real.astype(jnp.float32)),
                total.classification_errors + errors.sum(dtype=jnp.int32),
                total.examples + real.sum(dtype=jnp.int32),
            )
            return chunk + 1, seen

        def undecided(carry: tuple[jax.Array, Evaluated]) -> jax.Array:
            chunk, total = carry
            passed = (total.classification_errors > limits.classification_errors) | (
                total.cross_entropy > limits.cross_entropy
            )
            return (chunk < chunks) & ~passed

        nothing = Evaluated(jnp.float32(0), jnp.int32(0), jnp.int32(0))
        return jax.lax.while_loop(undecided, body, (jnp.int32(0), nothing))[1]

    def _keys(self, trial_id: jax.Array) -> tuple[jax.Array, jax.Array]:
        key = jax.random.fold_in(jax.random.key(self._seed), trial_id)
        initialisation, dropout = jax.random.split(key)
        return initialisation, dropout

    def _logits(self, parameters: Parameters, inputs: jax.Array) -> jax.Array:
        arguments = {"training": False} if self._uses_dropout else {}
        logits: jax.Array = self._module.apply({"params": parameters}, inputs, **arguments)
        return logits

    def _training_logits(
        self, parameters: Parameters, inputs: jax.Array, key: jax.Array, positions: jax.Array
    ) -> jax.Array:
        if not self._uses_dropout:
            return self._logits(parameters, inputs)

        # a key per example: the mask does not depend on how a batch is cut into microbatches
        def one(example: jax.Array, position: jax.Array) -> jax.Array:
            logits: jax.Array = self._module.apply(
                {"params": parameters},
                example[None],
                training=True,
                rngs={"dropout": jax.random.fold_in(key, position)},
            )
            return logits[0]

        return jax.vmap(one)(inputs, positions)


def _weighted_sum(values: jax.Array, weights: jax.Array) -> jax.Array:
    # where, not multiplication: padding must not turn an infinite loss into NaN or back
    return jnp.where(weights > 0, values, 0).sum()
