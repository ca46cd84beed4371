"""What a run shows while it works: a live table on a terminal, a line per study elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from batchscope.cli.studies import State, Studies
from batchscope.cli.wording import duration, rough_duration
from batchscope.spec import Sweep

if TYPE_CHECKING:
    from batchscope.training.run import Listener, PackFinished


class Display(Protocol):
    """Shows a run to the user."""

    def follow(
        self, sweep: Sweep, should_stop: Callable[[], bool]
    ) -> AbstractContextManager["Listener"]:
        """Shows a sweep while entered; yields what the run of the sweep is to call."""


def open_display(*, quiet: bool) -> Display:
    """Returns what suits the terminal, or the lack of one."""
    if quiet:
        return Lines(quiet=True)
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        return Lines(quiet=False)
    from batchscope.cli.live_table import LiveTable

    return LiveTable(console)


class Lines:
    """A line on stderr per finished study."""

    def __init__(self, *, quiet: bool) -> None:
        """Takes whether to print warnings only."""
        self._quiet = quiet

    @contextmanager
    def follow(self, sweep: Sweep, should_stop: Callable[[], bool]) -> Iterator["Listener"]:
        """See `Display`."""
        from batchscope.training.run import Listener

        studies = Studies(sweep)

        def pack_finished(finished: "PackFinished") -> None:
            studies.pack_finished(finished)
            if studies.by_batch_size[finished.batch_size].state == State.DONE:
                self._say(_line(studies, finished.batch_size))

        self._say(
            f"{sweep.name}: {len(sweep.batch_sizes)} batch sizes x {sweep.trials} trials, "
            f"goal {sweep.goal}"
        )
        yield Listener(
            progress=studies.progress,
            pack_finished=pack_finished,
            should_stop=should_stop,
            warn=lambda sentence: _print(f"batchscope: {sentence}"),
        )
        if all(study.state == State.DONE_EARLIER for study in studies.by_batch_size.values()):
            self._say(f"{sweep.name}: all done already")

    def _say(self, line: str) -> None:
        if not self._quiet:
            _print(line)


def _line(studies: Studies, batch_size: int) -> str:
    study = studies.by_batch_size[batch_size]
    best = study.best_step
    reached = "goal not reached" if best is None else f"{best:,} steps to goal"
    left_s = studies.seconds_left()
    ahead = f", about {rough_duration(left_s)} left" if left_s else ""
    return (
        f"  batch size {batch_size:>6,}: {reached}; {study.counts.complete} complete, "
        f"{study.counts.pruned} pruned, {study.counts.infeasible} infeasible; "
        f"{duration(study.elapsed_s)}{ahead}"
    )


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
