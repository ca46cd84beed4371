"""Disks that are full or read-only: one sentence, and nothing already written is lost."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from batchscope.errors import ResultsError
from batchscope.results import SweepStore
from batchscope.spec import Sweep

Make = Callable[..., dict[str, pa.Table]]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small disk here: {mounted.stderr.decode().strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_full_disk(small_disk: Path, sweep: Sweep, tables: Make) -> None:
    store = SweepStore.create_or_open(small_disk / "quick", sweep, versions={})
    store.write_pack(4, 0, **tables(4, 0))
    store.save_checkpoint(4, 1, b"former")
    with store.lock():
        with pytest.raises(ResultsError) as caught:
            store.save_checkpoint(4, 1, bytes(2**21))
        with pytest.raises(ResultsError):
            store.write_pack(4, 1, **tables(4, 1, evaluations=30_000))
    assert str(caught.value) == (
        f"cannot write {small_disk}/quick/studies/batch_size_00004/pack_001.checkpoint: no space "
        "left on device; put that right, or choose another folder, and run the same command again "
        "(nothing already written is lost)"
    )
    found = SweepStore.open(small_disk / "quick").read()
    assert (found.finished, found.problems) == (((4, 0),), ())
    assert store.load_checkpoint(4, 1, warn=pytest.fail) == b"former"
    # the space of what failed is free again
    store.save_checkpoint(4, 1, bytes(2**19))
    store.write_pack(4, 1, **tables(4, 1))


def test_a_disk_without_room_for_a_lock_can_still_be_locked(small_disk: Path, sweep: Sweep) -> None:
    store = SweepStore.create_or_open(small_disk / "quick", sweep, versions={})
    with pytest.raises(OSError, match="No space"):
        (small_disk / "ballast").write_bytes(bytes(2**21))
    with store.lock(), pytest.raises(ResultsError, match="is in use by"), store.lock():
        pass


def test_a_read_only_disk(small_disk: Path, sweep: Sweep, tables: Make) -> None:
    folder = small_disk / "quick"
    SweepStore.create_or_open(folder, sweep, versions={}).write_pack(4, 0, **tables(4, 0))
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    store = SweepStore.create_or_open(folder, sweep, versions={})
    assert store.read().finished == ((4, 0),)
    attempts: list[Callable[[], object]] = [
        lambda: store.lock().__enter__(),
        lambda: store.save_checkpoint(4, 1, b"x"),
        lambda: store.write_pack(4, 1, **tables(4, 1)),
        lambda: SweepStore.create_or_open(folder, sweep.at(batch_sizes=(2,)), versions={}),
        lambda: SweepStore.create_or_open(small_disk / "other", sweep, versions={}),
    ]
    for attempt in attempts:
        with pytest.raises(ResultsError, match=r"cannot write .*: read-only file system; put that"):
            attempt()


def test_a_place_where_no_folder_can_be_made(sweep: Sweep) -> None:
    if not Path("/proc").is_dir():
        pytest.skip("there is no /proc here")
    with pytest.raises(ResultsError, match="cannot write /proc/nowhere/quick: "):
        SweepStore.create_or_open(Path("/proc/nowhere/quick"), sweep, versions={})
