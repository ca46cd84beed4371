"""The results folder of one sweep: what is in it, what is missing, and how to add to it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from batchscope.results.checkpoint import (
    Payload,
    UnsuitableCheckpointError,
    read_checkpoint,
    write_checkpoint,
)
from batchscope.results.description import description_changes, read_description
from batchscope.results.files import Files, LocalFiles
from batchscope.results.layout import STUDIES, checkpoint_file, measurements_file, trials_file
from batchscope.results.manifest import Manifest
from batchscope.results.packs import PackFiles
from batchscope.results.parquet import UnusableTableError
from batchscope.results.tables import Pack, SweepTables, join
from batchscope.spec.sweep import Sweep


class SweepStore:
    """The results of one sweep in one folder.

    Reading needs no lock and changes nothing. Whoever writes holds `lock()` meanwhile. A pack is
    finished once its trials are written, and they are written last.

    Attributes:
        sweep: the sweep, with every batch size that was ever asked for in this folder.
        versions: of the libraries that began the sweep, and of Python.
    """

    def __init__(self, files: Files, sweep: Sweep, manifest: Manifest) -> None:
        """Takes what `create_or_open` and `open` found."""
        self._files = files
        self._manifest = manifest
        self.sweep = sweep
        self.versions = manifest.versions
        self._pack_files = PackFiles(files, sweep, spec_digest=manifest.spec_digest)

    @classmethod
    def create_or_open(
        cls,
        folder: Path,
        sweep: Sweep,
        *,
        versions: Mapping[str, str],
        code: Mapping[str, str] | None = None,
    ) -> "SweepStore":
        """Returns the store of `sweep` in `folder`, made or continued.

        A folder that already holds results is continued if its sweep equals this one in all but
        name, description and batch sizes: studies do not depend on each other, so batch sizes that
        are new are added and those left out stay.

        Args:
            folder: of this sweep alone.
            sweep: what is to be measured.
            versions: library name to version, recorded when the folder is made.
            code: digests of the user's own modules, by file name.

        Raises:
            ResultsError: the folder holds another sweep or other files, the user's code has
                changed, another process is at work on it, or it cannot be written.
        """
        files = LocalFiles(folder)

        def changes() -> dict[str, bytes]:
            return description_changes(files, sweep, versions=versions, code=code or {})

        if changes():
            with files.lock():
                for name, content in changes().items():  # another process may have been faster
                    files.write(name, content)
        there, manifest = read_description(files)
        # all but the batch sizes is equal, and only `sweep` knows where the user's modules are
        return cls(files, sweep.at(batch_sizes=there.batch_sizes), manifest)

    @classmethod
    def open(cls, folder: Path) -> "SweepStore":
        """Returns the store in a folder that holds a sweep, for reading it.

        Raises:
            ResultsError: the folder holds no sweep, or its description is damaged.
        """
        files = LocalFiles(folder)
        return cls(files, *read_description(files))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the folder for this process; it is free again when the process ends, however.

        Removes what killed processes left unfinished.

        Raises:
            ResultsError: another process holds it; its number is named.
        """
        with self._files.lock():
            for batch_size, pack in self._packs():
                # killed between writing a pack and deleting its checkpoint
                if self._files.exists(trials_file(batch_size, pack)):
                    self.delete_checkpoint(batch_size, pack)
            yield

    def is_finished(self, batch_size: int, pack: int) -> bool:
        """Returns whether a pack is measured and its files can be read.

        A damaged pack counts as unfinished: measured again it gives the same tables.
        """
        try:
            return self._pack_files.read(batch_size, pack) is not None
        except UnusableTableError:
            return False

    def write_pack(
        self,
        batch_size: int,
        pack: int,
        *,
        measurements: pa.Table,
        trials: pa.Table,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Stores the tables of a finished pack and deletes its checkpoint.

        Args:
            batch_size: one of the sweep's.
            pack: from 0.
            measurements: in the schema MEASUREMENTS, ordered by (trial_id, step).
            trials: in `trials_schema(sweep.parameter_names)`, ordered by trial_id.
            metadata: about this pack (versions, device, time used), stored with both tables.

        Raises:
            ValueError: the tables are not those of this pack.
            ResultsError: they cannot be written; then the pack stays unfinished.
        """
        self._require_pack(batch_size, pack)
        self._pack_files.write(Pack(batch_size, pack, trials, measurements, metadata or {}))
        self.delete_checkpoint(batch_size, pack)

    def save_checkpoint(self, batch_size: int, pack: int, payload: Payload) -> None:
        """Stores the state of an unfinished pack in place of the former one.

        Args:
            batch_size: one of the sweep's.
            pack: from 0.
            payload: bytes, or a function that writes them into a stream (which cannot seek).

        Raises:
            ResultsError: it cannot be written; the former checkpoint is still there.
        """
        self._require_pack(batch_size, pack)
        owner = self._owner(batch_size, pack)
        self._files.write(
            checkpoint_file(batch_size, pack),
            lambda stream: write_checkpoint(stream, payload, owner=owner),
        )

    def load_checkpoint(
        self, batch_size: int, pack: int, *, warn: Callable[[str], object]
    ) -> bytes | None:
        """Returns the payload of a pack's checkpoint, None if there is none to continue from.

        Args:
            batch_size: one of the sweep's.
            pack: from 0.
            warn: called with one sentence where a checkpoint is there but damaged or foreign.
        """
        name = checkpoint_file(batch_size, pack)
        content = self._files.read(name)
        if content is None:
            return None
        try:
            return read_checkpoint(content, owner=self._owner(batch_size, pack))
        except UnsuitableCheckpointError as error:
            warn(
                f"the checkpoint {self._files.place(name)} {error}: it is ignored, and this pack "
                "starts from its first step"
            )
            return None

    def delete_checkpoint(self, batch_size: int, pack: int) -> None:
        """Deletes a pack's checkpoint; none is fine."""
        self._files.delete(checkpoint_file(batch_size, pack))

    def read(self) -> SweepTables:
        """Returns everything measured so far; what cannot be read is named and left out."""
        packs, missing, problems = [], [], list(self._manifest.problems)
        for batch_size, pack in self._packs():
            try:
                found = self._pack_files.read(batch_size, pack)
            except UnusableTableError as error:
                problems.append(str(error))
                found = None
            if found is None:
                missing.append((batch_size, pack))
            else:
                packs.append(found)
        problems += self._foreign_files()
        return join(
            self.sweep,
            packs,
            trials_schema=self._pack_files.trials_schema,
            missing=tuple(missing),
            problems=tuple(problems),
            versions=self.versions,
        )

    def _foreign_files(self) -> list[str]:
        ours = {
            name(batch_size, pack)
            for batch_size, pack in self._packs()
            for name in (trials_file, measurements_file, checkpoint_file)
        }
        return [
            f"{self._files.place(name)} is no file of this sweep and was ignored; move it elsewhere"
            for name in self._files.list()
            if name.startswith(STUDIES) and name not in ours
        ]

    def _packs(self) -> list[tuple[int, int]]:
        return [
            (batch_size, pack)
            for batch_size in self.sweep.batch_sizes
            for pack in range(self.sweep.packs)
        ]

    def _require_pack(self, batch_size: int, pack: int) -> None:
        if batch_size not in self.sweep.batch_sizes or not 0 <= pack < self.sweep.packs:
            raise ValueError(f"the sweep has no pack {pack} of batch size {batch_size}")

    def _owner(self, batch_size: int, pack: int) -> dict[str, str | int]:
        return {"spec": self._manifest.spec_digest, "batch_size": batch_size, "pack": pack}


def read(folder: str | Path) -> SweepTables:
    """Returns everything measured so far of the sweep in `folder`.

    Raises:
        ResultsError: the folder holds no sweep, or its description is damaged.
    """
    return SweepStore.open(Path(folder)).read()
