"""Mistakes and conditions that the user can act on: one sentence, an exit code, no stack trace."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from batchscope.cli import main
from batchscope.results import SweepStore


@pytest.fixture
def complaint(capsys):
    """Runs a command in this process; returns its exit code and the one sentence it says."""

    def run(*arguments: object) -> tuple[int, str]:
        try:
            code = main([str(each) for each in arguments])
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        assert out == ""
        (line,) = err.splitlines()
        assert line.startswith("batchscope")
        return code, line

    return run


def test_an_unknown_sweep(batchscope):
    ended = batchscope("run", "quik", "--out", "never")
    assert ended.code == 2
    assert "did you mean 'quick'?" in ended.complaint


@pytest.mark.parametrize("arguments", [["run", "--out", "never"], ["plan"], ["show"]])
def test_a_file_that_does_not_exist(arguments, complaint):
    code, line = complaint(*arguments, "no/such.toml")
    assert (code, line) == (
        2,
        "batchscope: no/such.toml: there is no such file; correct the path",
    )


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ('name = "mine"', "name = ", "not valid TOML"),
        ("trials = 4", "trails = 4", "trails"),
        ("trials = 4", "trials = 4.5", "trials is 4.5"),
        ("trials = 4", 'trials = "4"', "expected a whole number"),
        ("batch_sizes = [16, 32]", "batch_sizes = [16, 1024]", "batch_sizes holds 1024"),
        ("val/classification_error", "val/nonsense", "goal.metric is 'val/nonsense'"),
        ('"fc_8"', '"fc_x"', "unknown model 'fc_x'"),
        ('"momentum"\n', '"adagrad"\n', "unknown optimizer 'adagrad'"),
        ('"constant"', '"sawtooth"', "unknown schedule 'sawtooth'"),
        ('"mnist_10k"', '"no:such"', "'no:such'"),
        ("subset = 512", "subset = 0", "subset"),
        ("min_value = 0.5", "min_value = 1.5", "min_value"),
        ("[1e-06, 0.1, 1e+30]", "[]", "feasible_points"),
    ],
)
def test_a_sweep_that_cannot_be_run(was, now, expected, complaint, write_sweep, tmp_path):
    path = write_sweep(tmp_path, "mine")
    text = path.read_text()
    assert was in text
    path.write_text(text.replace(was, now, 1))
    code, line = complaint("run", path, "--out", tmp_path / "out")
    assert code == 2
    assert expected in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--batch-sizes", "4,x"], "'4,x' is not a list of whole numbers such as 4,8,16"),
        (["--batch-sizes", ""], "'' is not a list of whole numbers"),
        (["--batch-sizes", "0"], "batch_sizes holds 0"),
        (["--batch-sizes=-4"], "batch_sizes holds -4"),
        (["--batch-sizes", "4,4"], "batch_sizes holds 4 more than once"),
        (["--batch-sizes", "1024"], "batch_sizes holds 1024, expected at most the 512"),
        (["--trials", "0"], "trials is 0"),
        (["--trials", "-3"], "trials is -3"),
        (["--trials", "many"], "argument --trials: invalid int value: 'many'"),
        (["--trials-per-pack", "0"], "trials_per_pack is 0"),
        (["--seed", "-1"], "seed is -1"),
        (["--prune", "max"], "argument --prune: invalid choice: 'max'"),
        (["--checkpoint-seconds", "-1"], "'-1' is not a number of seconds"),
        (["--checkpoint-seconds", "nan"], "'nan' is not a number of seconds"),
        (["--out", ""], "'' is not a folder"),
        (["--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_options_that_make_no_sense(options, expected, complaint, write_sweep, tmp_path):
    path = write_sweep(tmp_path, "mine")
    code, line = complaint("run", path, "--out", tmp_path / "out", *options)
    assert code == 2
    assert expected in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [[], ["fly"], ["run"], ["run", "quick"], ["report"]])
def test_commands_that_are_none(arguments, complaint):
    code, line = complaint(*arguments)
    assert code == 2
    assert re.search(r"\(see `batchscope( \w+)? --help`\)$", line)


def test_two_sweeps_of_one_name(complaint, write_sweep, tmp_path):
    path = write_sweep(tmp_path, "mine")
    code, line = complaint("run", path, path, "--out", tmp_path / "out")
    assert code == 2
    assert "are both named 'mine'" in line


def test_results_that_cannot_go_where_they_should(complaint, write_sweep, tmp_path):
    path = write_sweep(tmp_path, "mine")
    for out, reason in (
        (path, "is a file"),
        (path / "below", "not a directory"),
        ("/proc/batchscope", "cannot be made"),
    ):
        code, line = complaint("run", path, "--out", out)
        assert code == 2
        assert f"--out {out} " in line and reason in line


def test_a_disk_that_cannot_be_written(complaint, finished, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro,size=64k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or _fails(mount):
        pytest.skip("no disk can be mounted here")
    try:
        code, line = complaint("run", finished.sweeps[0], "--out", disk)
        assert code == 2
        assert f"--out {disk} cannot be written" in line
        code, line = complaint("report", finished.out, "--out", disk)
        assert code == 1
        assert str(disk) in line and "ead-only file system" in line
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _fails(arguments: list[str]) -> bool:
    return subprocess.run(arguments, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("command", ["report", "status"])
def test_folders_without_results(command, complaint, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    for name in ("empty", "file", "nowhere"):
        code, line = complaint(command, tmp_path / name)
        assert code == 1
        assert str(tmp_path / name) in line


def test_a_report_where_a_file_is(complaint, finished):
    code, line = complaint("report", finished.out, "--out", finished.sweeps[0])
    assert code == 1
    assert str(finished.sweeps[0]) in line


def test_a_folder_in_use(batchscope, finished, tmp_path):
    shutil.copytree(finished.out / "alpha", tmp_path / "out" / "alpha")
    with SweepStore.open(tmp_path / "out" / "alpha").lock():
        ended = batchscope("run", finished.sweeps[0], "--out", tmp_path / "out", "--quiet")
    assert ended.code == 1
    assert f"alpha is in use by process {os.getpid()} on " in ended.complaint


def test_a_folder_of_another_sweep(complaint, finished, tmp_path):
    shutil.copytree(finished.out / "alpha", tmp_path / "out" / "alpha")
    code, line = complaint("run", finished.sweeps[0], "--out", tmp_path / "out", "--seed", "7")
    assert code == 1
    assert "seed is 0 there and 7 now" in line


def test_output_to_a_full_disk(command):
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            command("list"), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith("batchscope: cannot go on: [Errno 28]")
    assert len(ended.stderr.splitlines()) == 1
