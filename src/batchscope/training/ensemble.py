"""Many trials advanced together: the functions of one trial mapped over trials and devices.

The trials of a pack lie in *slots*: `slots_per_device` on each device of a one-dimensional mesh.
Inside a device the trials are either taken one after the other (`loop`: a trial's parameters stay
in the cache for many steps, the fastest form on a CPU) or together (`vmap`: one large batched
computation, for GPU and TPU). The slots to advance, the number of steps and the batch size are
arguments, so dropping a trial or changing the batch size compiles nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from batchscope.training.microbatches import Microbatches
from batchscope.training.trial import (
    ErrorLimits,
    Evaluated,
    Examples,
    Trial,
    TrialState,
    Window,
)

TrialAxis = Literal["loop", "vmap"]
_AXIS = "trials"


def default_trial_axis() -> TrialAxis:
    """Returns the faster way to map over trials on the default backend."""
    return "loop" if jax.default_backend() == "cpu" else "vmap"


class Ensemble:
    """The state of up to `slots_per_device * len(devices)` trials, and what can be done to it.

    Args:
        trial: the functions of one trial.
        metaparameters: names of the metaparameters every trial has.
        slots: trials to hold; rounded up to a multiple of the number of devices.
        validation: inputs [chunks, chunk, ...] and labels [chunks, chunk].
        validation_examples: how many of them are real.
        devices: to spread the trials over.
        trial_axis: how trials are mapped inside a device.
    """

    def __init__(
        self,
        trial: Trial,
        *,
        metaparameters: Sequence[str],
        slots: int,
        validation: tuple[np.ndarray, np.ndarray],
        validation_examples: int,
        devices: Sequence[jax.Device],
        trial_axis: TrialAxis,
    ) -> None:
        self._trial = trial
        self._names = tuple(metaparameters)
        self._devices = len(devices)
        self._slots_per_device = -(-slots // self._devices)
        self._axis = trial_axis
        mesh = Mesh(np.asarray(devices), (_AXIS,))
        self._mesh = mesh
        self._split = NamedSharding(mesh, P(_AXIS))
        self._replicated = NamedSharding(mesh, P())
        self._validation = self.replicate(Examples(*validation))
        self._validation_examples = np.int32(validation_examples)
        self._compiled: dict[Any, Callable[..., Any]] = {}
        self._shape = (self._devices, self._slots_per_device)
        self._identity: Any = None
        self._state: TrialState | None = None

    @property
    def capacity(self) -> int:
        """The number of slots."""
        return self._devices * self._slots_per_device

    def replicate(self, tree: Any) -> Any:
        """Returns `tree` with every array on every device."""
        return jax.device_put(tree, self._replicated)

    def start(self, trial_ids: np.ndarray, metaparameters: np.ndarray) -> np.ndarray:
        """Puts untrained trials into slots; whatever was there is gone.

        Args:
            trial_ids: [n], n at most `capacity`.
            metaparameters: [n, names].

        Returns:
            their slots, [n]: contiguous blocks of trials, evenly over the devices.
        """
        slots = self._assign(trial_ids, metaparameters)
        self._state = self._call(
            "start", self._start, (), self._template(), *self._identity, *self._active(slots)
        )
        return slots

    def load(
        self, trial_ids: np.ndarray, metaparameters: np.ndarray, leaves: Sequence[np.ndarray]
    ) -> np.ndarray:
        """Puts trials with the given state into slots; the reverse of `export`."""
        slots = self._assign(trial_ids, metaparameters)
        template, structure = jax.tree.flatten(self._shapes())
        placed = []
        for leaf, spec in zip(leaves, template, strict=True):
            whole = np.zeros((self.capacity, *spec.shape[2:]), spec.dtype)
            whole[slots] = leaf
            placed.append(jax.device_put(whole.reshape(spec.shape), self._split))
        self._state = jax.tree.unflatten(structure, placed)
        return slots

    def export(self, slots: np.ndarray) -> list[np.ndarray]:
        """Returns the leaves of the state of the trials in `slots`, each [n, ...]."""
        return [
            np.asarray(leaf).reshape(self.capacity, *leaf.shape[2:])[slots]
            for leaf in jax.tree.leaves(self._state)
        ]

    def is_balanced(self, slots: np.ndarray) -> bool:
        """Returns whether no device has much more than its share of these slots."""
        loads = np.bincount(slots // self._slots_per_device, minlength=self._devices)
        return bool(loads.max() <= 1.25 * loads.mean() + 1)

    def train(
        self,
        slots: np.ndarray,
        *,
        examples: Examples,
        batches: np.ndarray,
        microbatches: Microbatches,
        first_step: int,
        starts_interval: bool,
    ) -> None:
        """Trains the trials in `slots` for `len(batches)` steps.

        Args:
            slots: of the trials, [n].
            examples: on the devices (see `replicate`).
            batches: indices into `examples`, [steps, batch size].
            microbatches: how a batch of that size is cut.
            first_step: steps trained before.
            starts_interval: whether the trials were evaluated right before.
        """
        window = Window(
            examples=examples,
            rows=microbatches.rows(batches),
            first_step=np.int32(first_step),
            steps=np.int32(len(batches)),
            microbatches=np.int32(microbatches.per_step),
            batch_size=np.int32(microbatches.batch_size),
            starts_interval=np.bool_(starts_interval),
        )
        one = microbatches.per_step == 1 and microbatches.single
        self._state = self._call(
            ("train", one),
            partial(self._train, one),
            (window,),
            self._state,
            *self._identity,
            *self._active(slots),
        )

    def evaluate(self, slots: np.ndarray, limits: ErrorLimits) -> Evaluated:
        """Returns validation sums of the trials in `slots`: arrays of [n]."""
        sums = self._call(
            "evaluate",
            self._evaluate,
            (self._validation, self._validation_examples, limits),
            self._state,
            *self._active(slots),
        )
        return Evaluated(*(np.asarray(array).reshape(-1)[slots] for array in sums))

    def loss_sums(self, slots: np.ndarray) -> np.ndarray:
        """Returns the summed minibatch cross entropies since the last evaluation, [n]."""
        assert self._state is not None
        return np.asarray(self._state.loss_sum).reshape(-1)[slots]

    def wait(self) -> None:
        """Waits until everything asked for is done."""
        jax.block_until_ready(self._state)

    # The functions below run inside one device: leading axis = slots of that device.

    def _start(
        self,
        state: TrialState,
        trial_ids: jax.Array,
        metaparameters: Mapping[str, jax.Array],
        slots: jax.Array,
        count: jax.Array,
    ) -> TrialState:
        # always one by one: how many trials start together must not touch their numbers
        def body(i: jax.Array, state: TrialState) -> TrialState:
            slot = slots[i]
            fresh = self._trial.start(trial_ids[slot], _take(metaparameters, slot))
            return _put(state, slot, fresh)

        return jax.lax.fori_loop(0, count, body, state)

    def _train(
        self,
        one_microbatch: bool,
        state: TrialState,
        trial_ids: jax.Array,
        metaparameters: Mapping[str, jax.Array],
        slots: jax.Array,
        count: jax.Array,
        window: Window,
    ) -> TrialState:
        train: Callable[..., TrialState] = partial(self._trial.train, one_microbatch=one_microbatch)
        if self._axis == "vmap":
            mine = _take((state, trial_ids, metaparameters), slots)
            trained = jax.vmap(train, in_axes=(0, 0, 0, None))(*mine, window)
            return _put(state, slots, trained)

        def body(i: jax.Array, state: TrialState) -> TrialState:
            slot = slots[i]
            mine = _take((state, trial_ids, metaparameters), slot)
            return _put(state, slot, train(*mine, window))

        return jax.lax.fori_loop(0, count, body, state)

    def _evaluate(
        self,
        state: TrialState,
        slots: jax.Array,
        count: jax.Array,
        validation: Examples,
        examples: jax.Array,
        limits: ErrorLimits,
    ) -> Evaluated:
        def evaluate(state: TrialState) -> Evaluated:
            return self._trial.evaluate(state, validation, examples, limits)

        size = (self._slots_per_device,)
        nothing = Evaluated(jnp.zeros(size), jnp.zeros(size, jnp.int32), jnp.zeros(size, jnp.int32))
        if self._axis == "vmap":
            return _put(nothing, slots, jax.vmap(evaluate)(_take(state, slots)))
        return jax.lax.fori_loop(
            0,
            count,
            lambda i, sums: _put(sums, slots[i], evaluate(_take(state, slots[i]))),
            nothing,
        )

    def _call(
        self, key: Any, function: Callable[..., Any], shared: tuple[Any, ...], *split: Any
    ) -> Any:
        """Runs `function` on every device: `split` arguments by device, `shared` ones whole."""
        compiled = self._compiled.get(key)  # jit keeps an executable for each set of shapes
        if compiled is None:

            def on_device(split: Any, shared: Any) -> Any:
                mine = jax.tree.map(lambda leaf: leaf[0], split)
                return jax.tree.map(lambda leaf: leaf[None], function(*mine, *shared))

            mapped = jax.shard_map(
                on_device,
                mesh=self._mesh,
                in_specs=(P(_AXIS), P()),
                out_specs=P(_AXIS),
                check_vma=False,
            )

            def call(state: Any, others: Any, shared: Any) -> Any:
                return mapped((state, *others), shared)

            donated = () if key == "evaluate" else (0,)
            compiled = self._compiled[key] = jax.jit(call, donate_argnums=donated)
        return compiled(split[0], split[1:], shared)

    def _assign(self, trial_ids: np.ndarray, metaparameters: np.ndarray) -> np.ndarray:
        """Gives trials their slots and sends their identity to the devices."""
        blocks = np.array_split(np.arange(len(trial_ids)), self._devices)
        slots = np.concatenate(
            [device * self._slots_per_device + np.arange(len(b)) for device, b in enumerate(blocks)]
        )
        ids = np.zeros(self.capacity, np.int32)
        ids[slots] = trial_ids
        values = np.zeros((self.capacity, len(self._names)), np.float32)
        values[slots] = metaparameters
        self._identity = jax.device_put(
            (
                ids.reshape(self._shape),
                {name: values[:, i].reshape(self._shape) for i, name in enumerate(self._names)},
            ),
            self._split,
        )
        return slots

    def _active(self, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the slots of each device, [devices, width], and how many of them count.

        For `vmap` the width is the next power of two, for `loop` it is fixed. Padding is one past
        the last slot: read from the last one, never written.
        """
        device, slot = np.divmod(slots, self._slots_per_device)
        counts = np.bincount(device, minlength=self._devices).astype(np.int32)
        width = self._slots_per_device
        if self._axis == "vmap":
            width = min(width, 1 << int(counts.max() - 1).bit_length()) if len(slots) else 1
        lists = np.full((self._devices, width), self._slots_per_device, np.int32)
        for d in range(self._devices):
            lists[d, : counts[d]] = slot[device == d]
        return lists, counts

    def _shapes(self) -> TrialState:
        one = jax.eval_shape(
            self._trial.start,
            jax.ShapeDtypeStruct((), jnp.int32),
            {name: jax.ShapeDtypeStruct((), jnp.float32) for name in self._names},
        )
        return jax.tree.map(
            lambda leaf: jax.ShapeDtypeStruct((*self._shape, *leaf.shape), leaf.dtype), one
        )

    def _template(self) -> TrialState:
        """Returns a state of zeros, or the present one, whose memory can be used again."""
        if self._state is not None:
            return self._state
        zeros = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), self._shapes())
        state: TrialState = jax.device_put(zeros, self._split)
        return state


def _take(tree: Any, slots: jax.Array) -> Any:
    """Returns the trials in `slots`: one for a scalar, a batch for an array."""
    if slots.ndim == 0:
        return jax.tree.map(
            lambda leaf: jax.lax.dynamic_index_in_dim(leaf, slots, keepdims=False), tree
        )
    return jax.tree.map(lambda leaf: leaf.at[slots].get(mode="clip"), tree)


def _put(tree: Any, slots: jax.Array, values: Any) -> Any:
    """Returns `tree` with the trials in `slots` replaced; slots past the last are left out."""
    if slots.ndim == 0:
        return jax.tree.map(
            lambda leaf, value: jax.lax.dynamic_update_index_in_dim(leaf, value, slots, 0),
            tree,
            values,
        )
    return jax.tree.map(lambda leaf, value: leaf.at[slots].set(value, mode="drop"), tree, values)
