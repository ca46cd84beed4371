"""The tables open in plain pandas, polars and DuckDB."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from batchscope.results import SweepStore, SweepTables
from batchscope.spec import Sweep

Make = Callable[..., dict[str, pa.Table]]


@pytest.fixture
def results(tmp_path: Path, sweep: Sweep, tables: Make) -> tuple[Path, SweepTables]:
    """A folder with every pack finished, and what it holds."""
    store = SweepStore.create_or_open(tmp_path, sweep, versions={})
    for batch_size in (4, 8):
        for pack in (0, 1):
            store.write_pack(batch_size, pack, **tables(batch_size, pack))
    return tmp_path, store.read()


@pytest.mark.parametrize("kind", ["trials", "measurements"])
def test_other_readers_see_the_same_rows(results: tuple[Path, SweepTables], kind: str) -> None:
    folder, found = results
    table: pa.Table = getattr(found, kind)
    order = ["batch_size", "trial_id", *(["step"] if kind == "measurements" else [])]
    expected = table.to_pylist()
    pattern = f"{folder}/studies/*/*.{kind}.parquet"

    polars = pl.read_parquet(pattern).sort(order)
    assert polars.to_dicts() == expected

    columns = duckdb.sql(f"SELECT * FROM '{pattern}' ORDER BY {', '.join(order)}")
    assert [dict(zip(columns.columns, row, strict=True)) for row in columns.fetchall()] == expected

    frames = [pd.read_parquet(path) for path in folder.glob(f"studies/*/*.{kind}.parquet")]
    frame = pd.concat(frames).sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(frame, table.to_pandas())
