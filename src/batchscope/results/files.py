"""Reading and writing the files of one results folder, each write whole or not at all."""

import contextlib
import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from batchscope.errors import ResultsError

Content = bytes | Callable[[BinaryIO], object]
_LOCK = ".lock"
_UNFINISHED = ".tmp"


class Files(Protocol):
    """The files of one results folder, by names relative to it with `/` between their parts.

    Every method raises ResultsError where the file system refuses, in one sentence.
    """

    def place(self, name: str = "") -> str:
        """Returns how messages call a file, or the folder itself."""

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file, None if there is no such file."""

    def exists(self, name: str) -> bool:
        """Returns whether there is such a file."""

    def list(self) -> list[str]:
        """Returns the names of all files in all sub-folders, sorted; hidden ones are left out."""

    def write(self, name: str, content: Content) -> None:
        """Creates or replaces a file with bytes, or with what a function writes into a stream.

        Whatever interrupts it, the file holds either its former content or all of the new one.
        """

    def delete(self, name: str) -> None:
        """Deletes a file; one that does not exist is fine."""

    def lock(self) -> AbstractContextManager[None]:
        """Holds the folder for this process alone; the lock ends with the process, however."""


class LocalFiles:
    """Files in a folder of the local file system."""

    def __init__(self, folder: Path) -> None:
        """Takes the folder, which need not exist yet."""
        self._folder = folder

    def place(self, name: str = "") -> str:
        """Returns the path of a file."""
        return str(self._folder / name)

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file, None if there is no such file."""
        try:
            return (self._folder / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _refused("read", self.place(name), error) from error

    def exists(self, name: str) -> bool:
        """Returns whether there is such a file."""
        try:
            return (self._folder / name).is_file()
        except OSError as error:
            raise _refused("read", self.place(name), error) from error

    def list(self) -> list[str]:
        """Returns the names of all files, sorted; hidden ones are left out."""
        found = []
        for folder, subfolders, names in os.walk(self._folder, onerror=self._unlistable):
            subfolders[:] = [each for each in subfolders if not each.startswith(".")]
            for name in names:
                if not name.startswith("."):
                    found.append((Path(folder) / name).relative_to(self._folder).as_posix())
        return sorted(found)

    def write(self, name: str, content: Content) -> None:
        """Writes under a hidden temporary name, forces it to the disk, and renames it."""
        path = self._folder / name
        unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")
        try:
            _make_folder(path.parent)
            try:
                with unfinished.open("xb") as stream:
                    if callable(content):
                        content(stream)
                    else:
                        stream.write(content)
                    stream.flush()
                    os.fsync(stream.fileno())
                unfinished.replace(path)
            except BaseException:
                with contextlib.suppress(OSError):
                    unfinished.unlink()
                raise
            _sync_folder(path.parent)
        except OSError as error:
            raise _refused("write", self.place(name), error) from error

    def delete(self, name: str) -> None:
        """Deletes a file; one that does not exist is fine."""
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise _refused("delete", self.place(name), error) from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the folder; then removes what killed writers left, as nobody else can be writing.

        Raises:
            ResultsError: another process, which is named, holds it.
        """
        import fcntl  # not on every system where results can be read

        path = self._folder / _LOCK
        try:
            _make_folder(self._folder)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise _refused("write", self.place(), error) from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip()
                raise ResultsError(
                    f"{self.place()} is in use by {holder or 'another process'}; "
                    "wait until it ends or stop it, then run the same command again"
                ) from error
            except OSError as error:
                raise _refused("lock", self.place(), error) from error
            try:
                with contextlib.suppress(OSError):  # a full disk: the lock holds all the same
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, _this_process().encode(), 0)
                self._remove_unfinished()
                yield
            finally:
                # a forked child may still have the descriptor: closing alone would not unlock
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        finally:
            os.close(descriptor)

    def _remove_unfinished(self) -> None:
        for path in self._folder.rglob(f".*{_UNFINISHED}"):
            with contextlib.suppress(OSError):  # only wastes space
                path.unlink()

    def _unlistable(self, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise _refused("read", str(error.filename), error) from error


def _this_process() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _make_folder(folder: Path) -> None:
    """Creates a folder such that it is still there after a power failure."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        _make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(action: str, place: str, error: OSError) -> ResultsError:
    reason = (error.strerror or str(error)).lower()
    remedy = "put that right"
    if action != "read":
        remedy += ", or choose another folder,"
    return ResultsError(
        f"cannot {action} {place}: {reason}; {remedy} and run the same command again "
        "(nothing already written is lost)"
    )
