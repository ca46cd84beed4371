"""Damaged, truncated and foreign files are each named; everything else is still read."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from batchscope.errors import ResultsError
from batchscope.results import SweepStore, SweepTables
from batchscope.spec import Sweep, to_toml

Make = Callable[..., dict[str, pa.Table]]
STUDY = Path("studies/batch_size_00004")
TRIALS = STUDY / "pack_000.trials.parquet"
MEASUREMENTS = STUDY / "pack_000.measurements.parquet"
CHECKPOINT = STUDY / "pack_000.checkpoint"


@pytest.fixture
def folder(tmp_path: Path, sweep: Sweep, tables: Make) -> Path:
    """A folder in which all packs of batch size 4 are finished."""
    store = SweepStore.create_or_open(tmp_path, sweep, versions={})
    for pack in (0, 1):
        store.write_pack(4, pack, **tables(4, pack))
    return tmp_path


def read(folder: Path) -> SweepTables:
    return SweepStore.open(folder).read()


def assert_only_pack_0_is_lost(folder: Path, *expected: str) -> None:
    found = read(folder)
    assert found.finished == ((4, 1),)
    assert found.trials["trial_id"].to_pylist() == [1, 3, 5]
    assert len(found.problems) == 1
    for part in expected:
        assert part in found.problems[0]
    assert "\n" not in found.problems[0]
    assert not SweepStore.open(folder).is_finished(4, 0)


@pytest.mark.parametrize("file", [TRIALS, MEASUREMENTS])
@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_table(folder: Path, file: Path, kept: float) -> None:
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: int(len(content) * kept)])
    assert_only_pack_0_is_lost(folder, f"{folder / file} cannot be used: it is damaged (")


def test_a_table_that_is_something_else(folder: Path) -> None:
    (folder / TRIALS).write_text("trial_id,step\n1,2\n")
    assert_only_pack_0_is_lost(folder, f"{folder / TRIALS} cannot be used: it is damaged (")


@pytest.mark.parametrize("file", [TRIALS, MEASUREMENTS])
def test_a_flipped_bit_never_changes_a_number(folder: Path, file: Path) -> None:
    intact, content = read(folder), (folder / file).read_bytes()
    random = np.random.default_rng(0)
    named = 0
    for position in random.choice(len(content), 150, replace=False):
        damaged = bytearray(content)
        damaged[position] ^= 1 << int(random.integers(8))
        (folder / file).write_bytes(damaged)
        found = read(folder)
        if found.problems:
            assert (
                str(folder / file) in found.problems[0]
                or str(folder / TRIALS) in (found.problems[0])
            )
            named += 1
        else:  # a bit that no number depends on
            assert found.trials.equals(intact.trials)
            assert found.measurements.equals(intact.measurements)
    assert named > 30


def test_measurements_that_are_gone(folder: Path) -> None:
    (folder / MEASUREMENTS).unlink()
    assert_only_pack_0_is_lost(folder, f"{folder / MEASUREMENTS}", "is missing although the pack")


def rewrite(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    table = pq.ParquetFile(path).read()
    pq.write_table(change(table).replace_schema_metadata(table.schema.metadata), path)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda table: table.drop_columns(["step"]), "it has no column step"),
        (lambda table: table.append_column("x", table["step"]), "it has a column x that is not"),
        (
            lambda table: table.set_column(2, "step", table["step"].cast(pa.int32())),
            "its column step is int32, expected int64",
        ),
        (
            lambda table: table.set_column(2, "step", pa.nulls(len(table), pa.int64())),
            "its column step has empty values",
        ),
        (
            lambda table: table.set_column(0, "batch_size", pa.array([8] * len(table))),
            "its measurements are of batch_size 8, expected 4",
        ),
        (lambda table: table.take([1, 0, 2, 3, 4, 5]), "its measurements are out of order"),
    ],
)
def test_a_table_with_other_contents(
    folder: Path, change: Callable[[pa.Table], pa.Table], expected: str
) -> None:
    rewrite(folder / MEASUREMENTS, change)
    assert_only_pack_0_is_lost(folder, expected)


def test_tables_of_another_sweep(folder: Path, tmp_path: Path, sweep: Sweep, tables: Make) -> None:
    other = SweepStore.create_or_open(tmp_path / "other", sweep.at(seed=1), versions={})
    other.write_pack(4, 0, **tables(4, 0))
    (tmp_path / "other" / TRIALS).replace(folder / TRIALS)
    assert_only_pack_0_is_lost(folder, f"{folder / TRIALS}", "it was not written for this sweep")


def test_files_that_do_not_belong_there(folder: Path) -> None:
    foreign = folder / STUDY / "notes.txt"
    foreign.write_text("x")
    (folder / STUDY / ".DS_Store").write_text("x")
    (folder / "report.html").write_text("x")
    found = read(folder)
    assert found.problems == (
        f"{foreign} is no file of this sweep and was ignored; move it elsewhere",
    )
    assert len(found.finished) == 2


def test_a_folder_in_place_of_a_table(folder: Path) -> None:
    (folder / MEASUREMENTS).unlink()
    (folder / MEASUREMENTS).mkdir()
    assert_only_pack_0_is_lost(folder, f"cannot read {folder / MEASUREMENTS}: is a directory")


def test_a_damaged_pack_can_be_measured_again(folder: Path, tables: Make) -> None:
    (folder / TRIALS).write_bytes(b"")
    SweepStore.open(folder).write_pack(4, 0, **tables(4, 0))
    assert read(folder).problems == ()


@pytest.mark.parametrize("content", [b"", b'name = "x"', b"\xff\xfe", b"= ="])
def test_a_damaged_description_is_named(folder: Path, sweep: Sweep, content: bytes) -> None:
    (folder / "sweep.toml").write_bytes(content)
    for attempt in (
        lambda: SweepStore.open(folder),
        lambda: SweepStore.create_or_open(folder, sweep, versions={}),
    ):
        with pytest.raises(ResultsError, match=r"the description of the results in .* is damaged"):
            attempt()


def test_an_edited_description_is_named(folder: Path, sweep: Sweep) -> None:
    edited = sweep.at(seed=5)
    (folder / "sweep.toml").write_text(to_toml(edited), "utf-8")
    sentence = f"{folder / 'sweep.toml'} was changed after its results were written; put the"
    assert read(folder).problems[0].startswith(sentence)
    with pytest.raises(ResultsError, match="was changed after its results"):
        SweepStore.create_or_open(folder, edited, versions={})


@pytest.mark.parametrize("content", [None, b"", b"[]", b"{}", b'{"format": 1}', b"\xff"])
def test_a_damaged_manifest_is_named_and_written_anew(
    folder: Path, sweep: Sweep, content: bytes | None
) -> None:
    manifest = folder / "manifest.json"
    manifest.unlink() if content is None else manifest.write_bytes(content)
    found = read(folder)
    assert len(found.finished) == 2
    assert len(found.problems) == 1
    assert found.problems[0].startswith(f"{manifest} is ")
    assert SweepStore.create_or_open(folder, sweep, versions={}).read().problems == ()


def test_results_of_a_newer_format_are_refused(folder: Path) -> None:
    manifest = folder / "manifest.json"
    values = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps({**values, "format": 2}), "utf-8")
    with pytest.raises(ResultsError, match="has the format 2, expected 1; read these results with"):
        read(folder)


@pytest.mark.parametrize("kept", [0, 10, 30, 100, 1100, -1])
def test_a_truncated_checkpoint_is_ignored_with_a_message(
    tmp_path: Path, sweep: Sweep, kept: int
) -> None:
    store = SweepStore.create_or_open(tmp_path, sweep, versions={})
    store.save_checkpoint(4, 0, bytes(1000))
    content = (tmp_path / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(content[:kept])
    messages: list[str] = []
    assert store.load_checkpoint(4, 0, warn=messages.append) is None
    assert len(messages) == 1
    assert messages[0].startswith(f"the checkpoint {tmp_path / CHECKPOINT} is ")
    assert messages[0].endswith("it is ignored, and this pack starts from its first step")


def test_a_flipped_bit_in_a_checkpoint_is_found(tmp_path: Path, sweep: Sweep) -> None:
    store = SweepStore.create_or_open(tmp_path, sweep, versions={})
    store.save_checkpoint(4, 0, b"payload")
    content = (tmp_path / CHECKPOINT).read_bytes()
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1
        (tmp_path / CHECKPOINT).write_bytes(damaged)
        messages: list[str] = []
        assert store.load_checkpoint(4, 0, warn=messages.append) is None
        assert len(messages) == 1


def test_a_checkpoint_of_another_pack_or_sweep_is_ignored(tmp_path: Path, sweep: Sweep) -> None:
    store = SweepStore.create_or_open(tmp_path / "a", sweep, versions={})
    other = SweepStore.create_or_open(tmp_path / "b", sweep.at(seed=1), versions={})
    store.save_checkpoint(4, 1, b"x")
    other.save_checkpoint(4, 0, b"x")
    messages: list[str] = []
    for source in (tmp_path / "a" / STUDY / "pack_001.checkpoint", tmp_path / "b" / CHECKPOINT):
        source.replace(tmp_path / "a" / CHECKPOINT)
        assert store.load_checkpoint(4, 0, warn=messages.append) is None
    assert all("is of another sweep, batch size or pack: it is" in each for each in messages)
    assert len(messages) == 2
