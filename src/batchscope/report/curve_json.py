"""`curve.json`: every number of the findings with its interval, as strict JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from batchscope.analysis.findings import Findings

SCHEMA_VERSION = 1


def to_json(findings: Findings) -> dict[str, Any]:
    """Returns the findings as plain dictionaries, lists, texts, integers, floats and None.

    Keys are the attribute names of the classes in `batchscope.analysis.findings`, where each is
    described; an estimate is an object of `value`, `low`, `high`, `level` and `bound`.
    `schema_version` grows when a key changes its meaning or goes. A number that is not finite
    becomes None: JSON has no word for it.

    Raises:
        TypeError: a value has no JSON counterpart.
    """
    return {"schema_version": SCHEMA_VERSION, **_plain(findings)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Enum):
        return _plain(value.value)
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if hasattr(value, "item"):  # a NumPy scalar
        return _plain(value.item())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON counterpart")
