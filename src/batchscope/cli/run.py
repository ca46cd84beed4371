"""`batchscope run`."""

import argparse
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from batchscope.cli.display import open_display
from batchscope.cli.interrupt import StopSignal
from batchscope.cli.report import write
from batchscope.cli.sources import load_sweeps
from batchscope.errors import SpecError
from batchscope.spec import Sweep

if TYPE_CHECKING:
    from batchscope.results import SweepStore


def run(options: argparse.Namespace, stop: StopSignal) -> int:
    """Measures the sweeps, then writes the report over everything in the folder.

    Raises:
        SpecError, ResultsError: something is wrong with the sweeps or with the folder.
        KeyboardInterrupt: the user asked to stop; the same command goes on from there.
    """
    begun_s = time.monotonic()
    sweeps = load_sweeps(options.sweep, options)
    _measure(sweeps, options, stop)
    # those of this command first and in its order, then what else is there
    written = write([*(options.out / sweep.name for sweep in sweeps), options.out], options.out)
    if not options.quiet:
        print(f"\n{written.summary}\n")
    print(f"report: {written.html} ({time.monotonic() - begun_s:.0f} s)")
    return 0


def _measure(sweeps: list[Sweep], options: argparse.Namespace, stop: StopSignal) -> None:
    """Trains what is missing."""
    from batchscope.training.devices import configure

    configure()
    from batchscope.training.engine import Interrupted
    from batchscope.training.run import open_store, run_sweep
    from batchscope.training.workload import load_workload

    # every sweep is checked before the first is trained, and before anything is written
    workloads = [load_workload(sweep) for sweep in sweeps]
    _require_folder(options.out)
    stores = [open_store(sweep, options.out / sweep.name) for sweep in sweeps]
    display = open_display(quiet=options.quiet)
    for sweep, workload, store in zip(sweeps, workloads, stores, strict=True):
        with (
            stop.deferred(),  # goes on where the run was interrupted, by raising
            suppress(Interrupted),
            display.follow(sweep, lambda: stop.requested) as listener,
        ):
            for problem in (*store.read().problems, *_other_versions(store)):
                listener.warn(problem)
            run_sweep(
                sweep,
                store,
                workload=workload,
                listener=listener,
                checkpoint_s=options.checkpoint_seconds,
            )


def _other_versions(store: "SweepStore") -> list[str]:
    """Says where the folder was begun with other versions than those that would go on now."""
    from batchscope.training.run import versions

    before, now = store.versions, versions()
    changed = [
        f"{name} {before.get(name, 'unknown')} (now {now[name]})"
        for name in now
        if before and before.get(name) != now[name]
    ]
    if not changed:
        return []
    return [
        f"the results of {store.sweep.name} were begun with {', '.join(changed)}: numbers may "
        "differ in the last digits; measure into a new folder where that matters"
    ]


def _require_folder(out: Path) -> None:
    """Makes the folder for the results, so that nothing is trained in vain."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise SpecError(f"--out {out} is a file, expected a folder; name another") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SpecError(
            f"--out {out} cannot be made: {reason}; name a folder that can be written"
        ) from error
    if not os.access(out, os.W_OK | os.X_OK):
        raise SpecError(f"--out {out} cannot be written; name a folder that can")
