"""A sweep to its normalised TOML text, and to a digest of what decides its results."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from batchscope.spec.sweep import Named, ParameterConfig, ParameterType, Prune, Sweep

# Further batch sizes are further studies, and a name or a description decides nothing.
EXTENSIBLE = ("name", "description", "batch_sizes")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(sweep: Sweep) -> str:
    """Returns the sweep as TOML: every key written out, in one order, defaults included.

    For every valid sweep, `parse_sweep(to_toml(sweep))` is that sweep again, but for the folder in
    which the user's own modules are found.
    """
    tables = ("metaparameters", "search_space")
    values = to_values(sweep)
    lines = [f"{key} = {_value(item)}" for key, item in values.items() if key not in tables]
    if values["metaparameters"]:
        lines += ["", "[metaparameters]"]
        lines += [f"{key} = {_value(item)}" for key, item in values["metaparameters"].items()]
    for name, config in values["search_space"]["parameter_configs"].items():
        lines += ["", f"[search_space.parameter_configs.{name}]"]
        lines += [f"{key} = {_value(item)}" for key, item in config.items()]
    return "\n".join(lines) + "\n"


def to_values(sweep: Sweep) -> dict[str, Any]:
    """Returns the sweep as the values that parsing its TOML would give."""
    values: dict[str, Any] = {"name": sweep.name}
    if sweep.description:
        values["description"] = sweep.description
    for key in ("dataset", "model", "optimizer", "schedule"):
        values[key] = _named(getattr(sweep, key))
    values["goal"] = {
        "metric": sweep.goal.metric,
        "above" if sweep.goal.maximize else "below": sweep.goal.value,
    }
    values["batch_sizes"] = list(sweep.batch_sizes)
    values["trials"] = sweep.trials
    values["max_trials"] = sweep.max_trials
    values["budget"] = _given(steps=sweep.budget.steps, examples=sweep.budget.examples)
    values["seed"] = sweep.seed
    values["prune"] = str(sweep.prune)
    if sweep.prune is Prune.KTH:
        values["k"] = sweep.k
    values.update(_given(trials_per_pack=sweep.trials_per_pack))
    values["evaluation"] = {
        "every_examples": sweep.evaluation.every_examples,
        "growth": sweep.evaluation.growth,
        "early_stop": sweep.evaluation.early_stop,
    }
    values["metaparameters"] = dict(sorted(sweep.metaparameters.items()))
    values["search_space"] = {
        "parameter_configs": {config.name: _config(config) for config in sweep.parameter_configs}
    }
    return values


def spec_digest(sweep: Sweep) -> str:
    """Returns 64 hexadecimal digits that are equal for sweeps whose studies are the same.

    The keys of `EXTENSIBLE` are left out. A key added to the format later must be left out where
    it has its default, or older results would no longer match their own sweep.
    """
    values = {key: item for key, item in to_values(sweep).items() if key not in EXTENSIBLE}
    # a list keeps the order of the search dimensions, which decides the results
    space = values.pop("search_space")["parameter_configs"]
    values["search_space"] = list(space.items())
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _named(named: Named) -> Any:
    if not named.options:
        return named.name
    return {"name": named.name, **_plain(named.options)}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(value[key]) for key in sorted(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _config(config: ParameterConfig) -> dict[str, Any]:
    values: dict[str, Any] = {"type": str(config.type)}
    if config.type is ParameterType.DISCRETE:
        return {**values, "feasible_points": list(config.feasible_points)}
    return {
        **values,
        "scale": str(config.scale),
        "min_value": config.min_value,
        "max_value": config.max_value,
    }


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _value(value: Any) -> str:
    """Returns a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        items = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {items} }}" if items else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(item) for item in value)}]"
    return repr(value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL, which JSON leaves as it is
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
