"""Runs that are ended in every way before they are done, and what becomes of their results."""

import os
import pty
import random
import select
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_LIMIT_S = 300  # for what would otherwise hang


def _wait(condition: Callable[[], bool], process: subprocess.Popen) -> None:
    give_up_s = time.monotonic() + _LIMIT_S
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < give_up_s
        time.sleep(0.005)


def _written(folder: Path, pattern: str) -> set[tuple[str, int]]:
    return {(str(path), path.stat().st_ino) for path in folder.rglob(pattern)}


@dataclass(frozen=True)
class Battered:
    """How the parts of one run ended, in their order, and where its results are."""

    full_disk: tuple[int, str] | None
    status_of_full_disk: str
    by_signal: dict[str, tuple[int, str]]
    screen: str
    code: int
    out: Path


@contextmanager
def _small_disk(folder: Path) -> Iterator[bool]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture(scope="module")
def battered(finished, batchscope, command, tmp_path_factory) -> Iterator[Battered]:
    """The sweep alpha, begun on a full disk, then ended by one signal after the other."""
    disk = tmp_path_factory.mktemp("battered") / "disk"
    out = disk / "out"
    run = ("run", finished.sweeps[0], "--out", out, "--checkpoint-seconds", "0")
    delay = random.Random(0)
    with _small_disk(disk) as is_small:
        full_disk = None
        status = ""
        if is_small:
            ended = batchscope(*run)
            full_disk = (ended.code, ended.err)
            status = batchscope("status", out).out
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)

        by_signal = {}
        for name in ("SIGINT", "SIGTERM", "SIGKILL 1", "SIGKILL 2"):
            before = _written(out, "*.checkpoint")
            process = subprocess.Popen(
                command(*run), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            _wait(lambda known=before: bool(_written(out, "*.checkpoint") - known), process)
            time.sleep(delay.uniform(0, 0.1))
            process.send_signal(signal.Signals[name.split()[0]])
            by_signal[name] = (process.wait(_LIMIT_S), process.communicate()[1])

        screen, code = _on_terminal(command(*run))
        yield Battered(full_disk, status, by_signal, screen, code, out)


def _on_terminal(arguments: list[str], *, columns: int = 80, lines: int = 24) -> tuple[str, int]:
    """Runs a command on a terminal of its own; returns what it wrote there and its exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        arguments,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=os.environ | {"COLUMNS": str(columns), "LINES": str(lines), "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], _LIMIT_S)[0]:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the terminal is closed
            break
    os.close(ours)
    return shown.decode(), process.wait(_LIMIT_S)


def test_a_full_disk_is_told_in_one_sentence_and_leaves_what_was_written(battered):
    if battered.full_disk is None:
        pytest.skip("no small disk can be mounted here")
    code, err = battered.full_disk
    assert code == 1
    assert "Traceback" not in err
    complaints = [line for line in err.splitlines() if line.startswith("batchscope: ")]
    assert len(complaints) == 1
    assert "no space left on device" in complaints[0]
    assert "run the same command again" in complaints[0]
    assert battered.status_of_full_disk.startswith("alpha: 0 of 2 packs finished")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_run_says_how_to_go_on(battered, name):
    code, err = battered.by_signal[name]
    assert code == 130
    assert err.splitlines()[-1] == (
        f"batchscope: interrupted; what was done is kept in {battered.out}: run the same command "
        "again to go on from there"
    )
    assert "Traceback" not in err


def test_a_run_can_be_killed(battered):
    for name in ("SIGKILL 1", "SIGKILL 2"):
        assert battered.by_signal[name][0] == -signal.SIGKILL


def test_what_was_interrupted_ends_bit_for_bit_as_what_was_not(battered, finished, tables):
    assert battered.code == 0
    assert tables(battered.out / "alpha") == tables(finished.out / "alpha")
    files = {path.name for path in battered.out.rglob("*")}
    assert not any(name.endswith((".checkpoint", ".tmp")) for name in files)


def test_the_live_table_shows_the_studies_and_restores_the_terminal(battered):
    screen = battered.screen
    for heading in ("batch size", "step", "best so far", "active", "pruned", "infeasible", "time"):
        assert heading in screen
    assert "alpha · goal val/classification_error < 0.5" in screen
    assert "Ctrl-C stops, the same command goes on" in screen
    assert screen.count("\x1b[?25l") == screen.count("\x1b[?25h") == 1  # the cursor
    after = screen.partition("\x1b[?25h")[2]
    assert after.count("batch size") >= 1  # the table stays, whole
    assert "alpha: " in after and "report: " in after
    assert "Traceback" not in screen


def test_a_killed_report_leaves_the_former_one_whole(finished, command, batchscope, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(finished.out, out)
    reports = [path for path in out.iterdir() if path.is_file()]
    former = {path: path.read_bytes() for path in reports}
    unchanged = {path.stat().st_ino for path in out.rglob("*") if path.is_file()}
    process = subprocess.Popen(
        command("report", out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    _wait(
        lambda: any(p.stat().st_ino not in unchanged for p in out.rglob("*") if p.is_file()),
        process,
    )
    process.kill()
    process.communicate()
    # equal tables give an equal report, so a whole file is an equal file
    assert {path: path.read_bytes() for path in reports} == former


def test_a_second_signal_ends_at_once():
    script = """
        import os, signal, time
        from batchscope.cli.interrupt import StopSignal

        with StopSignal("enough") as stop, stop.deferred():
            os.kill(os.getpid(), signal.SIGINT)
            print("requested", stop.requested, flush=True)
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(300)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_LIMIT_S,
    )
    assert (ended.returncode, ended.stdout) == (130, "requested True\n")
    assert ended.stderr == "batchscope: enough\n"
