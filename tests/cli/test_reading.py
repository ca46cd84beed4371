"""The commands that train nothing: list, show, plan, status, report."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version

import pytest

from batchscope.cli import main
from batchscope.results import SweepStore
from batchscope.spec import catalog, load_sweep

_COMMANDS = ("run", "list", "show", "plan", "status", "report")


def test_list_names_every_sweep_of_the_catalogue(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(catalog())
    assert all(
        description in line for description, line in zip(catalog().values(), lines, strict=True)
    )


@pytest.mark.parametrize("name", catalog())
def test_what_show_prints_is_the_sweep(name, capsys, tmp_path):
    assert main(["show", name]) == 0
    shown = capsys.readouterr().out
    copy = tmp_path / "copy.toml"
    copy.write_text(shown)
    assert load_sweep(copy) == load_sweep(name)
    assert {"max_trials", "seed", "evaluation"} <= tomllib.loads(shown).keys()  # the defaults
    assert main(["show", str(copy)]) == 0
    assert capsys.readouterr().out == shown


def test_plan_tells_the_cost_and_writes_nothing(write_sweep, tmp_path, monkeypatch, capsys):
    sweep = write_sweep(tmp_path, "planned")
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert main(["plan", str(sweep), "--batch-sizes", "16,64", "--trials", "3"]) == 0
    out, err = capsys.readouterr()
    rows = [line.split()[:4] for line in out.splitlines() if line.startswith("   ")]
    assert rows == [["16", "3", "2,000", "32,000"], ["64", "3", "2,000", "128,000"]]
    assert "At most about " in out
    assert err == ""
    assert list(folder.iterdir()) == []


def test_status_of_a_finished_run(finished, capsys):
    assert main(["status", str(finished.out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("alpha: 2 of 2 packs finished, goal val/classification_error < 0.5")
    assert lines[4].startswith("beta: 2 of 2 packs finished")
    assert re.fullmatch(
        r"  batch size     16: \d+ steps to goal; 4 complete, 0 pruned, [1-9]\d* infeasible",
        lines[1],
    )


def test_status_and_report_of_damaged_and_unfinished_results(finished, batchscope, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(finished.out / "alpha", out / "alpha")
    damaged, missing = sorted((out / "alpha").rglob("*.trials.parquet"))
    damaged.write_bytes(damaged.read_bytes()[:-20])
    missing.unlink()

    status = batchscope("status", out)
    assert status.code == 0
    assert status.out.startswith("alpha: 0 of 2 packs finished")
    assert "batch size     32: 1 of 1 packs to do" in status.out
    assert f"{damaged} cannot be used" in status.out

    report = batchscope("report", out)
    assert report.code == 0
    assert report.err.startswith(f"batchscope: {damaged} cannot be used")
    assert report.err.count("\n") == 1
    assert str(damaged) in (out / "report.html").read_text()
    (sweep,) = json.loads((out / "curve.json").read_text())["sweeps"]
    assert sweep["name"] == "alpha"


def test_one_report_compares_several_folders(finished, tmp_path, capsys):
    folders = []
    for name in ("alpha", "beta"):
        folders.append(tmp_path / f"of {name}")
        shutil.copytree(finished.out / name, folders[-1] / name)
    out = tmp_path / "both"
    assert main(["report", *map(str, folders), "--out", str(out)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"report: {out / 'report.html'}"
    both = json.loads((out / "curve.json").read_text())
    assert both == json.loads((finished.out / "curve.json").read_text())
    assert all(set(folder.iterdir()) == {folder / folder.name[3:]} for folder in folders)


def test_a_run_that_is_at_work_is_reported_all_the_same(finished, tmp_path, capsys):
    shutil.copytree(finished.out / "beta", tmp_path / "beta")
    with SweepStore.open(tmp_path / "beta").lock():
        assert main(["status", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("beta: 2 of 2 packs")


@pytest.mark.parametrize("command", [(), *((each,) for each in _COMMANDS)])
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: {' '.join(('batchscope', *command))}")
    if not command:
        assert all(f"\n    {each} " in out for each in _COMMANDS)
        assert "130 interrupted" in out


def test_version(batchscope):
    ended = batchscope("--version")
    assert (ended.code, ended.out) == (0, f"batchscope {version('batchscope')}\n")


def test_a_reader_that_has_seen_enough_is_no_error(command):
    lister = subprocess.Popen(command("list"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert lister.stdout is not None
    lister.stdout.close()
    assert lister.communicate()[1] == b""
    assert lister.returncode == 0


def test_a_terminal_without_unicode_is_no_error(command, write_sweep, tmp_path):
    sweep = write_sweep(tmp_path, "accents")
    sweep.write_text(sweep.read_text("utf-8").replace("A sweep for", "Größe ≥ 1:"), "utf-8")
    shown = subprocess.run(
        command("show", sweep),
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"Gr??e ? 1:" in shown.stdout


@pytest.mark.parametrize(
    "arguments", [["list"], ["show", "quick"], ["status", "OUT"], ["--version"]], ids=lambda a: a[0]
)
def test_commands_that_read_do_not_wait_for_jax(arguments, finished):
    script = """
import sys
from batchscope.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""
    named = [str(finished.out) if each == "OUT" else each for each in arguments]
    ended = subprocess.run(
        [sys.executable, "-c", script, *named], capture_output=True, text=True, check=True
    )
    loaded = set(ended.stderr.split())
    assert "batchscope.cli.main" in loaded
    assert not {"jax", "flax", "altair", "scipy"} & loaded


def test_results_are_analysed_and_reported_without_jax(finished, tmp_path):
    script = """
import sys
import batchscope
import batchscope.analysis
print(*sys.modules)
batchscope.find([batchscope.read(sys.argv[1])])
print(*sys.modules)
import batchscope.report
print(*sys.modules)
"""
    ended = subprocess.run(
        [sys.executable, "-c", script, str(finished.out / "alpha")],
        capture_output=True,
        text=True,
        check=True,
    )
    imported, used, reported = (set(line.split()) for line in ended.stdout.splitlines())
    assert not {"jax", "pandas", "scipy"} & imported
    assert not {"jax", "scipy"} & used
    assert "jax" not in reported
