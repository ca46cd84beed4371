"""Two processes on one folder, and processes that are killed while they write."""

import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from batchscope.errors import ResultsError
from batchscope.results import SweepStore
from batchscope.spec import Sweep

# Fills a folder pack by pack, with a checkpoint before each, and kills itself before the n-th line
# of the package that it runs meanwhile (n = 0: never).
WRITER = """
import os, signal, sys
from pathlib import Path
import pyarrow as pa
from batchscope.results import SweepStore

class WithoutPandas:  # which pyarrow imports where it can, and which takes longer than all the rest
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "pandas":
            raise ImportError(name)

sys.meta_path.insert(0, WithoutPandas)
left = int(sys.argv[2])
tables = Path(sys.argv[3])

def count_down(frame, event, argument):
    global left
    if f"batchscope{os.sep}results" not in frame.f_code.co_filename:
        return None
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return count_down

def checkpoint(stream):
    for _ in range(20):
        stream.write(bytes([batch_size, pack]) * 5_000)

def load(kind):
    return pa.ipc.open_file(tables / f"{batch_size}.{pack}.{kind}").read_all()

store = SweepStore.open(Path(sys.argv[1]))
with store.lock():
    print("started", flush=True)
    for batch_size, pack in store.read().missing:
        measurements, trials = load("measurements"), load("trials")
        sys.settrace(count_down)
        store.save_checkpoint(batch_size, pack, checkpoint)
        store.write_pack(batch_size, pack, measurements=measurements, trials=trials)
        sys.settrace(None)
print("done", flush=True)
"""

HOLDER = """
import sys, time
from pathlib import Path
from batchscope.results import SweepStore

with SweepStore.open(Path(sys.argv[1])).lock():
    print("started", flush=True)
    time.sleep(600)
"""


def start(code: str, folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Starts a process and waits until it holds the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder), *arguments], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def kill(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_a_folder_is_held_by_one_process_until_it_ends(tmp_path: Path, sweep: Sweep) -> None:
    store = SweepStore.create_or_open(tmp_path, sweep, versions={})
    holder = start(HOLDER, tmp_path)
    try:
        in_use = rf"{tmp_path} is in use by process {holder.pid} on .*; wait until it ends or stop"
        with pytest.raises(ResultsError, match=in_use), store.lock():
            pass
        with pytest.raises(ResultsError, match=in_use):
            SweepStore.create_or_open(tmp_path, sweep.at(batch_sizes=(2,)), versions={})
        assert store.read().problems == ()  # reading needs no lock
    finally:
        kill(holder)
    with store.lock():
        pass


def test_a_lock_is_free_after_an_error(tmp_path: Path, sweep: Sweep) -> None:
    store = SweepStore.create_or_open(tmp_path, sweep, versions={})
    with pytest.raises(ZeroDivisionError), store.lock():
        raise ZeroDivisionError
    with store.lock():
        pass


def test_killed_writers_lose_at_most_what_they_were_writing(
    tmp_path: Path, sweep: Sweep, tables: Callable[..., dict[str, pa.Table]]
) -> None:
    folder = tmp_path / "quick"
    store = SweepStore.create_or_open(folder, sweep, versions={})
    packs = store.read().missing
    for batch_size, pack in packs:
        for kind, table in tables(batch_size, pack, evaluations=300).items():
            with pa.ipc.new_file(tmp_path / f"{batch_size}.{pack}.{kind}", table.schema) as file:
                file.write(table)
    chance, finished = random.Random(0), 0
    for _ in range(8):
        writer = start(WRITER, folder, str(chance.randint(1, 400)), str(tmp_path))
        assert writer.wait() == -signal.SIGKILL
        writer.communicate()
        found = store.read()
        assert found.problems == ()
        assert len(found.finished) >= finished  # nothing that was there is lost
        finished = len(found.finished)
        for batch_size, pack in packs:
            payload = store.load_checkpoint(batch_size, pack, warn=pytest.fail)
            assert payload in (None, bytes([batch_size, pack]) * 100_000)
    writer = start(WRITER, folder, "0", str(tmp_path))
    assert writer.communicate()[0] == "done\n"
    found = store.read()
    assert (found.finished, found.missing, found.problems) == (packs, (), ())
    for kind in ("trials", "measurements"):
        made = [tables(*each, evaluations=300)[kind] for each in packs]
        expected = pa.concat_tables(made).sort_by(
            [(name, "ascending") for name in ("batch_size", "trial_id")]
        )
        assert getattr(found, kind).equals(expected)
    names = {path.suffix for path in (folder / "studies").rglob("*") if path.is_file()}
    assert names == {".parquet"}


def test_leftovers_of_killed_writers_are_removed(tmp_path: Path, sweep: Sweep) -> None:
    store = SweepStore.create_or_open(tmp_path, sweep, versions={})
    holder = start(
        HOLDER.replace(
            "    time.sleep(600)",
            "    import os, signal\n"
            "    die = lambda stream: stream.write(b'x') and os.kill(os.getpid(), signal.SIGKILL)\n"
            "    SweepStore.open(Path(sys.argv[1])).save_checkpoint(4, 0, die)",
        ),
        tmp_path,
    )
    assert holder.wait() == -signal.SIGKILL
    holder.communicate()
    study = tmp_path / "studies" / "batch_size_00004"
    assert len(list(study.iterdir())) == 1
    assert store.read().problems == ()
    with store.lock():
        assert list(study.iterdir()) == []
