"""`curve.json`: every number of the findings with its interval, as strict JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

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
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> str | int | float | bool | None:
    match value.item() if isinstance(value, np.generic) else value:
        case None | bool() | int() as same:
            return same
        case str() as words:
            return str(words)  # a plain text also where it is a member of an enumeration
        case float() as real:
            return real if math.isfinite(real) else None
        case other:
            raise TypeError(f"{type(other).__name__} has no JSON counterpart")
