"""`batchscope run`."""

import argparse
import sys
import time
from pathlib import Path

from batchscope.cli.interrupt import StopSignal
from batchscope.cli.progress import open_display
from batchscope.cli.report import write
from batchscope.cli.sources import load_sweeps
from batchscope.errors import SpecError
from batchscope.spec import Sweep

_INTERRUPTED = 130


def run(options: argparse.Namespace) -> int:
    """Measures the sweeps, then writes the report over everything in the folder."""
    sweeps = load_sweeps(options.sweep, options)
    out: Path = options.out
    if out.exists() and not out.is_dir():
        raise SpecError(f"--out {out} is a file, expected a folder; name another")
    begun_s = time.monotonic()
    if not _measure(sweeps, out, options):
        print(
            f"batchscope: interrupted; what was done is kept in {out}. "
            "Run the same command again to go on from there.",
            file=sys.stderr,
        )
        return _INTERRUPTED
    files = write([out], out)
    if not options.quiet:
        print(f"\n{files.summary}\n")
    print(f"report: {files.html} ({time.monotonic() - begun_s:.0f} s)")
    return 0


def _measure(sweeps: list[Sweep], out: Path, options: argparse.Namespace) -> bool:
    """Trains what is missing; returns whether everything is there now."""
    from batchscope.training.devices import configure

    configure()
    from batchscope.training.engine import Interrupted
    from batchscope.training.run import open_store, run_sweep
    from batchscope.training.workload import load_workload

    # every sweep is checked before the first is trained
    workloads = [load_workload(sweep) for sweep in sweeps]
    stores = [open_store(sweep, out / sweep.name) for sweep in sweeps]
    with StopSignal() as stop, open_display(quiet=options.quiet) as display:
        for sweep, workload, store in zip(sweeps, workloads, stores, strict=True):
            display.begin(sweep)
            for problem in store.read().problems:
                display.warn(problem)
            try:
                run_sweep(
                    sweep,
                    store,
                    workload=workload,
                    listener=display.listener(should_stop=lambda: stop.requested),
                    checkpoint_s=options.checkpoint_seconds,
                )
            except Interrupted:
                return False
            display.end()
    return True
