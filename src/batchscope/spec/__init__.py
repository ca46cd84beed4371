"""What to measure: frozen, validated values read from TOML."""

from batchscope.spec.dump import spec_digest, to_toml
from batchscope.spec.load import catalog, load_sweep
from batchscope.spec.override import override
from batchscope.spec.parse import parse_sweep
from batchscope.spec.scales import from_unit, scaled_position
from batchscope.spec.sweep import (
    Budget,
    Evaluation,
    Goal,
    Named,
    ParameterConfig,
    ParameterType,
    Prune,
    Scale,
    Sweep,
)
from batchscope.spec.workload import validate_workload

__all__ = [
    "Budget",
    "Evaluation",
    "Goal",
    "Named",
    "ParameterConfig",
    "ParameterType",
    "Prune",
    "Scale",
    "Sweep",
    "catalog",
    "from_unit",
    "load_sweep",
    "override",
    "parse_sweep",
    "scaled_position",
    "spec_digest",
    "to_toml",
    "validate_workload",
]
