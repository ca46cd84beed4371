"""Finding the sweeps in a folder."""

from pathlib import Path

from batchscope.errors import ResultsError
from batchscope.results.layout import SWEEP


def find_sweeps(folder: Path) -> list[Path]:
    """Returns the sweep folders at `folder`: itself, or else those directly inside, sorted.

    Raises:
        ResultsError: there is no such folder, or it cannot be read.
    """
    try:
        if (folder / SWEEP).is_file():
            return [folder]
        return sorted(path for path in folder.iterdir() if (path / SWEEP).is_file())
    except OSError as error:
        raise ResultsError(
            f"cannot read the folder {folder}: {(error.strerror or str(error)).lower()}; give a "
            "folder that batchscope run wrote"
        ) from error
