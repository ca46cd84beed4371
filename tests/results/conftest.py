"""A small sweep and tables for it."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from batchscope.results import MEASUREMENTS, METRICS, PARAMETER_PREFIX, trials_schema
from batchscope.spec import Sweep, load_sweep, override

Tables = dict[str, pa.Table]


@pytest.fixture
def sweep() -> Sweep:
    """Batch sizes 4 and 8, 6 trials each, in two packs."""
    return override(load_sweep("quick"), batch_sizes=[4, 8], trials=6, trials_per_pack=3)


@pytest.fixture
def tables(sweep: Sweep) -> Callable[..., Tables]:
    """Makes the tables of a pack: trials pack, pack + 2, pack + 4 with two measurements each."""

    def make(batch_size: int, pack: int, *, evaluations: int = 2) -> Tables:
        random = np.random.default_rng([batch_size, pack])
        ids = np.arange(pack, 6, 2)
        rows = len(ids) * evaluations
        names = sweep.parameter_names
        return {
            "measurements": pa.table(
                {
                    "batch_size": np.full(rows, batch_size),
                    "trial_id": np.repeat(ids, evaluations),
                    "step": np.tile(np.arange(evaluations) * 10 + 10, len(ids)),
                    **{metric: random.random(rows) for metric in METRICS},
                    "val/examples": np.full(rows, 1024),
                }
            ).cast(MEASUREMENTS),
            "trials": pa.table(
                {
                    "batch_size": np.full(len(ids), batch_size),
                    "trial_id": ids,
                    "pack": np.full(len(ids), pack),
                    "status": ["COMPLETE", "PRUNED", "INFEASIBLE"],
                    "steps": np.full(len(ids), 20),
                    "goal_step": pa.array([20, None, None], pa.int64()),
                    "goal_step_after": pa.array([10, None, None], pa.int64()),
                    **{PARAMETER_PREFIX + name: random.random(len(ids)) for name in names},
                }
            ).cast(trials_schema(names)),
        }

    return make
