"""How long the analysis of many measurements takes, and how much memory.

    python benchmarks/bench_analysis.py [--measurements 10000000]

makes a synthetic table, then prints the seconds from the table to steps to result and to the
findings with the fitted curve, and the peak memory of the process, table included.
"""

import argparse
import resource
import sys
import time

import numpy as np
import pyarrow as pa

from batchscope.analysis import find, steps_to_result
from batchscope.results import SweepTables
from batchscope.results.schema import MEASUREMENTS, Status, trials_schema
from batchscope.spec.sweep import Budget, Goal, Named, Sweep

_BATCH_SIZES = tuple(2**e for e in range(2, 12))
_EVALUATIONS = 1000
_GOAL = Goal("val/classification_error", below=0.1)


def synthetic_sweep(measurements: int, *, seed: int = 0) -> SweepTables:
    """Returns an unpruned sweep of ten studies with `measurements` rows, 1,000 per trial.

    A trial's error falls as 1/step through the goal at its own crossing, with 5 % noise.
    """
    rng = np.random.default_rng(seed)
    trials = max(8, measurements // _EVALUATIONS // len(_BATCH_SIZES))
    sizes = np.repeat(_BATCH_SIZES, trials)
    ids = np.tile(np.arange(trials), len(_BATCH_SIZES))
    steps_at = 1.0 + 64.0 / sizes
    crossing = 100 * steps_at * np.exp(rng.gamma(2.0, 0.5, size=len(sizes)))
    spacing = np.maximum(1, np.rint(0.5 * steps_at)).astype(np.int64)
    step = (np.arange(1, _EVALUATIONS + 1)[None, :] * spacing[:, None]).ravel()
    error = np.repeat(0.1 * crossing, _EVALUATIONS) / step
    error *= rng.normal(1.0, 0.05, size=len(error))
    error = np.minimum(error, 1.0)
    examples = pa.array(np.full(len(step), 1024))
    table = pa.Table.from_arrays(
        [
            pa.array(np.repeat(sizes, _EVALUATIONS)),
            pa.array(np.repeat(ids, _EVALUATIONS)),
            pa.array(step),
            pa.array(2 * error),
            pa.array(3 * error),
            pa.array(error),
            pa.array(1 - error),
            examples,
        ],
        schema=MEASUREMENTS,
    )
    rates = pa.array(rng.uniform(0.01, 1.0, size=len(sizes)))
    rows = pa.Table.from_arrays(
        [
            pa.array(sizes),
            pa.array(ids),
            pa.array(np.zeros(len(sizes), dtype=np.int64)),
            pa.array([Status.COMPLETE.value] * len(sizes)),
            pa.array(_EVALUATIONS * spacing),
            pa.nulls(len(sizes), pa.int64()),
            pa.nulls(len(sizes), pa.int64()),
            rates,
        ],
        schema=trials_schema(["learning_rate"]),
    )
    workload = Named("synthetic")
    sweep = Sweep(
        "synthetic", workload, workload, workload, workload, _GOAL, _BATCH_SIZES, trials,
        Budget(steps=10**6), (),
    )  # fmt: skip
    return SweepTables(sweep, table, rows)


def _peak_gib() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes.
    return peak / (2**30 if sys.platform == "darwin" else 2**20)


def main() -> None:
    """Prints seconds and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measurements", type=int, default=10_000_000)
    count = parser.parse_args().measurements
    tables = synthetic_sweep(count)
    print(f"{tables.measurements.num_rows:,} measurements; peak {_peak_gib():.2f} GiB with table")
    start = time.perf_counter()
    steps_to_result(tables.measurements, metric=_GOAL.metric, value=_GOAL.value, maximize=False)
    middle = time.perf_counter()
    findings = find([tables])
    end = time.perf_counter()
    print(f"steps to result {middle - start:.2f} s")
    print(f"findings with curve {end - middle:.2f} s")
    print(f"peak {_peak_gib():.2f} GiB")
    print(findings.sweeps[0].headline)


if __name__ == "__main__":
    main()
