"""Measure how far data parallelism speeds up a training workload.

import batchscope

sweep = batchscope.load_sweep("quick")             # a catalogue name or a TOML file
tables = batchscope.run(sweep, "runs/python/quick")  # trains what is missing in the folder
tables.measurements.to_pandas()                    # Arrow tables, see `results.schema`
findings = batchscope.find([tables])               # steps to result, curve, intervals
batchscope.write_report(findings, "runs/python")   # report.html, report.md, curve.json
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from batchscope.analysis import find
    from batchscope.report import write_report
    from batchscope.results import read
    from batchscope.spec import load_sweep, override
    from batchscope.training.run import run

__all__ = ["find", "load_sweep", "override", "read", "run", "write_report"]

_ROOMS = {
    "find": "batchscope.analysis",
    "load_sweep": "batchscope.spec",
    "override": "batchscope.spec",
    "read": "batchscope.results",
    "run": "batchscope.training.run",
    "write_report": "batchscope.report",
}


def __getattr__(name: str) -> Any:
    # a laptop that only reads results should not wait for JAX
    if name in _ROOMS:
        return getattr(import_module(_ROOMS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
