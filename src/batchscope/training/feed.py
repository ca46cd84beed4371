"""Bringing training examples to the devices."""

from collections.abc import Callable
from typing import Any

import numpy as np

from batchscope.data import BatchOrder, Examples
from batchscope.training import trial
from batchscope.training.microbatches import Microbatches

RESIDENT_BYTES = 1 << 30


class Feed:
    """The batches of a study, the same for all of its trials.

    A training set of up to `resident_bytes` lies on the devices as a whole and batches are
    indices into it; of a larger one only the examples of the present window are there.

    Args:
        examples: the training set.
        seed: of the batch order.
        replicate: puts arrays on every device.
        resident_bytes: size of the largest training set kept on the devices.
    """

    def __init__(
        self,
        examples: Examples,
        *,
        seed: int,
        replicate: Callable[[Any], Any],
        resident_bytes: int = RESIDENT_BYTES,
    ) -> None:
        self._examples = examples
        self._seed = seed
        self._replicate = replicate
        one, _ = examples.fetch(np.zeros(1, np.int64))
        self._resident: trial.Examples | None = None
        self._order: tuple[int, BatchOrder] | None = None
        if one.nbytes * len(examples) <= resident_bytes:
            everything = examples.fetch(np.arange(len(examples)))
            self._resident = replicate(trial.Examples(*everything))

    def window(
        self, microbatches: Microbatches, *, first_step: int, steps: int
    ) -> tuple[trial.Examples, np.ndarray]:
        """Returns examples on the devices and the batches as indices into them.

        Returns:
            the examples, and an array of [steps, batch size].
        """
        order = self._order_for(microbatches.batch_size)
        batches = order.window(first_step=first_step, steps=steps)
        if self._resident is not None:
            return self._resident, batches
        wanted = np.zeros(microbatches.capacity * microbatches.size, np.int64)
        wanted[: batches.size] = batches.reshape(-1)
        examples = self._replicate(trial.Examples(*self._examples.fetch(wanted)))
        return examples, np.arange(batches.size).reshape(batches.shape)

    def _order_for(self, batch_size: int) -> BatchOrder:
        if self._order is None or self._order[0] != batch_size:
            order = BatchOrder(examples=len(self._examples), batch_size=batch_size, seed=self._seed)
            self._order = batch_size, order
        return self._order[1]


def validation_chunks(examples: Examples, *, chunk: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns a whole split cut into chunks: inputs [chunks, chunk, ...], labels [chunks, chunk].

    The last chunk is padded with copies of the first example.
    """
    chunks = -(-len(examples) // chunk)
    indices = np.zeros(chunks * chunk, np.int64)
    indices[: len(examples)] = np.arange(len(examples))
    inputs, labels = examples.fetch(indices)
    return inputs.reshape(chunks, chunk, *inputs.shape[1:]), labels.reshape(chunks, chunk)
