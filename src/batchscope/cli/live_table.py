"""A table of all studies on the terminal, redrawn as they advance."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from batchscope.cli.studies import State, Studies
from batchscope.cli.wording import duration, rough_duration
from batchscope.spec import Sweep

if TYPE_CHECKING:
    from batchscope.training.run import Listener

_COLUMNS = (
    "batch size",
    "step",
    "best so far",
    "active",
    "complete",
    "pruned",
    "infeasible",
    "time",
)
_STYLES = {State.WAITING: "dim", State.STARTING: "cyan", State.TRAINING: "cyan"}
_LINES_AROUND = 7  # title, blank, heading, rule; blank, caption, and the line of the cursor
_FEWEST_ROWS = 3
_ROOMY_COLUMNS = 90  # below, columns stand closer together


class LiveTable:
    """Shows one sweep after the other; the last state of each stays on the screen."""

    def __init__(self, console: Console) -> None:
        """Takes the terminal."""
        self._console = console

    @contextmanager
    def follow(self, sweep: Sweep, should_stop: Callable[[], bool]) -> Iterator["Listener"]:
        """See `Display`."""
        from batchscope.training.run import Listener

        studies = Studies(sweep)
        screen = _Screen(studies, should_stop)
        try:
            # transient, since what stays is not cut to the height of the terminal
            with Live(screen, console=self._console, refresh_per_second=4, transient=True):
                yield Listener(
                    progress=studies.progress,
                    pack_finished=studies.pack_finished,
                    should_stop=should_stop,
                    warn=self._warn,
                )
        finally:
            self._console.print(_title(sweep), _table(self._console, studies, sweep.batch_sizes))

    def _warn(self, sentence: str) -> None:
        self._console.print(sentence, style="yellow", markup=False, highlight=False)


class _Screen:
    """What is drawn at every refresh: as many studies around the current one as there is room."""

    def __init__(self, studies: Studies, should_stop: Callable[[], bool]) -> None:
        self._studies = studies
        self._should_stop = should_stop

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        sizes = list(self._studies.by_batch_size)
        current = self._studies.current
        at = len(sizes) - 1 if current is None else sizes.index(current)
        rows = fold(sizes, at=at, room=console.height - _LINES_AROUND)
        yield Group(
            _title(self._studies.sweep),
            _table(console, self._studies, rows),
            Text(self._caption(), style="dim", no_wrap=True, overflow="ellipsis"),
        )

    def _caption(self) -> str:
        if self._should_stop():
            return "stopping; Ctrl-C again ends at once"
        left_s = self._studies.seconds_left()
        ahead = f"about {rough_duration(left_s)} left · " if left_s else ""
        return f"{ahead}Ctrl-C stops, the same command goes on"


def fold(sizes: list[int], *, at: int, room: int) -> list[int | str]:
    """Returns what to show of `sizes` in `room` rows: those around index `at`.

    The ones before and after become one row each, which says how many they are.
    """
    room = max(room, _FEWEST_ROWS)
    if len(sizes) <= room:
        return list(sizes)
    inner = room - 2
    first = min(max(at - inner // 2, 0), len(sizes) - inner)
    after = len(sizes) - first - inner
    return [
        *([f"↑ {first} more"] if first else []),
        *sizes[first : first + inner],
        *([f"↓ {after} more"] if after else []),
    ]


def _title(sweep: Sweep) -> Text:
    title = f"{sweep.name} · goal {sweep.goal}"
    return Text(title, style="bold", no_wrap=True, overflow="ellipsis")


def _table(console: Console, studies: Studies, rows: Sequence[int | str]) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=console.width < _ROOMY_COLUMNS,
    )
    for heading in _COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        if isinstance(row, str):
            table.add_row(row, style="dim")
        else:
            table.add_row(*_cells(studies, row), style=_STYLES.get(studies.state(row), ""))
    return table


def _cells(studies: Studies, batch_size: int) -> list[str]:
    study = studies.by_batch_size[batch_size]
    step = f"{study.step:,}" if study.state == State.TRAINING else studies.state(batch_size)
    spent_s = studies.seconds_spent(batch_size)
    counts = study.counts
    known = study.state in (State.TRAINING, State.DONE)
    return [
        f"{batch_size:,}",
        step,
        "" if not known else "–" if study.best_step is None else f"{study.best_step:,}",
        str(study.active or ""),
        *(str(n) if known else "" for n in (counts.complete, counts.pruned, counts.infeasible)),
        duration(spent_s) if spent_s else "",
    ]
