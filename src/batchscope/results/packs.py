"""The files of one finished pack."""

from collections.abc import Mapping
from typing import BinaryIO

import pyarrow as pa

from batchscope.errors import ResultsError
from batchscope.results.files import Files
from batchscope.results.layout import measurements_file, trials_file
from batchscope.results.parquet import (
    UnusableTableError,
    check_pack,
    conform,
    read_table,
    write_table,
)
from batchscope.results.schema import MEASUREMENTS, trials_schema
from batchscope.results.tables import Pack
from batchscope.spec.sweep import Sweep

_DIGEST_KEY = "batchscope.spec_digest"


class PackFiles:
    """Reads and writes the tables of the packs of one sweep."""

    def __init__(self, files: Files, sweep: Sweep, *, spec_digest: str) -> None:
        """Takes the digest that marks the files as this sweep's."""
        self._files = files
        self._spec_digest = spec_digest
        self.trials_schema = trials_schema(sweep.parameter_names)

    def read(self, batch_size: int, pack: int) -> Pack | None:
        """Returns a pack, None if it is not finished.

        Raises:
            UnusableTableError: it is finished and its files are unreadable, damaged or foreign; the
                text is a sentence that names the file.
        """
        name = trials_file(batch_size, pack)
        content = self._content(name)
        if content is None:
            return None
        trials, metadata = self._decode(name, content, self.trials_schema)
        measurements_name = measurements_file(batch_size, pack)
        content = self._content(measurements_name)
        if content is None:
            raise self._unusable(measurements_name, "it is missing although the pack is finished")
        measurements, _ = self._decode(measurements_name, content, MEASUREMENTS)
        try:
            check_pack(trials=trials, measurements=measurements, batch_size=batch_size, pack=pack)
        except UnusableTableError as error:
            raise self._unusable(name, error) from error
        return Pack(batch_size, pack, trials, measurements, metadata)

    def write(self, pack: Pack) -> None:
        """Writes a pack, its trials last: where they are, the pack is finished.

        Raises:
            ValueError: the tables are not those of this pack.
            ResultsError: they cannot be written.
        """
        try:
            tables = {
                measurements_file(pack.batch_size, pack.pack): conform(
                    pack.measurements, MEASUREMENTS
                ),
                trials_file(pack.batch_size, pack.pack): conform(pack.trials, self.trials_schema),
            }
            check_pack(
                trials=pack.trials,
                measurements=pack.measurements,
                batch_size=pack.batch_size,
                pack=pack.pack,
            )
        except UnusableTableError as error:
            raise ValueError(
                f"pack {pack.pack} of batch size {pack.batch_size} cannot be stored: {error}"
            ) from error
        metadata = {**pack.metadata, _DIGEST_KEY: self._spec_digest}
        for name, table in tables.items():
            self._write(name, table, metadata)

    def _write(self, name: str, table: pa.Table, metadata: Mapping[str, str]) -> None:
        def writer(stream: BinaryIO) -> None:
            write_table(table, metadata, stream)

        self._files.write(name, writer)

    def _content(self, name: str) -> bytes | None:
        try:
            return self._files.read(name)
        except ResultsError as error:  # of this file alone: others can still be read
            raise UnusableTableError(str(error)) from error

    def _decode(
        self, name: str, content: bytes, schema: pa.Schema
    ) -> tuple[pa.Table, dict[str, str]]:
        try:
            table, metadata = read_table(content, schema)
            if metadata.pop(_DIGEST_KEY, None) != self._spec_digest:
                raise UnusableTableError("it was not written for this sweep")
        except UnusableTableError as error:
            raise self._unusable(name, error) from error
        return table, metadata

    def _unusable(self, name: str, reason: object) -> UnusableTableError:
        return UnusableTableError(
            f"{self._files.place(name)} cannot be used: {reason}; its pack is left out until the "
            "sweep is run again, which measures it anew"
        )
