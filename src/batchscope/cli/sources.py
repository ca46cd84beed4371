"""Sweeps named on the command line."""

import argparse
from collections.abc import Sequence

from batchscope.errors import SpecError
from batchscope.spec import Sweep, load_sweep, override


def load_sweeps(sources: Sequence[str], options: argparse.Namespace) -> list[Sweep]:
    """Returns the sweeps with the overrides of the command line.

    Raises:
        SpecError: one cannot be read, or two have the same name.
    """
    sweeps = [
        override(
            load_sweep(source),
            batch_sizes=options.batch_sizes,
            trials=options.trials,
            seed=options.seed,
            prune=options.prune,
            trials_per_pack=options.trials_per_pack,
        )
        for source in sources
    ]
    seen: dict[str, str] = {}
    for source, sweep in zip(sources, sweeps, strict=True):
        if sweep.name in seen:
            raise SpecError(
                f"{seen[sweep.name]} and {source} are both named {sweep.name!r}, expected a name "
                "of its own for each sweep; change `name` in one of them"
            )
        seen[sweep.name] = source
    return sweeps
