"""Changing a sweep from the command line, with every rule checked again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from batchscope.spec.dump import to_values
from batchscope.spec.parse import default_early_stop, default_k, default_max_trials, sweep_from
from batchscope.spec.sweep import Prune, Sweep
from batchscope.spec.table import Source, is_count


def override(
    sweep: Sweep,
    *,
    batch_sizes: Sequence[int] | None = None,
    trials: int | None = None,
    max_trials: int | None = None,
    seed: int | None = None,
    prune: str | None = None,
    k: int | None = None,
    trials_per_pack: int | None = None,
    budget_steps: int | None = None,
    budget_examples: int | None = None,
) -> Sweep:
    """Returns the sweep with the values given; None leaves a value as it is.

    What depends on a value changed here follows it: `max_trials`, `k` and `early_stop` become
    their defaults again where they had them, and otherwise are kept within what is allowed.

    Raises:
        SpecError: as `parse_sweep`, for the sweep that results.
    """
    values = to_values(sweep)
    changes: dict[str, Any] = {
        "batch_sizes": None if batch_sizes is None else list(batch_sizes),
        "trials": trials,
        "seed": seed,
        "prune": prune,
        "trials_per_pack": trials_per_pack,
    }
    values.update({key: value for key, value in changes.items() if value is not None})
    for key, value in (("steps", budget_steps), ("examples", budget_examples)):
        if value is not None:
            values["budget"][key] = value
    _follow(sweep, values)
    for key, value in (("max_trials", max_trials), ("k", k)):
        if value is not None:
            values[key] = value
    return sweep_from(values, folder=_folder(sweep), source=Source(f"sweep {sweep.name}"))


def _follow(sweep: Sweep, values: dict[str, Any]) -> None:
    """Adapts what depends on `trials` and `prune` in `values`, in place."""
    trials = values["trials"]
    if sweep.max_trials == default_max_trials(sweep.trials):
        del values["max_trials"]
    elif is_count(trials):
        values["max_trials"] = max(sweep.max_trials, trials)
    k = values.pop("k", None)
    if k not in (None, default_k(prune=sweep.prune, trials=sweep.trials)) and (
        values["prune"] == Prune.KTH and is_count(trials) and trials > 0
    ):
        values["k"] = min(k, trials)
    if sweep.evaluation.early_stop == default_early_stop(sweep.prune):
        del values["evaluation"]["early_stop"]


def _folder(sweep: Sweep) -> Path | None:
    named = (sweep.dataset, sweep.model, sweep.optimizer, sweep.schedule)
    return next((each.folder for each in named if each.folder is not None), None)
