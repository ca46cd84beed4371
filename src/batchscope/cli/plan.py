"""`batchscope plan`: what a sweep costs on this machine, before it is run."""

import argparse

from batchscope.cli.sources import load_sweeps
from batchscope.cli.wording import duration
from batchscope.spec.sweep import Prune, Sweep

_HEADINGS = ("batch size", "trials", "steps per trial", "examples per trial", "step time", "time")


def plan(options: argparse.Namespace) -> int:
    """Times a few steps at every batch size and prints the largest possible cost."""
    (sweep,) = load_sweeps([options.sweep], options)
    from batchscope.training.devices import configure

    configure()
    from batchscope.training.engine import Engine
    from batchscope.training.workload import load_workload

    workload = load_workload(sweep)
    engine = Engine(sweep, workload)
    print(
        f"{sweep.name}: {sweep.dataset.name}, {sweep.model.name} "
        f"({workload.parameter_count:,} parameters), {sweep.optimizer.name}, "
        f"{sweep.schedule.name}; goal {sweep.goal}\n"
    )
    print("  ".join(f"{heading:>{_width(heading)}}" for heading in _HEADINGS))
    total_s = 0.0
    for batch_size in sweep.batch_sizes:
        steps = sweep.budget.steps_at(batch_size)
        step_s = engine.time_step(batch_size, trials=sweep.trials)
        seconds = sweep.trials * steps * step_s
        total_s += seconds
        cells = (
            f"{batch_size:,}",
            f"{sweep.trials:,}",
            f"{steps:,}",
            f"{batch_size * steps:,}",
            f"{step_s * 1e6:,.0f} us",
            duration(seconds),
        )
        print(
            "  ".join(f"{c:>{_width(h)}}" for c, h in zip(cells, _HEADINGS, strict=True)),
            flush=True,
        )
    print(f"\nAt most about {duration(total_s)} on this machine, {_reservation(sweep)}")
    return 0


def _width(heading: str) -> int:
    return max(len(heading), 10)


def _reservation(sweep: Sweep) -> str:
    if sweep.prune == Prune.NONE:
        return "evaluations not counted: every trial uses its whole budget."
    enough = "one trial has" if sweep.prune == Prune.MIN else f"{sweep.k} trials have"
    return (
        f"evaluations not counted, if no trial reached the goal; a study ends as soon as {enough} "
        "reached it, usually long before."
    )
