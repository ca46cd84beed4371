"""The folder of a sweep: made, continued, refused, written and read."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pytest

from batchscope.errors import ResultsError
from batchscope.results import METRICS, SweepStore, find_sweeps
from batchscope.spec import Sweep, load_sweep, override, parse_sweep, to_toml

Make = Callable[..., dict[str, pa.Table]]


def create(folder: Path, sweep: Sweep, **more: Any) -> SweepStore:
    return SweepStore.create_or_open(folder, sweep, versions={"jax": "0.0.1"}, **more)


def refused(folder: Path, sweep: Sweep, **more: Any) -> str:
    with pytest.raises(ResultsError) as caught:
        create(folder, sweep, **more)
    return str(caught.value)


def test_a_new_folder_describes_its_sweep(tmp_path: Path, sweep: Sweep) -> None:
    folder = tmp_path / "runs" / "quick"
    assert create(folder, sweep).sweep == sweep
    assert parse_sweep((folder / "sweep.toml").read_text("utf-8")) == sweep
    assert json.loads((folder / "manifest.json").read_text("utf-8"))["format"] == 1
    python = ".".join(str(part) for part in sys.version_info[:3])
    opened = SweepStore.open(folder)
    assert (opened.sweep, opened.versions) == (sweep, {"python": python, "jax": "0.0.1"})


def test_an_empty_sweep_reads_as_empty_tables(tmp_path: Path, sweep: Sweep) -> None:
    found = create(tmp_path, sweep).read()
    assert found.versions["jax"] == "0.0.1"
    assert (found.trials.num_rows, found.measurements.num_rows) == (0, 0)
    assert found.missing == ((4, 0), (4, 1), (8, 0), (8, 1))
    assert (found.finished, found.problems) == ((), ())


def test_what_is_written_is_read(tmp_path: Path, sweep: Sweep, tables: Make) -> None:
    store = create(tmp_path, sweep)
    with store.lock():
        for batch_size, pack in [(8, 1), (4, 0), (4, 1)]:
            store.write_pack(
                batch_size, pack, **tables(batch_size, pack), metadata={"device": f"cpu {pack}"}
            )
    assert [store.is_finished(b, p) for b in (4, 8) for p in (0, 1)] == [True, True, False, True]
    found = SweepStore.open(tmp_path).read()
    assert found.finished == ((4, 0), (4, 1), (8, 1))
    assert found.missing == ((8, 0),)
    assert found.problems == ()
    assert found.metadata[8, 1] == {"device": "cpu 1"}
    assert found.trials["batch_size"].to_pylist() == [4] * 6 + [8] * 3
    assert found.trials["trial_id"].to_pylist() == [0, 1, 2, 3, 4, 5, 1, 3, 5]
    assert found.measurements["trial_id"].to_pylist()[:6] == [0, 0, 1, 1, 2, 2]
    assert found.measurements["step"].to_pylist()[:4] == [10, 20, 10, 20]
    only = pa.compute.field("pack") == 0
    assert found.trials.filter(only).equals(tables(4, 0)["trials"])
    last = found.measurements.filter(pa.compute.field("batch_size") == 8)
    assert last.equals(tables(8, 1)["measurements"])


def test_numbers_that_are_not_finite_survive(tmp_path: Path, sweep: Sweep, tables: Make) -> None:
    store = create(tmp_path, sweep)
    made = tables(4, 0)
    values = [np.nan, np.inf, -np.inf, None, -0.0, 5e-324]
    column = made["measurements"].schema.get_field_index(METRICS[1])
    made["measurements"] = made["measurements"].set_column(
        column, METRICS[1], pa.array(values, pa.float64())
    )
    store.write_pack(4, 0, **made)
    read = store.read().measurements[METRICS[1]]
    assert read.null_count == 1
    assert [str(value) for value in read.to_pylist()] == [str(value) for value in values]


def test_the_checkpoint_goes_when_the_pack_is_finished(
    tmp_path: Path, sweep: Sweep, tables: Make
) -> None:
    store = create(tmp_path, sweep)
    store.save_checkpoint(4, 0, b"first")
    store.save_checkpoint(4, 0, b"second")
    assert store.load_checkpoint(4, 0, warn=pytest.fail) == b"second"
    assert store.load_checkpoint(4, 1, warn=pytest.fail) is None
    assert not store.is_finished(4, 0)
    store.write_pack(4, 0, **tables(4, 0))
    assert store.load_checkpoint(4, 0, warn=pytest.fail) is None


def test_a_checkpoint_can_be_streamed(tmp_path: Path, sweep: Sweep) -> None:
    store = create(tmp_path, sweep)
    array = np.arange(1000.0)

    def write(stream: BinaryIO) -> None:
        np.save(stream, array)
        np.savez(stream, a=array)

    store.save_checkpoint(4, 0, write)
    payload = store.load_checkpoint(4, 0, warn=pytest.fail)
    assert payload is not None
    assert payload.startswith(b"\x93NUMPY")
    assert len(payload) > 16_000


def test_a_failing_writer_leaves_the_former_checkpoint(tmp_path: Path, sweep: Sweep) -> None:
    store = create(tmp_path, sweep)
    store.save_checkpoint(4, 0, b"former")

    def fail(stream: BinaryIO) -> None:
        stream.write(b"partial")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.save_checkpoint(4, 0, fail)
    assert store.load_checkpoint(4, 0, warn=pytest.fail) == b"former"
    assert len(list((tmp_path / "studies" / "batch_size_00004").iterdir())) == 1


def test_opening_again_continues(tmp_path: Path, sweep: Sweep, tables: Make) -> None:
    create(tmp_path, sweep).write_pack(4, 0, **tables(4, 0))
    again = create(tmp_path, sweep)
    assert again.is_finished(4, 0)
    assert again.sweep == sweep


def test_batch_sizes_may_be_added_and_the_name_may_change(
    tmp_path: Path, sweep: Sweep, tables: Make
) -> None:
    create(tmp_path, sweep).write_pack(4, 0, **tables(4, 0))
    other = sweep.at(batch_sizes=(2, 8, 16), name="renamed", description="Other words")
    extended = create(tmp_path, other)
    assert extended.sweep == other.at(batch_sizes=(2, 4, 8, 16))
    assert SweepStore.open(tmp_path).sweep == extended.sweep
    assert extended.is_finished(4, 0)
    assert create(tmp_path, sweep).sweep.batch_sizes == (2, 4, 8, 16)


def test_the_folder_of_the_users_modules_is_that_of_the_sweep_given(
    tmp_path: Path, sweep: Sweep
) -> None:
    text = to_toml(sweep).replace('model = "fc_64"', 'model = "mine:net"')
    mine = parse_sweep(text, folder=tmp_path)
    out = tmp_path / "out"
    create(out, mine)
    assert create(out, mine).sweep.model.folder == tmp_path
    assert SweepStore.open(out).sweep.model.folder is None


def test_another_sweep_is_refused_with_every_difference(tmp_path: Path, sweep: Sweep) -> None:
    create(tmp_path, sweep)
    found = refused(tmp_path, override(sweep, seed=7, budget_steps=5, batch_sizes=[2]))
    assert found == (
        f"{tmp_path} holds results of another sweep: budget.steps is 4000 there and 5 now, seed is "
        f"0 there and 7 now; choose another folder, or run the sweep in {tmp_path / 'sweep.toml'}"
    )
    assert SweepStore.open(tmp_path).sweep == sweep


def test_keys_that_only_one_sweep_has_are_differences(tmp_path: Path, sweep: Sweep) -> None:
    create(tmp_path, sweep)
    found = refused(tmp_path, sweep.at(trials_per_pack=None, metaparameters={"epsilon": 0.5}))
    assert "trials_per_pack is 3 there and not given now" in found
    assert "metaparameters.epsilon is not given there and 0.5 now" in found


def test_the_order_of_the_search_space_is_a_difference(tmp_path: Path, sweep: Sweep) -> None:
    create(tmp_path, sweep)
    found = refused(tmp_path, sweep.at(parameter_configs=sweep.parameter_configs[::-1]))
    assert "the search space has the order learning_rate, end_learning_rate_factor" in found


def test_changed_user_code_is_refused(tmp_path: Path, sweep: Sweep) -> None:
    create(tmp_path, sweep, code={"mine.py": "aa"})
    assert create(tmp_path, sweep, code={"mine.py": "aa"}).sweep == sweep
    found = refused(tmp_path, sweep, code={"mine.py": "bb"})
    assert found.startswith("mine.py is not what it was when the results in")


def test_a_folder_of_other_files_is_refused(tmp_path: Path, sweep: Sweep) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    assert "holds files that are no sweep's (thesis.tex)" in refused(tmp_path, sweep)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path, sweep: Sweep) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    for folder in (path, path / "below"):
        assert re.match(rf"cannot (read|write) {folder}: not a directory; ", refused(folder, sweep))


def test_creation_that_was_interrupted_is_completed(tmp_path: Path, sweep: Sweep) -> None:
    create(tmp_path, sweep)
    (tmp_path / "sweep.toml").unlink()  # it is written last
    assert create(tmp_path, sweep).read().problems == ()


@pytest.mark.parametrize("damage", ["batch_size", "missing", "twice", "unknown", "status", "pack"])
def test_tables_of_something_else_are_not_stored(
    tmp_path: Path, sweep: Sweep, tables: Make, damage: str
) -> None:
    made = tables(4, 0)
    trials, measurements = made["trials"], made["measurements"]
    made.update(
        {
            "batch_size": {"measurements": tables(8, 0)["measurements"]},
            "missing": {"trials": trials.drop_columns(["status"])},
            "twice": {"measurements": pa.concat_tables([measurements, measurements])},
            "unknown": {"trials": trials.slice(1)},
            "status": {
                "trials": trials.set_column(3, trials.schema.field(3), pa.array(["DONE"] * 3))
            },
            "pack": {"trials": trials.set_column(2, trials.schema.field(2), pa.array([1] * 3))},
        }[damage]
    )
    store = create(tmp_path, sweep)
    with pytest.raises(ValueError, match="pack 0 of batch size 4 cannot be stored"):
        store.write_pack(4, 0, **made)
    assert not store.is_finished(4, 0)


def test_there_is_no_such_pack(tmp_path: Path, sweep: Sweep, tables: Make) -> None:
    store = create(tmp_path, sweep)
    with pytest.raises(ValueError, match="no pack 2 of batch size 4"):
        store.write_pack(4, 2, **tables(4, 0))
    with pytest.raises(ValueError, match="no pack 0 of batch size 16"):
        store.save_checkpoint(16, 0, b"")


def test_sweeps_are_found_at_and_below_a_folder(tmp_path: Path, sweep: Sweep) -> None:
    create(tmp_path / "b", sweep)
    create(tmp_path / "a", load_sweep("quick"))
    (tmp_path / "c").mkdir()
    (tmp_path / "report.html").write_text("x")
    assert find_sweeps(tmp_path) == [tmp_path / "a", tmp_path / "b"]
    assert find_sweeps(tmp_path / "b") == [tmp_path / "b"]
    assert find_sweeps(tmp_path / "c") == []
    with pytest.raises(
        ResultsError, match=r"cannot read the folder .*: no such file or directory;"
    ):
        find_sweeps(tmp_path / "d")


def test_a_folder_without_a_sweep_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"holds no sweep \(no sweep.toml\); give a folder"):
        SweepStore.open(tmp_path)
