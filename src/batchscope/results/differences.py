"""How two sweeps differ, in words."""

from collections.abc import Mapping
from typing import Any

from batchscope.spec.dump import EXTENSIBLE, to_values
from batchscope.spec.sweep import Sweep
from batchscope.spec.table import show


def differences(there: Sweep, now: Sweep) -> list[str]:
    """Returns one phrase per key in which the results of two sweeps differ, with both values."""
    old, new = _flat(to_values(there)), _flat(to_values(now))
    keys = [*old, *(key for key in new if key not in old)]
    found = [
        f"{key} is {_shown(old, key)} there and {_shown(new, key)} now"
        for key in keys
        if key not in EXTENSIBLE and (key in old) + (key in new) and old.get(key) != new.get(key)
    ]
    if not found and there.parameter_names != now.parameter_names:
        searched = [
            ", ".join(config.name for config in each.parameter_configs) for each in (there, now)
        ]
        return [f"the search space has the order {searched[0]} there and {searched[1]} now"]
    return found


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def _shown(values: Mapping[str, Any], key: str) -> str:
    return show(values[key]) if key in values else "not given"
