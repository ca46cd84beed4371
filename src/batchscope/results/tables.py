"""Everything measured in a sweep, as two tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from batchscope.results.schema import MEASUREMENTS
from batchscope.spec.sweep import Sweep


@dataclass(frozen=True)
class Pack:
    """The tables of one finished pack, and what was noted when it was written."""

    batch_size: int
    pack: int
    trials: pa.Table
    measurements: pa.Table
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class SweepTables:
    """The finished packs of a sweep, joined.

    Attributes:
        sweep: what was to be measured.
        measurements: in the schema MEASUREMENTS, ordered by (batch_size, trial_id, step).
        trials: one row per trial, ordered by (batch_size, trial_id).
        finished: (batch size, pack) of the packs in the tables.
        missing: (batch size, pack) of all others: not measured yet, or not readable.
        problems: files that are damaged, foreign or missing, one sentence each.
        versions: of Python and the libraries that began the sweep; empty where not known.
        metadata: what was noted with each finished pack.
    """

    sweep: Sweep
    measurements: pa.Table
    trials: pa.Table
    finished: tuple[tuple[int, int], ...] = ()
    missing: tuple[tuple[int, int], ...] = ()
    problems: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[tuple[int, int], Mapping[str, str]] = field(default_factory=dict)

    def missing_trials(self) -> Mapping[int, int]:
        """Returns, by batch size, how many feasible trials the missing packs would add."""
        count: Counter[int] = Counter()
        for batch_size, pack in self.missing:
            count[batch_size] += self.sweep.share(pack)
        return count


def join(
    sweep: Sweep,
    packs: Sequence[Pack],
    *,
    trials_schema: pa.Schema,
    missing: tuple[tuple[int, int], ...],
    problems: tuple[str, ...],
    versions: Mapping[str, str],
) -> SweepTables:
    """Returns the packs, which are ordered by batch size, as one."""
    measurements = pa.concat_tables(
        [MEASUREMENTS.empty_table(), *(pack.measurements for pack in packs)]
    )
    trials = pa.concat_tables([trials_schema.empty_table(), *(pack.trials for pack in packs)])
    if sweep.packs > 1:  # the trials of a study alternate between its packs
        keys = [("batch_size", "ascending"), ("trial_id", "ascending")]
        trials = trials.sort_by(keys)
        measurements = measurements.sort_by([*keys, ("step", "ascending")])
    return SweepTables(
        sweep=sweep,
        measurements=measurements,
        trials=trials,
        finished=tuple((pack.batch_size, pack.pack) for pack in packs),
        missing=missing,
        problems=problems,
        versions=versions,
        metadata={(pack.batch_size, pack.pack): pack.metadata for pack in packs},
    )
