"""Overrides from the command line are held to every rule of a sweep."""

from pathlib import Path

import pytest

from batchscope.errors import SpecError
from batchscope.spec import Prune, load_sweep, override, parse_sweep, to_toml


def test_values_given_replace_those_of_the_sweep() -> None:
    changed = override(
        load_sweep("quick"),
        batch_sizes=[8, 4],
        trials=20,
        max_trials=30,
        seed=7,
        k=2,
        trials_per_pack=5,
        budget_steps=100,
        budget_examples=200,
    )
    assert changed.batch_sizes == (4, 8)
    assert (changed.trials, changed.max_trials, changed.seed, changed.k) == (20, 30, 7, 2)
    assert changed.packs == 4
    assert (changed.budget.steps, changed.budget.examples) == (100, 200)


def test_defaults_follow_what_they_are_derived_from() -> None:
    sweep = load_sweep("quick")  # 8 trials, so k = 8 and max_trials = 32 by default
    fewer = override(sweep, trials=3)
    assert (fewer.k, fewer.max_trials) == (3, 12)
    assert override(fewer, trials=8) == sweep
    whole = override(sweep, prune="none")
    assert (whole.prune, whole.k, whole.evaluation.early_stop) == (Prune.NONE, 8, False)
    assert override(whole, prune="kth") == sweep
    assert override(sweep, prune="min").k == 1


def test_explicit_values_are_kept_within_what_is_allowed() -> None:
    sweep = override(load_sweep("quick"), k=5, max_trials=10)
    fewer = override(sweep, trials=4)
    assert (fewer.k, fewer.max_trials) == (4, 10)
    assert override(sweep, trials=12).max_trials == 12


def test_the_users_own_modules_are_still_found(tmp_path: Path) -> None:
    text = to_toml(load_sweep("quick")).replace('model = "fc_64"', 'model = "mine:net"')
    sweep = parse_sweep(text, folder=tmp_path)
    assert override(sweep, trials=4).model.folder == tmp_path


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"trials": 0}, "sweep quick: trials is 0, expected a whole number of at least 1"),
        ({"batch_sizes": [4, 4]}, "sweep quick: batch_sizes holds 4 more than once"),
        ({"batch_sizes": []}, "sweep quick: batch_sizes is [], expected"),
        ({"prune": "maybe"}, 'sweep quick: prune is "maybe", expected one of'),
        ({"seed": -1}, "sweep quick: seed is -1, expected"),
        ({"budget_steps": 0}, "sweep quick: budget.steps is 0, expected"),
        ({"prune": "min", "k": 2}, 'sweep quick: k is given though prune is "min"'),
        ({"k": 9}, "sweep quick: k is 9, expected at most trials, which is 8"),
        ({"max_trials": 1}, "sweep quick: max_trials is 1, expected at least trials"),
    ],
)
def test_a_wrong_override_is_named(changes: dict[str, object], expected: str) -> None:
    with pytest.raises(SpecError) as caught:
        override(load_sweep("quick"), **changes)  # type: ignore[arg-type]
    assert str(caught.value).startswith(expected)
