"""The files that say what a results folder holds: `sweep.toml` and `manifest.json`."""

from collections.abc import Mapping

from batchscope.errors import ResultsError, SpecError
from batchscope.results.differences import differences
from batchscope.results.files import Files
from batchscope.results.layout import MANIFEST, SWEEP
from batchscope.results.manifest import Manifest
from batchscope.spec.dump import to_toml
from batchscope.spec.parse import parse_sweep
from batchscope.spec.sweep import Sweep


def read_description(files: Files) -> tuple[Sweep, Manifest]:
    """Returns what a folder holds.

    Raises:
        ResultsError: it holds no sweep, or `sweep.toml` is damaged.
    """
    content = files.read(SWEEP)
    if content is None:
        raise ResultsError(
            f"{files.place()} holds no sweep (no {SWEEP}); give a folder that batchscope run wrote"
        )
    try:
        sweep = parse_sweep(content.decode("utf-8"), origin=files.place(SWEEP))
    except (SpecError, UnicodeDecodeError) as error:
        raise ResultsError(
            f"the description of the results in {files.place()} is damaged ({error}); put the "
            f"original {SWEEP} back, or choose another folder"
        ) from error
    return sweep, Manifest.read(files, sweep)


def description_changes(
    files: Files, sweep: Sweep, *, versions: Mapping[str, str], code: Mapping[str, str]
) -> dict[str, bytes]:
    """Returns the files to write, in this order, before results of `sweep` may be added.

    Raises:
        ResultsError: results of this sweep do not belong into the folder.
    """
    manifest = Manifest.of(sweep, versions=versions, code=code)
    if not files.exists(SWEEP):
        _refuse_foreign(files)
        # the sweep last: where it is, the description is complete
        return {MANIFEST: manifest.to_json(), SWEEP: to_toml(sweep).encode()}
    there, manifest_there = read_description(files)
    if differing := differences(there, sweep):
        raise ResultsError(
            f"{files.place()} holds results of another sweep: {', '.join(differing)}; choose "
            f"another folder, or run the sweep in {files.place(SWEEP)}"
        )
    changes = {}
    if manifest_there.readable:
        manifest_there.require_same(files, code)
    else:
        changes[MANIFEST] = manifest.to_json()
    both = sweep.at(batch_sizes=tuple(sorted({*there.batch_sizes, *sweep.batch_sizes})))
    if to_toml(both) != to_toml(there):
        changes[SWEEP] = to_toml(both).encode()
    return changes


def _refuse_foreign(files: Files) -> None:
    # a manifest alone is a sweep whose creation was interrupted
    foreign = [name for name in files.list() if name != MANIFEST]
    if foreign:
        raise ResultsError(
            f"{files.place()} holds files that are no sweep's ({foreign[0]}); choose a folder that "
            "is new or empty"
        )
