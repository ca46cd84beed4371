"""What has happened to the trials of one pack, and what follows from it.

Pure bookkeeping on the host: which trials to start, which to stop, and the tables in the end. It
decides from measurements alone, never from time or from where a trial runs.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from batchscope.results.schema import MEASUREMENTS, PARAMETER_PREFIX, Status, trials_schema
from batchscope.spec.sweep import Goal, Prune, Sweep

_NEVER = -1


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of several trials at the same step; arrays of [trials].

    Attributes:
        step: steps trained.
        trial_ids: which trials.
        train_cross_entropy: mean over the minibatches since the previous evaluation.
        val_cross_entropy: mean over the validation examples seen.
        val_errors: misclassified validation examples among those seen.
        val_examples: validation examples seen.
    """

    step: int
    trial_ids: np.ndarray
    train_cross_entropy: np.ndarray
    val_cross_entropy: np.ndarray
    val_errors: np.ndarray
    val_examples: np.ndarray

    def metric(self, name: str) -> np.ndarray:
        """Returns a column of the measurements table."""
        if name == "train/cross_entropy_error":
            return self.train_cross_entropy
        if name == "val/cross_entropy_error":
            return self.val_cross_entropy
        wrong = (
            self.val_errors
            if name == "val/classification_error"
            else (self.val_examples - self.val_errors)
        )
        return wrong / self.val_examples


@dataclass
class _Outcomes:
    """Per started trial, in the order they were started."""

    trial_ids: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    status: np.ndarray = field(default_factory=lambda: np.empty(0, "U10"))
    steps: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    goal_step: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    goal_step_after: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))


class Ledger:
    """The trials of pack `pack` of the study at `batch_size`.

    Pack p of P owns the trials p, p + P, p + 2 P, ... and starts them in that order, in waves: the
    first as many as its share of the feasible trials wanted, then as many as turned out
    infeasible, until the share is reached or `max_trials` are used up. All trials of a wave train
    in lockstep.
    """

    def __init__(self, sweep: Sweep, *, batch_size: int, pack: int) -> None:
        self.sweep = sweep
        self.batch_size = batch_size
        self.pack = pack
        self.budget_steps = sweep.budget.steps_at(batch_size)
        self._owned = np.arange(pack, sweep.max_trials, sweep.packs)
        self._share = sweep.share(pack)
        self._outcomes = _Outcomes()
        self._evaluations: list[Evaluation] = []
        self._previous_step = 0

    def next_wave(self) -> np.ndarray:
        """Starts the next trials; returns their ids, none when the pack is done."""
        started = len(self._outcomes.trial_ids)
        infeasible = int((self._outcomes.status == Status.INFEASIBLE).sum())
        wanted = self._share - (started - infeasible)
        ids = self._owned[started : started + wanted]
        n = len(ids)
        o = self._outcomes
        o.trial_ids = np.concatenate([o.trial_ids, ids])
        o.status = np.concatenate([o.status, np.full(n, Status.INCOMPLETE, "U10")])
        o.steps = np.concatenate([o.steps, np.zeros(n, np.int64)])
        o.goal_step = np.concatenate([o.goal_step, np.full(n, _NEVER)])
        o.goal_step_after = np.concatenate([o.goal_step_after, np.full(n, _NEVER)])
        self._previous_step = 0
        return ids

    @property
    def active(self) -> np.ndarray:
        """Ids of the trials that are still training."""
        return self._outcomes.trial_ids[self._outcomes.status == Status.INCOMPLETE]

    def count(self, status: Status) -> int:
        """The number of trials with this status."""
        return int((self._outcomes.status == status).sum())

    @property
    def best_step(self) -> int | None:
        """The fewest steps at which a trial has passed the goal so far."""
        reached = self._outcomes.goal_step[self._outcomes.goal_step != _NEVER]
        return int(reached.min()) if len(reached) else None

    def record(self, evaluation: Evaluation) -> None:
        """Enters an evaluation of all active trials and decides which of them go on."""
        o, step = self._outcomes, evaluation.step
        rows = np.flatnonzero(o.status == Status.INCOMPLETE)
        assert np.array_equal(o.trial_ids[rows], evaluation.trial_ids)
        self._evaluations.append(evaluation)
        o.steps[rows] = step

        diverged = ~(
            np.isfinite(evaluation.train_cross_entropy) & np.isfinite(evaluation.val_cross_entropy)
        )
        passed = passes(self.sweep.goal, evaluation.metric(self.sweep.goal.metric)) & ~diverged
        first = rows[passed & (o.goal_step[rows] == _NEVER)]
        o.goal_step[first] = step
        o.goal_step_after[first] = self._previous_step
        reached = o.goal_step[rows] != _NEVER
        o.status[rows[diverged & ~reached]] = Status.INFEASIBLE
        o.status[rows[diverged & reached]] = Status.COMPLETE

        if self.sweep.prune != Prune.NONE:
            o.status[rows[reached]] = Status.COMPLETE
            enough = 1 if self.sweep.prune == Prune.MIN else self.sweep.k
            ahead = int(((o.goal_step != _NEVER) & (o.goal_step <= step)).sum())
            if ahead >= enough:
                o.status[o.status == Status.INCOMPLETE] = Status.PRUNED
        if step >= self.budget_steps:
            o.status[o.status == Status.INCOMPLETE] = Status.COMPLETE
        self._previous_step = step

    def measurements(self) -> pa.Table:
        """Returns all evaluations as a table, ordered by (trial_id, step)."""
        if not self._evaluations:
            return MEASUREMENTS.empty_table()
        columns = {
            "trial_id": np.concatenate([e.trial_ids for e in self._evaluations]),
            "step": np.concatenate([np.full(len(e.trial_ids), e.step) for e in self._evaluations]),
            "val/examples": np.concatenate([e.val_examples for e in self._evaluations]),
        }
        for field_ in MEASUREMENTS:
            if field_.name not in columns and field_.name != "batch_size":
                columns[field_.name] = np.concatenate(
                    [e.metric(field_.name) for e in self._evaluations]
                )
        columns["batch_size"] = np.full(len(columns["step"]), self.batch_size)
        order = np.lexsort((columns["step"], columns["trial_id"]))
        return pa.table(
            [pa.array(columns[f.name][order], f.type) for f in MEASUREMENTS], schema=MEASUREMENTS
        )

    def trials(self, names: tuple[str, ...], metaparameters: np.ndarray) -> pa.Table:
        """Returns one row per started trial, ordered by trial_id.

        Args:
            names: of the metaparameters.
            metaparameters: of the started trials in the order they were started, [trials, names].
        """
        o = self._outcomes
        order = np.argsort(o.trial_ids)
        never = o.goal_step[order] == _NEVER
        columns = {
            "batch_size": pa.array(np.full(len(order), self.batch_size), pa.int64()),
            "trial_id": pa.array(o.trial_ids[order], pa.int64()),
            "pack": pa.array(np.full(len(order), self.pack), pa.int64()),
            "status": pa.array(o.status[order].tolist(), pa.string()),
            "steps": pa.array(o.steps[order], pa.int64()),
            "goal_step": pa.array(o.goal_step[order], pa.int64(), mask=never),
            "goal_step_after": pa.array(o.goal_step_after[order], pa.int64(), mask=never),
        }
        for i, name in enumerate(names):
            columns[PARAMETER_PREFIX + name] = pa.array(metaparameters[order, i], pa.float64())
        return pa.table(columns, schema=trials_schema(names))

    @property
    def trial_ids(self) -> np.ndarray:
        """Ids of all trials started, in the order they were started."""
        return self._outcomes.trial_ids

    def dump(self) -> dict[str, np.ndarray]:
        """Returns everything needed to go on from here, as named arrays."""
        o = self._outcomes
        state = {f"outcomes/{name}": getattr(o, name) for name in vars(o)}
        state["previous_step"] = np.asarray(self._previous_step)
        state["evaluations/step"] = np.asarray([e.step for e in self._evaluations], np.int64)
        state["evaluations/length"] = np.asarray(
            [len(e.trial_ids) for e in self._evaluations], np.int64
        )
        for name in _COLUMNS:
            parts = [getattr(e, name) for e in self._evaluations]
            state[f"evaluations/{name}"] = np.concatenate(parts) if parts else np.empty(0)
        return state

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Takes over what `dump` returned."""
        o = self._outcomes
        for name in vars(o):
            setattr(o, name, state[f"outcomes/{name}"])
        self._previous_step = int(state["previous_step"])
        ends = np.cumsum(state["evaluations/length"])[:-1]
        parts = [np.split(state[f"evaluations/{name}"], ends) for name in _COLUMNS]
        self._evaluations = [
            Evaluation(int(step), *columns)
            for step, *columns in zip(state["evaluations/step"], *parts, strict=False)
        ]


_COLUMNS = ("trial_ids", "train_cross_entropy", "val_cross_entropy", "val_errors", "val_examples")


def passes(goal: Goal, values: np.ndarray) -> np.ndarray:
    """Returns where `values` are strictly beyond the goal; NaN never is."""
    return values > goal.value if goal.maximize else values < goal.value
