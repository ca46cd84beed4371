"""docs/sweep_file.md names exactly the keys that the parser knows, with their defaults."""

import inspect
import re
import tomllib

import pytest

from batchscope.errors import SpecError
from batchscope.optimizers.rules import OPTIMIZERS
from batchscope.optimizers.schedules import SCHEDULES
from batchscope.spec import load_sweep, override, parse_sweep, spec_digest, to_toml
from batchscope.spec.parse import sweep_from
from batchscope.spec.sweep import Scale
from batchscope.spec.table import Source
from batchscope.training.workload import load_workload

CONFIG = "search_space.parameter_configs.NAME"
# the tables whose keys are a user's own names
FREE = {"metaparameters", "search_space.parameter_configs"}


@pytest.fixture(scope="module")
def sweep_file(page):
    return page("sweep_file.md")


@pytest.fixture(scope="module")
def documented(sweep_file):
    """The rows of the table of keys: key to (type, default, meaning)."""
    section = sweep_file.text.split("\n## ")[1]
    assert section.startswith("Keys\n")
    rows = re.findall(r"^\| `([\w.]+)` \| (.+?) \| (.+?) \| (.+) \|$", section, re.MULTILINE)
    assert len({key for key, *_ in rows}) == len(rows)
    return {key: rest for key, *rest in rows}


def _values(sweep_file):
    return tomllib.loads(sweep_file.file("sweep.toml"))


def _known(values, *path):
    """The keys that the parser says it knows in a table, when it meets one that it does not."""
    table = values
    for key in path:
        if not isinstance(table.get(key), dict):
            table[key] = {}
        table = table[key]
    table["no_such_key"] = 1
    with pytest.raises(SpecError, match="known here are") as raised:
        sweep_from(values, folder=None, source=Source("x"))
    return set(str(raised.value).rpartition("known here are ")[2].split(", "))


def test_every_key_is_documented_and_no_other(sweep_file, documented):
    tables = {
        "": (),
        "goal.": ("goal",),
        "batch_sizes.": ("batch_sizes",),
        "budget.": ("budget",),
        "evaluation.": ("evaluation",),
        "search_space.": ("search_space",),
        f"{CONFIG}.": ("search_space", "parameter_configs", "learning_rate"),
    }
    accepted = {
        prefix + key
        for prefix, path in tables.items()
        for key in _known(_values(sweep_file), *path)
    }
    assert accepted == set(documented)


def test_no_other_key_of_the_example_is_a_table(sweep_file, documented):
    # so the tables tried above are all there are
    def walk(values, prefix):
        for key, item in values.items():
            if isinstance(item, dict) and prefix.rstrip(".") not in FREE:
                yield prefix + key
                yield from walk(item, f"{prefix}{key}.")

    named = {"dataset", "model", "optimizer", "schedule"}
    found = set(walk(tomllib.loads(to_toml(parse_sweep(sweep_file.file("sweep.toml")))), ""))
    tables = {key.rpartition(".")[0] for key in documented} - {"", CONFIG}
    assert found - named <= tables | FREE


def test_required_keys_are_missed_and_others_are_not(sweep_file, documented):
    top = {key: rest[1] for key, rest in documented.items() if "." not in key}
    for key, default in top.items():
        values = _values(sweep_file)
        values.pop(key, None)
        if default == "required":
            with pytest.raises(SpecError, match=f"{key} is missing"):
                sweep_from(values, folder=None, source=Source("x"))
        else:
            sweep_from(values, folder=None, source=Source("x"))


def test_the_defaults_are_those_documented(sweep_file, documented):
    written = tomllib.loads(to_toml(parse_sweep(sweep_file.file("sweep.toml"))))
    for key, (_, default, _) in documented.items():
        literal = re.match(r"`([^`]+)`", default)
        if literal is None or key.startswith(CONFIG) or key == "description":
            continue
        value = written
        for part in key.split("."):
            value = value[part]
        assert value == tomllib.loads(f"x = {literal[1]}")["x"], key
    assert written["max_trials"] == 4 * written["trials"]
    assert written["k"] == 8
    config = written["search_space"]["parameter_configs"]["momentum"]
    assert config["type"] == documented[f"{CONFIG}.type"][1].strip('`"')
    unspecified = sweep_file.file("sweep.toml").replace('scale = "REVERSE_LOG_SCALE"', "")
    assert parse_sweep(unspecified).parameter_configs[-1].scale == Scale.LINEAR


def test_the_scales_are_all_there(sweep_file):
    section = sweep_file.text.split("\n## Scales\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)`", section, re.MULTILINE)) == set(Scale)


def test_the_example_can_be_run(sweep_file):
    sweep = parse_sweep(sweep_file.file("sweep.toml"))
    assert load_workload(sweep).uses_dropout


def test_every_optimizer_and_schedule_is_listed_with_its_metaparameters(sweep_file, documented):
    section = sweep_file.text.split("\n## Metaparameters\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    for name, function in {**OPTIMIZERS, **SCHEDULES}.items():
        row = next(line for line in rows if f"`{name}`" in line.split("|")[1])
        names = _keywords(function)
        if "the same and" in row:
            row += next(line for line in rows if "`linear_decay`" in line)
        assert all(f"`{each}`" in row for each in names), name
    assert all(f"`{name}`" in documented["optimizer"][2] for name in OPTIMIZERS)
    assert all(f"`{name}`" in documented["schedule"][2] for name in SCHEDULES)


def _keywords(function):
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"trials": 32},
        {"k": 4},
        {"budget_steps": 100},
        {"prune": "min"},
        {"trials_per_pack": 8},
    ],
)
def test_only_batch_sizes_may_change(change):
    sweep = load_sweep("quick")
    assert spec_digest(override(sweep, batch_sizes=[2, 4])) == spec_digest(sweep)
    assert spec_digest(override(sweep, **change)) != spec_digest(sweep)
