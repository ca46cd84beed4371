"""The tables of a sweep and the folder they live in."""

from batchscope.results.find import find_sweeps
from batchscope.results.schema import (
    MEASUREMENTS,
    METRICS,
    PARAMETER_PREFIX,
    Status,
    trials_schema,
)
from batchscope.results.store import SweepStore, read
from batchscope.results.tables import SweepTables

__all__ = [
    "MEASUREMENTS",
    "METRICS",
    "PARAMETER_PREFIX",
    "Status",
    "SweepStore",
    "SweepTables",
    "find_sweeps",
    "read",
    "trials_schema",
]
