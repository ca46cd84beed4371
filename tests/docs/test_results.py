"""docs/results.md: the files, the columns and the keys are those that are written."""

import json
import re
from dataclasses import fields

import pytest

import batchscope
from batchscope.analysis import findings
from batchscope.report import SCHEMA_VERSION, to_json
from batchscope.results.layout import checkpoint_file
from batchscope.results.schema import MEASUREMENTS, PARAMETER_PREFIX, Status, trials_schema

OBJECTS = {
    "Estimate": findings.Estimate,
    "Sweep": findings.SweepFindings,
    "Study": findings.StudyFindings,
    "Edge": findings.EdgeWarning,
    "Trial": findings.TrialPoint,
    "Curve": findings.CurveFindings,
    "Point": findings.CurvePoint,
    "Diagnostic": findings.Diagnostic,
    "Comparison": findings.Comparison,
}


@pytest.fixture(scope="module")
def results(page):
    return page("results.md")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A folder in which a small part of the sweep `quick` was run, as the page says."""
    folder = tmp_path_factory.mktemp("results")
    sweep = batchscope.override(
        batchscope.load_sweep("quick"), batch_sizes=[64, 256], trials=4, trials_per_pack=2
    )
    tables = batchscope.run(sweep, folder / "runs/quick/quick")
    found = to_json(batchscope.find([tables]))
    (folder / "runs/quick/curve.json").write_text(json.dumps(found))
    return folder


def _section(text: str, heading: str) -> str:
    return text.split(f"\n{heading}")[1].split("\n## ", maxsplit=1)[0]


def _rows(text: str) -> list[tuple[str, str]]:
    """The first two cells of the first table's rows."""
    (table, *_) = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    rows = [line.strip("|").split(" | ") for line in table.splitlines()[2:]]
    return [(first.strip(), second.strip()) for first, second, *_ in rows]


def _names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize(
    ("heading", "schema"),
    [("## Measurements", MEASUREMENTS), ("## Trials", trials_schema(["NAME"]))],
)
def test_the_columns_are_those_written(results, heading, schema):
    documented = [(name.strip("`"), kind) for name, kind in _rows(_section(results.text, heading))]
    assert documented == [(field.name, str(field.type)) for field in schema]
    assert f"{PARAMETER_PREFIX}NAME" in results.text


def test_the_statuses_are_all_there(results):
    documented = _rows("| Status |" + _section(results.text, "| Status |"))
    assert [name.strip("`") for name, _ in documented] == list(Status)


@pytest.mark.parametrize("name", OBJECTS)
def test_the_keys_of_curve_json_are_those_written(results, name):
    section = _section(results.text, "## `curve.json`").split(f"\n**{name}**")[1]
    documented = [key for cell, _ in _rows(section) for key in _names(cell)]
    assert documented == [field.name for field in fields(OBJECTS[name])]


def test_the_top_of_curve_json(results):
    section = _section(results.text, "## `curve.json`")
    assert f"`schema_version` (now {SCHEMA_VERSION}), `sweeps` and\n`comparisons`" in section
    assert [field.name for field in fields(findings.Findings)] == ["sweeps", "comparisons"]


def test_the_files_are_those_of_the_tree(results, quick):
    tree = next(block.content for block in results.blocks if block.language == "text")
    documented = {line.split()[0].rstrip("/") for line in tree.splitlines() if line.strip()}
    documented.add("batch_size_00256")  # the tree shows the first and hints at the rest
    written = [path for path in (quick / "runs").rglob("*") if not path.name.startswith(".")]
    assert {re.sub(r"pack_\d+", "pack_000", path.name) for path in written} <= documented
    assert checkpoint_file(16, 0).rpartition("/")[2] in documented


def test_a_study_alone_is_the_study_among_others(quick, tmp_path):
    # docs/method.md promises it: what was measured stays when batch sizes are added
    among_others = batchscope.read(quick / "runs/quick/quick")
    sweep = batchscope.override(among_others.sweep, batch_sizes=[256])
    alone = batchscope.run(sweep, tmp_path / "alone")

    def rows(table):
        return [repr(row) for row in table.to_pylist() if row["batch_size"] == 256]

    assert rows(alone.measurements) == rows(among_others.measurements)
    assert rows(alone.trials) == rows(among_others.trials)


def test_all_readers_find_the_same_steps(results, quick, monkeypatch):
    monkeypatch.chdir(quick)
    sweep = batchscope.find([batchscope.read("runs/quick/quick")]).sweeps[0]
    expected = {study.batch_size: study.steps_to_result for study in sweep.studies}
    assert set(expected) == {64, 256} and None not in expected.values()

    def run(name: str) -> dict:
        names: dict = {}
        exec(compile(results.file(name), name, "exec"), names)
        return names

    with_batchscope = run("with_batchscope.py")
    rows = with_batchscope["fewest"]
    assert {row["batch_size"]: row["goal_step_min"] for row in rows} == expected
    assert len(with_batchscope["losses"]) > 8 and with_batchscope["unfinished"] == ()
    assert run("with_pandas.py")["fewest"].to_dict() == expected
    assert dict(run("with_polars.py")["fewest"].rows()) == expected
    rows = run("with_duckdb.py")["fewest"]
    assert {size: goal for size, goal, _ in rows} == expected
    assert all(last >= goal for _, goal, last in rows)
    with_json = run("with_json.py")
    assert with_json["fewest"] == expected and with_json["critical"] is None
