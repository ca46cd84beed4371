"""Where the studies of a running sweep stand."""

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from batchscope.cli.forecast import Forecast
from batchscope.spec import Sweep

if TYPE_CHECKING:
    from batchscope.training.engine import Progress
    from batchscope.training.run import PackFinished


class State(StrEnum):
    """What a study is doing, in the words of the table."""

    WAITING = "waiting"
    STARTING = "starting"  # reading data and compiling: nothing to show yet
    TRAINING = "training"
    DONE = "done"
    DONE_EARLIER = "earlier"  # by another run, whose results are kept


@dataclass
class Counts:
    """Trials by status, over the packs of a study."""

    complete: int = 0
    pruned: int = 0
    infeasible: int = 0

    def plus(self, now: "Progress") -> "Counts":
        """Returns the counts with those of one more pack."""
        return Counts(
            self.complete + now.complete,
            self.pruned + now.pruned,
            self.infeasible + now.infeasible,
        )


@dataclass
class Study:
    """How far one batch size has got."""

    state: State = State.WAITING
    step: int = 0
    best_step: int | None = None
    active: int = 0
    counts: Counts = field(default_factory=Counts)
    finished_packs: int = 0
    finished: Counts = field(default_factory=Counts)  # in the finished packs
    elapsed_s: float = 0.0  # in the finished packs

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.state in (State.DONE, State.DONE_EARLIER)

    def advance(self, now: "Progress") -> None:
        """Enters where the pack in training stands."""
        self.state = State.TRAINING
        self.step, self.active = now.step, now.active
        steps = [step for step in (self.best_step, now.best_step) if step is not None]
        self.best_step = min(steps, default=None)
        self.counts = self.finished.plus(now)

    def finish_pack(self, finished: "PackFinished", *, packs: int) -> None:
        """Enters a finished pack, of so many."""
        if finished.progress is not None:
            self.advance(finished.progress)
        self.finished_packs += 1
        self.finished = self.counts
        self.elapsed_s += finished.elapsed_s
        if self.finished_packs == packs:
            trained = finished.progress is not None or self.elapsed_s > 0
            self.state = State.DONE if trained else State.DONE_EARLIER
            self.active = 0


class Studies:
    """All studies of a sweep, which are run one after the other in the order of batch size."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.by_batch_size = {batch_size: Study() for batch_size in sweep.batch_sizes}
        self._forecast = Forecast()
        self._pack_begun_s = time.monotonic()

    @property
    def current(self) -> int | None:
        """The batch size at work; None when all are done."""
        left = (size for size, study in self.by_batch_size.items() if not study.is_done)
        return next(left, None)

    def state(self, batch_size: int) -> State:
        """Returns what a study is doing."""
        state = self.by_batch_size[batch_size].state
        waits_no_more = state == State.WAITING and batch_size == self.current
        return State.STARTING if waits_no_more else state

    def progress(self, now: "Progress") -> None:
        """Enters where the pack in training stands."""
        self.by_batch_size[now.batch_size].advance(now)

    def pack_finished(self, finished: "PackFinished") -> None:
        """Enters a finished pack."""
        study = self.by_batch_size[finished.batch_size]
        study.finish_pack(finished, packs=self.sweep.packs)
        if study.state == State.DONE:
            self._forecast.finished(finished.batch_size, study.elapsed_s)
        self._pack_begun_s = time.monotonic()

    def seconds_spent(self, batch_size: int) -> float:
        """Returns how long a study has taken so far."""
        spent = self.by_batch_size[batch_size].elapsed_s
        if batch_size == self.current:
            spent += time.monotonic() - self._pack_begun_s
        return spent

    def seconds_left(self) -> float | None:
        """Returns the forecast of what is left; None before there is anything to judge by."""
        total = 0.0
        for batch_size, study in self.by_batch_size.items():
            if study.is_done:
                continue
            seconds = self._forecast.seconds(batch_size)
            if seconds is None:
                return None
            total += max(seconds - self.seconds_spent(batch_size), 0.1 * seconds)
        return total
