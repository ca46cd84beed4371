"""What a run shows while it works: a live table on a terminal, a line per study elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from batchscope.cli.forecast import Forecast
from batchscope.cli.wording import duration
from batchscope.spec import Sweep

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from batchscope.training.engine import Progress
    from batchscope.training.run import Listener, PackFinished


class Display(Protocol):
    """Follows a run."""

    def begin(self, sweep: Sweep) -> None:
        """A sweep begins."""

    def end(self) -> None:
        """It is complete."""

    def warn(self, sentence: str) -> None:
        """Something the user should know."""

    def listener(self, *, should_stop: Callable[[], bool]) -> "Listener":
        """Returns what the run is to call."""


@dataclass
class _Study:
    """How far one batch size has got; counts of trials are over its packs."""

    state: str = "waiting"
    best_step: int | None = None
    packs_done: int = 0
    active: int = 0
    complete: int = 0
    pruned: int = 0
    infeasible: int = 0
    step: int = 0
    budget_steps: int = 0
    elapsed_s: float = 0.0


class _Studies:
    """The state of all studies of the sweep that is running."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.studies = {batch_size: _Study() for batch_size in sweep.batch_sizes}
        self.forecast = Forecast()
        self._base: dict[int, _Study] = {}
        self._begun_s = time.monotonic()

    def progress(self, now: "Progress") -> None:
        study = self.studies[now.batch_size]
        base = self._base.get(now.batch_size, _Study())
        if study.state != "training":
            self._begun_s = time.monotonic()
        study.state = "training"
        study.step, study.budget_steps = now.step, now.budget_steps
        steps = [step for step in (base.best_step, now.best_step) if step is not None]
        study.best_step = min(steps, default=None)
        study.active = now.active
        study.complete = base.complete + now.complete
        study.pruned = base.pruned + now.pruned
        study.infeasible = base.infeasible + now.infeasible

    def pack_finished(self, finished: "PackFinished") -> _Study:
        study = self.studies[finished.batch_size]
        study.packs_done += 1
        study.elapsed_s += finished.elapsed_s
        if finished.progress is not None:
            self.progress(finished.progress)
        self._base[finished.batch_size] = _Study(**vars(study))
        if study.packs_done == self.sweep.packs:
            earlier = finished.progress is None and study.elapsed_s == 0
            study.state = "done earlier" if earlier else "done"
            study.active = 0
            if not earlier:
                self.forecast.finished(finished.batch_size, study.elapsed_s)
        return study

    def seconds_left(self) -> float | None:
        """Returns the forecast of what is left; None before there is anything to judge by."""
        total = 0.0
        for batch_size, study in self.studies.items():
            if study.state.startswith("done"):
                continue
            seconds = self.forecast.seconds(batch_size)
            if seconds is None:
                return None
            spent = time.monotonic() - self._begun_s if study.state == "training" else 0.0
            total += max(seconds - spent, 0.1 * seconds)
        return total


@contextmanager
def open_display(*, quiet: bool) -> Iterator[Display]:
    """Yields what suits the terminal, or the lack of one."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield _Lines(quiet=quiet)
        return
    from rich.live import Live

    with Live(console=console, refresh_per_second=4) as live:
        yield _LiveTable(console, live.update)


class _Lines:
    """A line per finished study."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._studies: _Studies | None = None

    def begin(self, sweep: Sweep) -> None:
        self._studies = _Studies(sweep)
        self._say(
            f"{sweep.name}: {len(sweep.batch_sizes)} batch sizes x {sweep.trials} trials, "
            f"goal {sweep.goal}"
        )

    def end(self) -> None:
        assert self._studies is not None
        done = all(s.state == "done earlier" for s in self._studies.studies.values())
        if done:
            self._say(f"{self._studies.sweep.name}: all done already")

    def listener(self, *, should_stop: Callable[[], bool]) -> "Listener":
        from batchscope.training.run import Listener

        assert self._studies is not None
        return Listener(
            progress=self._studies.progress,
            pack_finished=self._pack_finished,
            should_stop=should_stop,
            warn=self.warn,
        )

    def warn(self, sentence: str) -> None:
        print(f"batchscope: {sentence}", file=sys.stderr, flush=True)

    def _pack_finished(self, finished: "PackFinished") -> None:
        assert self._studies is not None
        study = self._studies.pack_finished(finished)
        if study.state != "done":
            return
        reached = (
            "goal not reached" if study.best_step is None else f"{study.best_step:,} steps to goal"
        )
        left = self._studies.seconds_left()
        ahead = f", about {duration(left)} left" if left else ""
        self._say(
            f"  batch size {finished.batch_size:>6,}: {reached}; {study.complete} complete, "
            f"{study.pruned} pruned, {study.infeasible} infeasible; "
            f"{duration(study.elapsed_s)}{ahead}"
        )

    def _say(self, line: str) -> None:
        if not self._quiet:
            print(line, file=sys.stderr, flush=True)


class _LiveTable:
    """A table of all studies, redrawn as they advance."""

    def __init__(self, console: "Console", update: Callable[["Table"], None]) -> None:
        self._console = console
        self._update = update
        self._studies: _Studies | None = None

    def begin(self, sweep: Sweep) -> None:
        self._studies = _Studies(sweep)
        self._draw()

    def end(self) -> None:
        self._console.print(self._table())  # stays above the table of the next sweep

    def listener(self, *, should_stop: Callable[[], bool]) -> "Listener":
        from batchscope.training.run import Listener

        def progress(now: "Progress") -> None:
            assert self._studies is not None
            self._studies.progress(now)
            self._draw()

        def pack_finished(finished: "PackFinished") -> None:
            assert self._studies is not None
            self._studies.pack_finished(finished)
            self._draw()

        return Listener(
            progress=progress,
            pack_finished=pack_finished,
            should_stop=should_stop,
            warn=self.warn,
        )

    def warn(self, sentence: str) -> None:
        self._console.print(sentence, style="yellow", markup=False)

    def _draw(self) -> None:
        self._update(self._table())

    def _table(self) -> "Table":
        from rich import box
        from rich.table import Table

        assert self._studies is not None
        sweep = self._studies.sweep
        left = self._studies.seconds_left()
        working = any(s.state in ("waiting", "training") for s in self._studies.studies.values())
        caption = "Ctrl-C stops; the same command goes on" if working else ""
        if working and left is not None:
            caption = f"about {duration(left)} left · {caption}"
        table = Table(
            title=f"{sweep.name} · goal {sweep.goal}",
            title_justify="left",
            title_style="bold",
            caption=caption,
            caption_justify="left",
            box=box.SIMPLE_HEAD,
        )
        for heading in (
            "batch size",
            "step",
            "best so far",
            "active",
            "complete",
            "pruned",
            "infeasible",
            "time",
        ):
            table.add_column(heading, justify="right")
        for batch_size, study in self._studies.studies.items():
            table.add_row(*_cells(batch_size, study), style=_STYLES.get(study.state, ""))
        return table


_STYLES = {"waiting": "dim", "training": "cyan"}


def _cells(batch_size: int, study: _Study) -> list[str]:
    if study.state in ("waiting", "done earlier"):
        return [f"{batch_size:,}", study.state, *[""] * 6]
    best = "–" if study.best_step is None else f"{study.best_step:,}"
    step = f"{study.step:,}" if study.state == "training" else "done"
    return [
        f"{batch_size:,}",
        step,
        best,
        str(study.active or ""),
        str(study.complete),
        str(study.pruned),
        str(study.infeasible),
        duration(study.elapsed_s) if study.state == "done" else "",
    ]
