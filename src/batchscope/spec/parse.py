"""TOML text to a validated sweep."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from batchscope.errors import SpecError
from batchscope.spec.search_space import check_parameter_name, read_search_space
from batchscope.spec.sweep import Budget, Evaluation, Goal, Named, Prune, Sweep
from batchscope.spec.table import (
    LARGEST_COUNT,
    Source,
    Table,
    is_count,
    is_finite_number,
    show,
)

DEFAULT_K = 8
LARGEST_SEED = 2**32 - 1  # what a JAX key keeps of a seed
_KEYS = (
    "name",
    "description",
    "dataset",
    "model",
    "optimizer",
    "schedule",
    "goal",
    "batch_sizes",
    "trials",
    "max_trials",
    "budget",
    "seed",
    "prune",
    "k",
    "trials_per_pack",
    "evaluation",
    "metaparameters",
    "search_space",
)
# written beside the sweeps' folders
_REPORT_FILES = ("report.html", "report.md", "curve.json", "figures")
_FOLDER_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_REGISTERED = re.compile(r"[A-Za-z0-9_.+/-]+")
_PLUGIN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def parse_sweep(text: str, *, folder: Path | None = None, origin: str = "<text>") -> Sweep:
    """Returns the sweep that a TOML text describes.

    Args:
        text: the TOML.
        folder: where the user's own `module:function` names are looked for first.
        origin: what messages call the text, usually its path.

    Raises:
        SpecError: anything that could not be run as written, in one sentence with the line, the
            key, the value and what was expected.
    """
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for numbers and nesting without end
        raise SpecError(f"{origin} is not valid TOML: {error}; correct it there") from error
    return sweep_from(values, folder=folder, source=Source(origin, text))


def sweep_from(values: Mapping[str, Any], *, folder: Path | None, source: Source) -> Sweep:
    """Returns the sweep that parsed TOML values describe; raises as `parse_sweep`."""
    document = Table(values, source, known=_KEYS)
    name = document.text("name")
    if not _FOLDER_NAME.fullmatch(name) or name in _REPORT_FILES:
        raise document.wrong(
            "name",
            "the name of a folder: at most 100 letters, digits, _, - and ., the first a letter, a "
            f"digit or _, and none of {', '.join(_REPORT_FILES)}, which the report takes",
        )
    trials = document.count("trials")
    max_trials = document.count("max_trials", default=default_max_trials(trials))
    if max_trials < trials:
        raise document.wrong("max_trials", f"at least trials, which is {trials}")
    prune = Prune(document.choice("prune", Prune, default=Prune.KTH))
    metaparameters = _read_metaparameters(document)
    return Sweep(
        name=name,
        description=document.text("description", default=""),
        dataset=_read_named(document, "dataset", folder),
        model=_read_named(document, "model", folder),
        optimizer=_read_named(document, "optimizer", folder),
        schedule=_read_named(document, "schedule", folder),
        goal=_read_goal(document),
        batch_sizes=_read_batch_sizes(document),
        trials=trials,
        max_trials=max_trials,
        budget=_read_budget(document),
        seed=document.count("seed", default=0, minimum=0, maximum=LARGEST_SEED),
        prune=prune,
        k=_read_k(document, prune=prune, trials=trials),
        trials_per_pack=(
            document.count("trials_per_pack") if "trials_per_pack" in document else None
        ),
        evaluation=_read_evaluation(document, prune=prune),
        metaparameters=metaparameters,
        parameter_configs=read_search_space(document, fixed=metaparameters),
    )


def default_max_trials(trials: int) -> int:
    """Returns how many trials a study tries at most, unless the sweep says otherwise."""
    return min(4 * trials, LARGEST_COUNT)


def default_k(*, prune: Prune, trials: int) -> int:
    """Returns how many order statistics stay exact, unless the sweep says otherwise."""
    return {Prune.MIN: 1, Prune.KTH: min(DEFAULT_K, trials), Prune.NONE: trials}[prune]


def default_early_stop(prune: Prune) -> bool:
    """Returns whether evaluations end early, unless the sweep says otherwise.

    A sweep that runs every trial to its budget wants every metric over all validation examples.
    """
    return prune is not Prune.NONE


def _read_named(document: Table, key: str, folder: Path | None) -> Named:
    expected = 'a name, or a table such as { name = "fc_64", dropout_rate = 0.1 }'
    value = document.values.get(key)
    if isinstance(value, str):
        table = Table({"name": value}, document.source, path=(key,))
        described = document
    elif isinstance(value, Mapping):
        table = described = document.table(key)
        table.text("name", expected="the name of a registered one, or module:function")
    else:
        raise document.wrong(key, expected)
    name = table.values["name"]
    plugin = ":" in name
    if not (_PLUGIN if plugin else _REGISTERED).fullmatch(name):
        raise described.wrong(
            key if described is document else "name", "a registered name, or module:function"
        )
    options = {
        option: _frozen(table, option, item)
        for option, item in table.values.items()
        if option != "name"
    }
    return Named(name=name, options=MappingProxyType(options), folder=folder if plugin else None)


def _frozen(table: Table, option: str, value: Any) -> Any:
    """Returns an option with lists as tuples and tables read-only."""
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(table, option, item) for item in value)
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(table, option, item) for key, item in value.items()})
    if isinstance(value, (str, bool)) or is_count(value) or is_finite_number(value):
        return value
    raise table.wrong(option, "strings, finite numbers, true, false, and lists or tables of them")


def _read_goal(document: Table) -> Goal:
    expected = 'a table such as { metric = "val/classification_error", below = 0.05 }'
    if "goal" not in document:
        raise document.wrong("goal", expected)
    goal = document.table("goal", known=("metric", "below", "above"), expected=expected)
    metric = goal.text("metric", expected="the name of a metric")
    if not metric.strip():
        raise goal.wrong("metric", "the name of a metric")
    if ("below" in goal) == ("above" in goal):
        given = "both below and above" if "below" in goal else "neither below nor above"
        raise document.error("goal", f"has {given}, expected one of the two")
    side = "below" if "below" in goal else "above"
    value = goal.number(side)
    quantity = metric.rpartition("/")[2]
    if quantity in ("classification_error", "cross_entropy_error") and side == "above":
        raise goal.error("above", f"is given for {metric}, expected below: less error is better")
    if quantity == "accuracy" and side == "below":
        raise goal.error("below", f"is given for {metric}, expected above: more accuracy is better")
    if quantity == "classification_error" and not 0 < value <= 1:
        raise goal.wrong("below", "a fraction of the examples, more than 0 and at most 1")
    if quantity == "accuracy" and not 0 <= value < 1:
        raise goal.wrong("above", "a fraction of the examples, at least 0 and less than 1")
    if quantity == "cross_entropy_error" and value <= 0:
        raise goal.wrong("below", "more than 0")
    return Goal(metric=metric, **{side: value})


def _read_batch_sizes(document: Table) -> tuple[int, ...]:
    expected = "a list such as [4, 8, 16], or { from = 4, to = 2048 } for the powers of two"
    value = document.values.get("batch_sizes")
    if isinstance(value, Mapping):
        return _read_powers(document.table("batch_sizes", known=("from", "to")))
    if not isinstance(value, (list, tuple)) or not value:
        raise document.wrong("batch_sizes", expected)
    for item in value:
        if not is_count(item) or not 1 <= item <= LARGEST_COUNT:
            raise document.error(
                "batch_sizes", f"holds {show(item)}, expected whole numbers of at least 1"
            )
    twice = [size for size, times in Counter(value).items() if times > 1]
    if twice:
        raise document.error("batch_sizes", f"holds {twice[0]} more than once, expected each once")
    return tuple(sorted(value))


def _read_powers(table: Table) -> tuple[int, ...]:
    low, high = table.count("from"), table.count("to")
    for key, value in (("from", low), ("to", high)):
        if value & (value - 1):
            raise table.wrong(key, "a power of two")
    if low > high:
        raise table.wrong("from", f"at most to, which is {high}")
    return tuple(1 << power for power in range(low.bit_length() - 1, high.bit_length()))


def _read_budget(document: Table) -> Budget:
    expected = "a table such as { steps = 10_000 } or { examples = 1_000_000 }"
    if "budget" not in document:
        raise document.wrong("budget", expected)
    budget = document.table("budget", known=("steps", "examples"), expected=expected)
    if not budget.values:
        raise document.wrong("budget", expected)
    return Budget(
        steps=budget.count("steps") if "steps" in budget else None,
        examples=budget.count("examples", maximum=2**53) if "examples" in budget else None,
    )


def _read_k(document: Table, *, prune: Prune, trials: int) -> int:
    if "k" in document and prune is not Prune.KTH:
        raise document.error("k", f'is given though prune is "{prune}", expected it with "kth"')
    k = document.count("k", default=default_k(prune=prune, trials=trials))
    if k > trials:
        raise document.wrong("k", f"at most trials, which is {trials}")
    return k


def _read_evaluation(document: Table, *, prune: Prune) -> Evaluation:
    table = document.table("evaluation", known=("every_examples", "growth", "early_stop"))
    growth = table.number("growth") if "growth" in table else Evaluation.growth
    if not 0 <= growth <= 1:
        raise table.wrong("growth", "a number from 0 to 1")
    return Evaluation(
        every_examples=table.count("every_examples", default=Evaluation.every_examples),
        growth=growth,
        early_stop=table.boolean("early_stop", default=default_early_stop(prune)),
    )


def _read_metaparameters(document: Table) -> Mapping[str, float]:
    table = document.table("metaparameters", expected="a table such as { momentum = 0.9 }")
    for name in table.values:
        check_parameter_name(table, name)
    return MappingProxyType({name: table.number(name) for name in table.values})
