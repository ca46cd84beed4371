"""The order in which a training run meets its examples: a pure function of seed and position."""

import numpy as np
from numpy.typing import NDArray


def fixed_permutation(*, examples: int, seed: int, stream: int) -> NDArray[np.int64]:
    """Returns a permutation of range(examples) that depends on (seed, stream, examples) alone.

    It sorts the raw output of Philox4x64-10 (Salmon et al. 2011) with the key (seed, stream):
    numpy promises that output for all its versions, but not that of `Generator.permutation`.

    Raises:
        ValueError: seed or stream is not an unsigned 64-bit integer.
    """
    if not (0 <= seed < 2**64 and 0 <= stream < 2**64):
        raise ValueError(f"seed {seed} and stream {stream} must be unsigned 64-bit integers")
    key = np.array([seed, stream], dtype=np.uint64)
    draws = np.random.Philox(key=key).random_raw(examples)
    return np.argsort(draws, kind="stable").astype(np.int64, copy=False)


class BatchOrder:
    """The endless stream of minibatches: epoch after epoch, each in an order of its own.

    Position p = step * batch_size + j of the stream holds the example at place p % examples of the
    permutation of epoch p // examples, so every epoch meets every example exactly once and a
    minibatch may straddle two epochs. The last permutation used is kept: windows asked for one
    after the other cost one permutation per epoch.
    """

    def __init__(self, *, examples: int, batch_size: int, seed: int) -> None:
        """Describes the stream; see `window`."""
        if examples < 1 or batch_size < 1:
            raise ValueError(f"examples {examples} and batch_size {batch_size} must be positive")
        self._examples = examples
        self._batch_size = batch_size
        self._seed = seed
        self._epoch = -1
        self._permutation: NDArray[np.int64] = np.empty(0, np.int64)

    def window(self, *, first_step: int, steps: int) -> NDArray[np.int64]:
        """Returns the indices [steps, batch_size] of the steps from `first_step` on."""
        position = first_step * self._batch_size
        end = position + steps * self._batch_size
        pieces = []
        while position < end:
            epoch, place = divmod(position, self._examples)
            piece = self._epoch_order(epoch)[place : place + end - position]
            pieces.append(piece)
            position += len(piece)
        flat = np.concatenate(pieces) if pieces else np.empty(0, np.int64)
        return flat.reshape(steps, self._batch_size)

    def _epoch_order(self, epoch: int) -> NDArray[np.int64]:
        if epoch != self._epoch:
            self._permutation = fixed_permutation(
                examples=self._examples, seed=self._seed, stream=epoch
            )
            self._epoch = epoch
        return self._permutation


def batch_indices(
    *, examples: int, batch_size: int, seed: int, first_step: int, steps: int
) -> NDArray[np.int64]:
    """Returns the indices [steps, batch_size] of the minibatches of some consecutive steps.

    The same as one window of `BatchOrder`: any window can be computed on its own.
    """
    order = BatchOrder(examples=examples, batch_size=batch_size, seed=seed)
    return order.window(first_step=first_step, steps=steps)
