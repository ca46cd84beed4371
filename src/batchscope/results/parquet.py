"""Tables of one pack to and from Parquet, checked in both directions."""

from collections.abc import Mapping
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from batchscope.results.schema import Status


class UnusableTableError(Exception):
    """A table that is not what it should be; the text says what is wrong with it."""


def write_table(table: pa.Table, metadata: Mapping[str, str], stream: BinaryIO) -> None:
    """Writes a table with metadata of its own and with checksums of its pages."""
    described = table.replace_schema_metadata(dict(metadata))
    pq.write_table(described, stream, compression="zstd", write_page_checksum=True)


def read_table(content: bytes, schema: pa.Schema) -> tuple[pa.Table, dict[str, str]]:
    """Returns a table in exactly this schema and the metadata it was written with.

    Raises:
        UnusableTableError: the content is no Parquet, damaged, or has another schema.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        table = file.read()
    # a damaged file can fail in any part of the reader
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise UnusableTableError(f"it is damaged ({_first_line(error)})") from error
    metadata = {
        key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
        for key, value in (table.schema.metadata or {}).items()
    }
    return conform(table, schema), metadata


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Returns the table with the columns of `schema` in its order, without metadata.

    Raises:
        UnusableTableError: a column is missing, superfluous, of another type, or has nulls it must
            not have.
    """
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise UnusableTableError(f"it has no column {missing[0]}")
    superfluous = [name for name in table.column_names if name not in schema.names]
    if superfluous:
        raise UnusableTableError(f"it has a column {superfluous[0]} that is not expected")
    if len(table.column_names) != len(schema):
        raise UnusableTableError("it has two columns of the same name")
    table = table.select(schema.names)
    for field in schema:
        column = table.column(field.name)
        if column.type != field.type:
            raise UnusableTableError(
                f"its column {field.name} is {column.type}, expected {field.type}"
            )
        if not field.nullable and column.null_count:
            raise UnusableTableError(f"its column {field.name} has empty values")
    return pa.Table.from_arrays(table.columns, schema=schema)


def check_pack(*, trials: pa.Table, measurements: pa.Table, batch_size: int, pack: int) -> None:
    """Checks that two tables in their schemas are those of one pack.

    Raises:
        UnusableTableError: rows are of another pack or study, out of order, twice, or of trials
            that are not listed.
    """
    for name, table in (("trials", trials), ("measurements", measurements)):
        _check_constant(table, "batch_size", batch_size, name)
    _check_constant(trials, "pack", pack, "trials")
    ids = _integers(trials, "trial_id")
    if np.any(ids[1:] <= ids[:-1]):
        raise UnusableTableError("its trials are out of order or listed twice")
    unknown = set(trials["status"].unique().to_pylist()) - set(Status)
    if unknown:
        raise UnusableTableError(f"its trials have the unknown status {min(unknown)}")
    measured, steps = _integers(measurements, "trial_id"), _integers(measurements, "step")
    same = measured[1:] == measured[:-1]
    if np.any((measured[1:] < measured[:-1]) | (same & (steps[1:] <= steps[:-1]))):
        raise UnusableTableError("its measurements are out of order or listed twice")
    # sorted, so each trial's first row stands for all
    if not np.isin(measured[np.flatnonzero(~np.append(False, same))], ids).all():
        raise UnusableTableError("it has measurements of trials that it does not list")


def _first_line(error: BaseException) -> str:
    """Returns the first line of an error's text, without a full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _check_constant(table: pa.Table, column: str, value: int, name: str) -> None:
    other = _integers(table, column)
    other = other[other != value]
    if len(other):
        raise UnusableTableError(f"its {name} are of {column} {other[0]}, expected {value}")


def _integers(table: pa.Table, column: str) -> npt.NDArray[np.int64]:
    return np.asarray(table[column].to_numpy())
