"""Two processes on one folder, and processes that are killed while they write."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from batchscope.errors import ResultsError
from batchscope.results import SweepStore
from batchscope.spec import Sweep

# fills a folder pack by pack, with a checkpoint before each, as fast as it can
WRITER = """
import sys
from pathlib import Path
import numpy as np, pyarrow as pa
from batchscope.results import MEASUREMENTS, METRICS, PARAMETER_PREFIX, SweepStore, trials_schema

store = SweepStore.open(Path(sys.argv[1]))
names = store.sweep.parameter_names
rows = 10_000
with store.lock():
    print("started", flush=True)
    for batch_size in store.sweep.batch_sizes:
        if store.is_finished(batch_size, 0):
            continue
        store.save_checkpoint(batch_size, 0, bytes([batch_size % 256]) * 200_000)
        noise = np.random.default_rng(batch_size).random(rows)
        measurements = pa.table({
            "batch_size": np.full(rows, batch_size), "trial_id": np.zeros(rows, int),
            "step": np.arange(rows), **{metric: noise for metric in METRICS},
            "val/examples": np.ones(rows, int)}).cast(MEASUREMENTS)
        trials = pa.table({
            "batch_size": [batch_size], "trial_id": [0], "pack": [0], "status": ["COMPLETE"],
            "steps": [rows], "goal_step": pa.nulls(1, pa.int64()),
            "goal_step_after": pa.nulls(1, pa.int64()),
            **{PARAMETER_PREFIX + name: [1.0] for name in names}}).cast(trials_schema(names))
        store.write_pack(batch_size, 0, measurements=measurements, trials=trials)
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


def start(code: str, folder: Path) -> "subprocess.Popen[str]":
    """Starts a process and waits until it holds the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True
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


def test_killed_writers_lose_at_most_what_they_were_writing(tmp_path: Path, sweep: Sweep) -> None:
    sizes = tuple(range(1, 17))
    store = SweepStore.create_or_open(
        tmp_path, sweep.at(batch_sizes=sizes, trials_per_pack=None), versions={}
    )
    chance, finished = random.Random(0), 0
    for _ in range(5):
        writer = start(WRITER, tmp_path)
        time.sleep(chance.uniform(0, 0.15))
        kill(writer)
        found = store.read()
        assert found.problems == ()
        assert len(found.finished) >= finished  # nothing that was there is lost
        finished = len(found.finished)
        for batch_size in sizes:
            payload = store.load_checkpoint(batch_size, 0, warn=pytest.fail)
            assert payload in (None, bytes([batch_size]) * 200_000)
    writer = start(WRITER, tmp_path)
    assert writer.communicate()[0] == "done\n"
    found = store.read()
    assert (len(found.finished), found.missing, found.problems) == (16, (), ())
    noise = found.measurements["val/accuracy"].to_numpy().reshape(16, -1)
    for batch_size, row in zip(sizes, noise, strict=True):
        np.testing.assert_array_equal(row, np.random.default_rng(batch_size).random(len(row)))
    names = {path.name for path in (tmp_path / "studies").rglob("*") if path.is_file()}
    assert names == {"pack_000.trials.parquet", "pack_000.measurements.parquet"}


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
