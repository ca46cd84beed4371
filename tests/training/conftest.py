"""Small sweeps on real images."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from batchscope.spec import Sweep, parse_sweep
from batchscope.training.engine import Engine
from batchscope.training.workload import load_workload

SMALL = """
name = "small"
dataset = { name = "mnist_10k", subset = 1024 }
model = "fc_8"
optimizer = "momentum"
schedule = "constant"
goal = { metric = "val/classification_error", below = 0.35 }
batch_sizes = [16]
trials = 6
prune = "min"
budget = { steps = 120 }
evaluation = { every_examples = 64, growth = 0.05 }

[search_space.parameter_configs.learning_rate]
type = "DOUBLE"
scale = "LOG_SCALE"
min_value = 0.01
max_value = 1.0

[search_space.parameter_configs.momentum]
type = "DOUBLE"
scale = "REVERSE_LOG_SCALE"
min_value = 0.5
max_value = 0.99
"""


@pytest.fixture
def small() -> Sweep:
    """Six trials of 120 steps at batch size 16; about half of them reach the goal."""
    return parse_sweep(SMALL)


@pytest.fixture
def engine() -> Callable[..., Engine]:
    """Makes an engine for a sweep."""

    def make(sweep: Sweep, **options: object) -> Engine:
        return Engine(sweep, load_workload(sweep), **options)  # type: ignore[arg-type]

    return make


@pytest.fixture
def same_bits() -> Callable[[pa.Table, pa.Table], bool]:
    """Whether two tables are equal to the last bit; NaN equals a NaN of the same bits."""

    def bits(column: pa.ChunkedArray) -> list[object]:
        if pa.types.is_floating(column.type):
            return column.to_numpy().view(np.uint64).tolist()
        return column.to_pylist()

    def same(one: pa.Table, other: pa.Table) -> bool:
        return one.schema.equals(other.schema) and all(
            bits(one[name]) == bits(other[name]) for name in one.column_names
        )

    return same
