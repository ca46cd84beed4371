"""`batchscope status`: what a results folder holds."""

from pathlib import Path

from batchscope.errors import ResultsError


def status(folder: Path) -> int:
    """Prints, per sweep and batch size, what is finished and what is missing."""
    from batchscope.results import find_sweeps, read_sweep

    paths = find_sweeps(folder)
    if not paths:
        raise ResultsError(
            f"no sweep in {folder}: expected a folder that `batchscope run --out` wrote; "
            "correct the path"
        )
    for path in paths:
        tables = read_sweep(path)
        sweep = tables.sweep
        print(f"{sweep.name}: goal {sweep.goal}")
        for batch_size in sweep.batch_sizes:
            missing = tables.missing.get(batch_size, 0)
            if missing:
                print(f"  batch size {batch_size:>6,}: {missing} of {sweep.trials} trials missing")
            else:
                print(f"  batch size {batch_size:>6,}: finished")
        for problem in tables.problems:
            print(f"  {problem}")
    return 0
