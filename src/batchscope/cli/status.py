"""`batchscope status`: what a results folder holds and what is missing."""

from collections import Counter
from pathlib import Path

from batchscope.errors import ResultsError
from batchscope.results import Status, SweepTables, find_sweeps, read

_STATUSES = (Status.COMPLETE, Status.PRUNED, Status.INFEASIBLE)


def status(folder: Path) -> int:
    """Prints a line per batch size of every sweep in the folder, and what cannot be read."""
    paths = find_sweeps(folder)
    if not paths:
        raise ResultsError(
            f"no sweep in {folder}: expected a folder that `batchscope run --out` wrote; "
            "correct the path"
        )
    print("\n\n".join("\n".join(_lines(read(path))) for path in paths))
    return 0


def _lines(tables: SweepTables) -> list[str]:
    sweep = tables.sweep
    finished = len(tables.finished)
    lines = [
        f"{sweep.name}: {finished} of {finished + len(tables.missing)} packs finished, "
        f"goal {sweep.goal}"
    ]
    rows = tables.trials.select(["batch_size", "status", "goal_step"]).to_pylist()
    packs_left = Counter(batch_size for batch_size, _ in tables.missing)
    for batch_size in sweep.batch_sizes:
        mine = [row for row in rows if row["batch_size"] == batch_size]
        steps = [row["goal_step"] for row in mine if row["goal_step"] is not None]
        counts = Counter(row["status"] for row in mine)
        parts = []
        if mine:
            parts.append(f"{min(steps):,} steps to goal" if steps else "goal not reached")
            parts.append(", ".join(f"{counts[s]} {s.lower()}" for s in _STATUSES))
        if packs_left[batch_size]:
            parts.append(f"{packs_left[batch_size]} of {sweep.packs} packs to do")
        lines.append(f"  batch size {batch_size:>6,}: {'; '.join(parts)}")
    lines += [f"  {problem}" for problem in tables.problems]
    return lines
