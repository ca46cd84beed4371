"""`batchscope run`: what it writes and says, and what it does the second time."""

import json
import shutil

from batchscope.cli import main
from batchscope.results import Status, read


def test_writes_the_report_its_numbers_and_figures(finished):
    assert {path.name for path in finished.out.iterdir()} == {
        "alpha",
        "beta",
        "curve.json",
        "figures",
        "report.html",
        "report.md",
    }
    assert (finished.out / "report.html").read_text().rstrip().endswith("</html>")
    names = {path.name for path in (finished.out / "figures").iterdir()}
    assert {"steps_to_result.svg", "steps_to_result.png"} <= names
    numbers = json.loads((finished.out / "curve.json").read_text())
    assert [sweep["name"] for sweep in numbers["sweeps"]] == ["alpha", "beta"]
    assert len(numbers["comparisons"]) == 1


def test_the_result_goes_to_stdout_and_the_progress_to_stderr(finished):
    assert "alpha: " in finished.ended.out and "beta: " in finished.ended.out
    assert f"report: {finished.out / 'report.html'} (" in finished.ended.out
    lines = finished.ended.err.splitlines()
    assert lines[0] == "alpha: 2 batch sizes x 4 trials, goal val/classification_error < 0.5"
    assert lines[3].startswith("beta: ")
    assert lines[1].startswith("  batch size     16: ")
    assert lines[2].startswith("  batch size     32: ")
    assert len(lines) == 6
    assert "\x1b" not in finished.ended.err + finished.ended.out


def test_its_tables_hold_every_kind_of_trial(finished):
    # or else the tests that compare tables would compare less than they claim
    trials = read(finished.out / "alpha").trials
    assert {Status.COMPLETE, Status.INFEASIBLE} <= set(trials["status"].to_pylist())
    assert any(step is not None for step in trials["goal_step"].to_pylist())


def test_again_with_a_batch_size_more(finished, tables, tmp_path, capsys):
    out = tmp_path / "out"
    shutil.copytree(finished.out, out)
    files = {path: path.stat() for path in out.rglob("*.parquet")}
    before = tables(out)

    run = ["run", *map(str, finished.sweeps), "--out", str(out)]
    assert main([*run, "--batch-sizes", "16,32,64"]) == 0
    result, progress = capsys.readouterr()
    lines = [line for line in progress.splitlines() if "batch size " in line]
    assert len(lines) == 2
    assert all(line.startswith("  batch size     64: ") for line in lines)
    after = tables(out)
    assert len(after) == len(before) + 4
    assert before.items() <= after.items()
    assert all(path.stat().st_mtime_ns == stat.st_mtime_ns for path, stat in files.items())

    extended = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    assert main(run) == 0
    again, progress = capsys.readouterr()
    assert progress.splitlines()[1::2] == ["alpha: all done already", "beta: all done already"]
    assert again.splitlines()[:-1] == result.splitlines()[:-1]  # what was added stays
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == extended


def test_goals_never_reached_and_trials_that_all_diverge_are_results(write_sweep, tmp_path, capsys):
    never = write_sweep(tmp_path, "never", goal=0.0001, steps=40)
    diverging = write_sweep(tmp_path, "diverging", rates=[1e29, 1e30], steps=40)
    assert main(["run", str(never), str(diverging), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("report: ") and len(out.splitlines()) == 1
    report = (tmp_path / "out" / "report.md").read_text()
    assert "No trial reached" in report
    assert "Every trial diverged" in report
    rows = read(tmp_path / "out" / "diverging").trials["status"].to_pylist()
    assert set(rows) == {Status.INFEASIBLE}
