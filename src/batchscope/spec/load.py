"""Finding a sweep: a TOML file of the user's, or one of the catalogue."""

import tomllib
from difflib import get_close_matches
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from batchscope.errors import SpecError
from batchscope.spec.parse import parse_sweep
from batchscope.spec.sweep import Sweep


def load_sweep(source: str | Path) -> Sweep:
    """Returns a sweep of the catalogue by its name, or the one in a TOML file.

    Args:
        source: a name of `catalog()`, or a path; a `Path` is always a path.

    Raises:
        SpecError: there is no such sweep, or it cannot be run as written.
    """
    if isinstance(source, str):
        entries = _entries()
        if source in entries:
            return parse_sweep(entries[source].read_text("utf-8"), origin=f"{source}.toml")
        if not _looks_like_path(source):
            close = get_close_matches(source, entries, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise SpecError(
                f"no sweep {source!r}: no file has that path, and the catalogue has no such name; "
                f"{hint}the catalogue holds {', '.join(entries)}"
            )
    path = Path(source)
    return parse_sweep(_read(path), folder=path.absolute().parent, origin=str(path))


def catalog() -> dict[str, str]:
    """Returns the sweeps that come with the package: name to description."""
    return {
        name: str(tomllib.loads(entry.read_text("utf-8"))["description"])
        for name, entry in _entries().items()
    }


def _entries() -> dict[str, Traversable]:
    folder = resources.files("batchscope").joinpath("catalog")
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".toml")]
    return {
        entry.name.removesuffix(".toml"): entry for entry in sorted(found, key=lambda e: e.name)
    }


def _looks_like_path(source: str) -> bool:
    if source.endswith(".toml") or "/" in source or "\\" in source:
        return True
    try:
        return Path(source).exists()
    except OSError:  # too long for a path
        return False


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise SpecError(f"{path}: there is no such file; correct the path") from error
    except IsADirectoryError as error:
        raise SpecError(f"{path} is a folder, expected the TOML file of a sweep") from error
    except UnicodeDecodeError as error:
        raise SpecError(
            f"{path} is not UTF-8 text (byte {error.start} is {error.object[error.start]:#04x}), "
            f"expected the TOML file of a sweep"
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = error.strerror if isinstance(error, OSError) else error
        raise SpecError(f"{str(path)!r} cannot be read: {reason}; correct the path") from error
