"""The names of the files in a sweep's folder.

    sweep.toml                                      the sweep, normalised
    manifest.json                                   format, digest of the sweep, versions
    studies/batch_size_00004/pack_000.trials.parquet
    studies/batch_size_00004/pack_000.measurements.parquet
    studies/batch_size_00004/pack_000.checkpoint    only while the pack is unfinished

No name has the form `key=value`: readers that know Hive partitions would replace the column
`batch_size` with the text from the path.
"""

SWEEP = "sweep.toml"
MANIFEST = "manifest.json"
STUDIES = "studies/"


def trials_file(batch_size: int, pack: int) -> str:
    """Returns the name of a pack's trials; where this file exists the pack is finished."""
    return f"{_stem(batch_size, pack)}.trials.parquet"


def measurements_file(batch_size: int, pack: int) -> str:
    """Returns the name of a pack's measurements."""
    return f"{_stem(batch_size, pack)}.measurements.parquet"


def checkpoint_file(batch_size: int, pack: int) -> str:
    """Returns the name of a pack's checkpoint."""
    return f"{_stem(batch_size, pack)}.checkpoint"


def _stem(batch_size: int, pack: int) -> str:
    return f"{STUDIES}batch_size_{batch_size:05d}/pack_{pack:03d}"
