"""Cutting a batch into microbatches: few sizes, so that few executables serve every batch size."""

from dataclasses import dataclass

import numpy as np

# A batch of up to so many examples is one microbatch of that size, padded; a larger one is cut
# into microbatches of the largest size whose gradients are added up.
CPU_SIZES = (4, 16, 64, 128)
# Padding costs a large model more than compiling another size does.
CPU_SIZES_LARGE_MODEL = (4, 8, 16, 32, 64, 128)
LARGE_MODEL_PARAMETERS = 500_000
ACCELERATOR_SIZES = (16, 128, 1024)


def microbatch_sizes(*, backend: str, parameter_count: int) -> tuple[int, ...]:
    """Returns the sizes to choose from, ascending."""
    if backend != "cpu":
        return ACCELERATOR_SIZES
    large = parameter_count > LARGE_MODEL_PARAMETERS
    return CPU_SIZES_LARGE_MODEL if large else CPU_SIZES


@dataclass(frozen=True)
class Microbatches:
    """How the batches of one study are cut.

    Attributes:
        batch_size: examples per step.
        size: examples per microbatch.
        single: whether batches of this kind are always one microbatch.
        capacity: rows in the index array of one window; at least `per_step`.
    """

    batch_size: int
    size: int
    single: bool
    capacity: int

    @classmethod
    def plan(
        cls, batch_size: int, *, sizes: tuple[int, ...], largest_batch: int, window_examples: int
    ) -> "Microbatches":
        """Returns the cut for a batch size.

        Args:
            batch_size: examples per step.
            sizes: microbatch sizes to choose from, ascending.
            largest_batch: the largest batch size that must fit a window.
            window_examples: examples a window should hold; with `largest_batch`, this fixes the
                shape of the index arrays, whatever the batch size.
        """
        size = next((s for s in sizes if batch_size <= s), sizes[-1])
        single = size != sizes[-1]
        examples = window_examples if single else max(window_examples, largest_batch)
        return cls(batch_size, size, single, capacity=-(-examples // size))

    @property
    def per_step(self) -> int:
        """Microbatches per step."""
        return -(-self.batch_size // self.size)

    @property
    def steps_per_window(self) -> int:
        """Steps that fit into one window."""
        return self.capacity // self.per_step

    def rows(self, batches: np.ndarray) -> np.ndarray:
        """Returns the index array of a window: [steps, batch size] -> int32 [capacity, size]."""
        steps = len(batches)
        padded = np.zeros((steps, self.per_step * self.size), np.int32)
        padded[:, : self.batch_size] = batches
        rows = np.zeros((self.capacity, self.size), np.int32)
        rows[: steps * self.per_step] = padded.reshape(-1, self.size)
        return rows
