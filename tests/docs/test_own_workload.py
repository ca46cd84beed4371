"""docs/own_workload.md, followed to the letter."""

import json
import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest

import batchscope
from batchscope.cli.arguments import parser
from batchscope.cli.main import main
from batchscope.errors import ResultsError, SpecError
from batchscope.spec.dump import to_toml
from batchscope.spec.parse import sweep_from
from batchscope.spec.table import Source
from batchscope.training.workload import load_workload

SIZES = [8, 16, 32, 64, 128, 256]
SECOND_RUN = "batchscope run spirals_shifted.toml --out runs"


def _merged(base: dict, changes: dict) -> dict:
    both = base | changes
    return both | {
        key: _merged(base[key], value)
        for key, value in changes.items()
        if isinstance(value, dict) and key in base
    }


def _write_files(page, folder: Path) -> None:
    for name in ("spirals.py", "spirals.toml", "dropout_net.py", "read.py", "query.py"):
        (folder / name).write_text(page.file(name))
    (folder / "measure.py").write_text(page.file("measure.py"))
    base, changes = (tomllib.loads(page.file(f"{n}.toml")) for n in ("spirals", "spirals_shifted"))
    shifted = sweep_from(
        _merged(base, changes), folder=folder, source=Source("spirals_shifted.toml")
    )
    (folder / "spirals_shifted.toml").write_text(to_toml(shifted))


@pytest.fixture(scope="module")
def own(page):
    return page("own_workload.md")


@pytest.fixture(scope="module")
def followed(own, python, tmp_path_factory):
    """The folder, and what the page's commands printed, by command.

    The second measurement is made from Python, which saves drawing a second report.
    """
    folder = tmp_path_factory.mktemp("own_workload")
    _write_files(own, folder)
    printed = {}
    for command in own.commands:
        program, *arguments = shlex.split(command)
        assert program == "batchscope"
        if command == SECOND_RUN:
            given = parser().parse_args(arguments)
            sweep = batchscope.load_sweep(folder / given.sweep[0])
            batchscope.run(sweep, folder / given.out / sweep.name)
            continue
        ended = python("-m", "batchscope", *arguments, cwd=folder)
        assert ended.returncode == 0, ended.stderr
        printed[command] = ended.stdout
    return folder, printed


@pytest.fixture(scope="module")
def compared(followed):
    """The findings on both sweeps: the page's own, then the shifted one."""
    folder, _ = followed
    names = ("spirals", "spirals_shifted")
    return batchscope.find([batchscope.read(folder / "runs" / name) for name in names]).sweeps


@pytest.fixture
def folder(own, tmp_path):
    """A folder with the page's files, in which nothing has been run."""
    _write_files(own, tmp_path)
    return tmp_path


def test_the_plan_knows_the_workload(followed):
    _, printed = followed
    plan = printed["batchscope plan spirals.toml"]
    # Dense(2, 16), LayerNorm(16), Dense(16, 32), Dense(32, 16), LayerNorm(16), Dense(16, 3)
    parameters = (2 * 16 + 16) + 32 + (16 * 32 + 32) + (32 * 16 + 16) + 32 + (16 * 3 + 3)
    assert f"({parameters:,} parameters)" in plan
    assert all(f"\n{size:>10}  " in plan for size in SIZES)


def test_the_report_has_a_plausible_result(followed, compared):
    folder, _ = followed
    assert (folder / "runs/report.html").stat().st_size > 100_000
    (reported,) = json.loads((folder / "runs/curve.json").read_text())["sweeps"]
    own = compared[0]
    assert (reported["name"], reported["headline"]) == ("spirals", own.headline)
    critical = reported["curve"]["critical_batch_size"]["value"]
    assert critical == own.curve.critical_batch_size.value
    for sweep in compared:
        steps = [study.steps_to_result for study in sweep.studies]
        assert [study.batch_size for study in sweep.studies] == SIZES
        # 32 times the batch size saves most of the steps, though not 31 of 32
        assert 3 * steps[-1] < steps[0] < 32 * steps[-1]
        assert steps[0] <= 600
        assert 8 < sweep.curve.critical_batch_size.value <= 256
        for study in sweep.studies:
            searched = {"learning_rate", "warmup_steps", "beta1"}
            assert set(study.best_parameters) == {*searched, "weight_decay"}
            assert study.best_parameters["weight_decay"] == 0.01
            assert len(study.trials) >= 24


def test_the_reservations_are_those_the_page_quotes(followed, compared):
    folder, _ = followed
    assert [sweep.name for sweep in compared] == ["spirals", "spirals_shifted"]
    own, shifted = (" ".join(sweep.notes) for sweep in compared)
    (reported,) = json.loads((folder / "runs/curve.json").read_text())["sweeps"]
    assert " ".join(reported["notes"]) == own
    assert "The best learning_rate lies near the upper edge (0.1)" in own
    assert "More trials are needed at batch sizes" in own
    assert "learning_rate lies near" not in shifted


def test_the_status_lists_both_sweeps(followed):
    _, printed = followed
    status = printed["batchscope status runs"]
    assert "spirals: 6 of 6 packs finished" in status
    assert "spirals_shifted: 6 of 6 packs finished" in status


def test_the_scripts_print_the_results(followed, compared, monkeypatch, capsys):
    folder, _ = followed
    own = compared[0]
    monkeypatch.chdir(folder)
    printed = {}
    for name in ("read.py", "query.py", "measure.py"):
        runpy.run_path(name, run_name="__main__")
        printed[name] = capsys.readouterr().out
    for study in own.studies:
        size, fewest = str(study.batch_size), study.steps_to_result
        assert [size, f"{fewest}.0"] in [line.split() for line in printed["read.py"].splitlines()]
        assert f"│ {size:>10} │ {fewest:>5} │     24 │" in printed["query.py"]
    assert repr(own.curve.critical_batch_size) in printed["read.py"]
    assert printed["measure.py"] == f"144 trials at {tuple(SIZES)}\n"


def test_other_results_are_refused_under_the_same_name(followed, tmp_path):
    folder, _ = followed
    toml, code = ((folder / name).read_text() for name in ("spirals.toml", "spirals.py"))

    def run_edited(toml: str, code: str) -> None:
        (tmp_path / "spirals.toml").write_text(toml)
        (tmp_path / "spirals.py").write_text(code)
        batchscope.run(batchscope.load_sweep(tmp_path / "spirals.toml"), folder / "runs/spirals")

    with pytest.raises(ResultsError, match=r"max_value is 0\.1 there and 0\.5 now"):
        run_edited(toml.replace("1e-1", "5e-1"), code)
    with pytest.raises(ResultsError, match=r"spirals\.py is not what it was when the results in"):
        run_edited(toml, code + "\n")


def test_the_network_with_dropout_trains(folder):
    toml = (folder / "spirals.toml").read_text()
    toml = toml.replace(
        '{ name = "spirals:residual_net", width = 16 }', '"dropout_net:dropout_net"'
    )
    (folder / "dropout.toml").write_text(toml.replace("below = 0.12", "below = 0.5"))
    sweep = batchscope.load_sweep(folder / "dropout.toml")
    assert load_workload(sweep).uses_dropout
    sweep = batchscope.override(sweep, batch_sizes=[64], trials=2, budget_steps=200)
    tables = batchscope.run(sweep, folder / "results")
    assert tables.trials["goal_step"].null_count < 2


def _mistake(folder: Path, *, file: str, old: str, new: str) -> str:
    """What is said about the page's example with one thing changed."""
    content = (folder / file).read_text()
    assert old in content
    (folder / file).write_text(content.replace(old, new))
    with pytest.raises(SpecError) as raised:
        load_workload(batchscope.load_sweep(folder / "spirals.toml"))
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_missing_function_is_told_as_on_the_page(own, folder, monkeypatch, capsys):
    said = _mistake(folder, file="spirals.toml", old="spirals:lion", new="spirals:lyon")
    (quoted,) = [block.content for block in own.blocks if block.language == "text"]
    assert f"batchscope: {said}\n" == quoted
    monkeypatch.chdir(folder)
    assert main(["run", "spirals.toml", "--out", "out"]) == 2
    assert capsys.readouterr().err == quoted
    assert not (folder / "out").exists()


_LAST = "return nn.Dense(self.num_classes)(nn.LayerNorm()(hidden))"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (_LAST, "return hidden", r"returns shape \(2, 16\) for 2 examples, expected \(2, 3\)"),
        (
            "nn.LayerNorm()(hidden))",
            "nn.BatchNorm(use_running_average=False)(hidden))",
            r"keeps state beside its parameters \(batch_stats\)",
        ),
        (
            "examples) % 3",
            "examples) % 4",
            "has the label 3 in example 3; expected 0 to 2, correct the labels or num_classes",
        ),
        ("examples) % 3", "examples) % 3 + 0.0", "has labels of type float64; expected integers"),
        ('"val": split(512), ', "", 'expected "train" and "val", optionally "test"'),
        (
            "lion(learning_rate_schedule, /, *, beta1",
            "lion(*, beta1",
            "its first parameter must be positional and takes the learning rate schedule",
        ),
        (
            "inverse_square_root(*, learning_rate, warmup_steps)",
            "inverse_square_root(*, learning_rate, warmup_steps, power)",
            "the metaparameter power .* has no value, expected one under",
        ),
        (
            "import optax",
            "import optax\n1 / 0",
            r"failed with ZeroDivisionError: division by zero \(.*spirals\.py, line 6\)",
        ),
        ("import optax", "raise ValueError('no\\nyes')", "failed with ValueError: no "),
        ("import optax", "import sys\nsys.exit(3)", "importing .* failed with SystemExit: 3 "),
        ("labels = ", "exit(4)\n        labels = ", "failed with SystemExit: 4 "),
        ("import optax", "import optax\ndef (", r"SyntaxError: .*spirals\.py, line 6"),
    ],
)
def test_mistakes_are_told_in_a_sentence(folder, old, new, said):
    sentence = _mistake(folder, file="spirals.py", old=old, new=new)
    assert re.search(said, sentence), sentence
