"""What the engine costs, and against what: ratios measured in one run on one machine.

1. A whole sweep of 100 trials x 10 batch sizes, measured to its end, pruned at the minimum: the
   fewest steps at every batch size and the trial that needed them.
2. The same trials to goal or budget, one process per trial; and one after the other in PyTorch
   where that is installed. Their steps are counted by training the first trials of the sequence
   without pruning, their cost per step and start-up is measured on a few trials at some batch
   sizes and interpolated between them, and the products are added up.
3. The arithmetic rate at each batch size against this machine's own matrix-multiply peak.
4. The step of the Simple CNN against PyTorch's.

Usage: python benchmarks/bench_engine.py [SWEEP]        (about 6 minutes on two cores)
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path

from batchscope.training.devices import configure

configure()

import numpy as np  # noqa: E402
import pyarrow.compute as pc  # noqa: E402

from batchscope.results.schema import Status  # noqa: E402
from batchscope.spec import Sweep, load_sweep, override, parse_sweep  # noqa: E402
from batchscope.training.engine import Engine  # noqa: E402
from batchscope.training.workload import load_workload  # noqa: E402

_BASELINES = Path(__file__).parent / "baselines"
_TRIALS = 100
_COUNTED_TRIALS = 12  # trained without pruning, to count steps to goal or budget
_TIMED_BATCH_SIZES = (4, 32, 256, 2048)
_TIMED_STEPS = 120
_HAS_TORCH = importlib.util.find_spec("torch") is not None


def main() -> None:
    """Prints all ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sweep", nargs="?", default="mnist_10k_nesterov")
    name = parser.parse_args().sweep
    sweep = override(load_sweep(name), trials=_TRIALS, prune="min")

    peak = _peak_flops()
    print(f"matrix-multiply peak of this machine: {peak / 1e9:.0f} GFLOP/s, float32\n")
    sweep_s = _whole_sweep(sweep)
    steps = _steps_to_goal_or_budget(sweep)
    _against_processes(name, sweep, steps, sweep_s)
    if _HAS_TORCH:
        _against_torch(name, sweep, steps, sweep_s)
    else:
        print("PyTorch is not installed: its loop is left out (pip install batchscope[bench])\n")
    _arithmetic_rate(sweep, peak)
    _simple_cnn()


def _peak_flops() -> float:
    """Returns FLOP/s of a large float32 product in NumPy's BLAS, which uses all cores."""
    size = 2048
    a = np.ones((size, size), np.float32)
    seconds = []
    for _ in range(6):
        begun = time.perf_counter()
        a @ a
        seconds.append(time.perf_counter() - begun)
    return 2 * size**3 / min(seconds)


def _whole_sweep(sweep: Sweep) -> float:
    begun = time.perf_counter()
    engine = Engine(sweep, load_workload(sweep))
    print(f"{sweep.name}, {sweep.trials} trials, goal {sweep.goal}, prune {sweep.prune}")
    for batch_size in sweep.batch_sizes:
        tables = engine.run_pack(batch_size, 0)
        pruned = sum(s == Status.PRUNED for s in tables.trials["status"].to_pylist())
        print(
            f"  batch size {batch_size:>5}: {pc.min(tables.trials['goal_step'])} steps, "
            f"{pruned} pruned, {pc.sum(tables.trials['steps']).as_py():>7,} trial-steps, "
            f"{tables.elapsed_s:5.1f} s",
            flush=True,
        )
    seconds = time.perf_counter() - begun
    print(f"  whole sweep: {seconds:.1f} s\n", flush=True)
    return seconds


def _steps_to_goal_or_budget(sweep: Sweep) -> dict[int, float]:
    """Returns the mean steps of a trial that is not pruned, by batch size."""
    unpruned = override(sweep, trials=_COUNTED_TRIALS, prune="kth", k=_COUNTED_TRIALS)
    engine = Engine(unpruned, load_workload(unpruned))
    counted = {}
    for batch_size in sweep.batch_sizes:
        trials = engine.run_pack(batch_size, 0).trials
        counted[batch_size] = pc.mean(trials["steps"]).as_py()
    listed = ", ".join(f"{b}: {s:,.0f}" for b, s in counted.items())
    print(f"steps to goal or budget, mean of {_COUNTED_TRIALS} trials: {listed}\n", flush=True)
    return counted


def _baseline(script: str, *arguments: object) -> dict[str, float]:
    command = [sys.executable, str(_BASELINES / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _interpolated(at: dict[int, float], batch_size: int) -> float:
    """Returns a cost between the batch sizes it was measured at, in log-log."""
    x, y = np.log(list(at)), np.log(list(at.values()))
    return float(np.exp(np.interp(np.log(batch_size), x, y)))


def _total(sweep: Sweep, steps: dict[int, float], step_s: dict[int, float]) -> float:
    return sum(sweep.trials * steps[b] * _interpolated(step_s, b) for b in sweep.batch_sizes)


def _against_processes(name: str, sweep: Sweep, steps: dict[int, float], sweep_s: float) -> None:
    startup_s, step_s = [], {}
    for batch_size in _TIMED_BATCH_SIZES:
        most = max(_TIMED_STEPS, 16 * 512 // batch_size)
        runs = [_baseline("one_trial.py", name, batch_size, t, most) for t in (0, 1)]
        startup_s += [run["startup_s"] for run in runs]
        step_s[batch_size] = sum(r["steps_s"] for r in runs) / sum(r["steps"] for r in runs)
    start = float(np.mean(startup_s))
    total = sweep.trials * len(sweep.batch_sizes) * start + _total(sweep, steps, step_s)
    _print_comparison("one process per trial", step_s, total, sweep_s, f"{start:.1f} s to start, ")


def _against_torch(name: str, sweep: Sweep, steps: dict[int, float], sweep_s: float) -> None:
    step_s = {}
    for batch_size in _TIMED_BATCH_SIZES:
        most = max(_TIMED_STEPS, 16 * 512 // batch_size)
        step_s[batch_size] = _baseline("torch_loop.py", "trials", name, batch_size, most, 0, 1)[
            "step_s"
        ]
    _print_comparison("sequential PyTorch", step_s, _total(sweep, steps, step_s), sweep_s, "")


def _print_comparison(
    name: str, step_s: dict[int, float], total_s: float, sweep_s: float, prefix: str
) -> None:
    listed = ", ".join(f"{b}: {1e6 * s:,.0f} us" for b, s in step_s.items())
    print(f"{name}: {prefix}steps with their evaluations {listed}")
    print(
        f"  the same trials: {total_s:,.0f} s = {total_s / sweep_s:.0f} x the engine\n", flush=True
    )


def _arithmetic_rate(sweep: Sweep, peak: float) -> None:
    workload = load_workload(sweep)
    engine = Engine(sweep, workload)
    shapes = [(784, 64), (64, 10)]
    # forward, weight gradient, and the input gradient of every layer but the first
    per_example = sum(2 * a * b * (2 if i == 0 else 3) for i, (a, b) in enumerate(shapes))
    print("arithmetic rate of training steps, of peak (the floating-point work of fc_64 alone)")
    for batch_size in sweep.batch_sizes:
        step_s = min(engine.time_step(batch_size, trials=sweep.trials) for _ in range(3))
        rate = per_example * batch_size / step_s
        print(
            f"  batch size {batch_size:>5}: {1e6 * step_s:8.1f} us per trial-step, "
            f"{rate / 1e9:4.0f} GFLOP/s = {rate / peak:4.0%}",
            flush=True,
        )
    print()


def _simple_cnn() -> None:
    print("Simple CNN, momentum: images per second on this machine, two trials in parallel")
    sweep = parse_sweep(_CNN)
    engine = Engine(sweep, load_workload(sweep))
    for batch_size in (32, 64, 128, 256):
        ours, theirs = [], []
        for _ in range(3):  # in turn, so that a busy moment of the machine hits both
            ours.append(batch_size / engine.time_step(batch_size, trials=2))
            if _HAS_TORCH:
                step_s = _baseline("torch_loop.py", "cnn", batch_size, 6)["step_s"]
                theirs.append(batch_size / step_s)
        line = f"  batch size {batch_size:>4}: engine {max(ours):6,.0f}"
        if theirs:
            line += f", PyTorch {max(theirs):6,.0f}; ratio {max(theirs) / max(ours):.2f}"
        print(line, flush=True)


_CNN = """
name = "simple_cnn"
dataset = "mnist_10k"
model = "simple_cnn"
optimizer = "momentum"
schedule = "constant"
goal = { metric = "val/classification_error", below = 0.01 }
batch_sizes = [32, 64, 128, 256]
trials = 2
budget = { steps = 100 }
[metaparameters]
learning_rate = 0.01
momentum = 0.9
"""


if __name__ == "__main__":
    main()
