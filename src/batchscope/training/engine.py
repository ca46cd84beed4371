"""Training the packs of a sweep on the devices of this process."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax
import numpy as np
import pyarrow as pa

from batchscope.results.schema import Status
from batchscope.search import metaparameters
from batchscope.spec.sweep import Sweep
from batchscope.training.ensemble import Ensemble, TrialAxis, default_trial_axis
from batchscope.training.feed import RESIDENT_BYTES, Feed, validation_chunks
from batchscope.training.grid import evaluation_steps
from batchscope.training.ledger import Evaluation, Ledger
from batchscope.training.limits import error_limits
from batchscope.training.microbatches import Microbatches, microbatch_sizes
from batchscope.training.workload import Workload, make_trial

_VALIDATION_CHUNK = 128
_WINDOW_EXAMPLES = 8192
_CALL_S = 0.5  # aim of one call to the devices: how soon an interrupt is noticed

Checkpoint = dict[str, np.ndarray]


class Interrupted(Exception):  # noqa: N818
    """The run was asked to stop; what was done is saved."""


@dataclass(frozen=True)
class Progress:
    """Where the training of one pack stands."""

    batch_size: int
    pack: int
    packs: int
    step: int
    budget_steps: int
    best_step: int | None
    active: int
    complete: int
    pruned: int
    infeasible: int


@dataclass(frozen=True)
class PackTables:
    """What a finished pack leaves: tables as in `results.schema`, and seconds of training."""

    measurements: pa.Table
    trials: pa.Table
    elapsed_s: float


@dataclass(frozen=True)
class PackHooks:
    """What a pack tells its surroundings while it trains.

    Attributes:
        progress: called after every evaluation.
        save: called with the checkpoint, when one is due.
        should_stop: asked between calls to the devices.
    """

    progress: Callable[[Progress], None] = lambda progress: None
    save: Callable[[Checkpoint], None] = lambda checkpoint: None
    should_stop: Callable[[], bool] = lambda: False


class Engine:
    """Trains the packs of one sweep; keeps data and executables between them.

    Args:
        sweep: what to measure.
        workload: its parts, see `load_workload`.
        devices: to spread the trials of a pack over; by default all of the default backend.
        trial_axis: how trials are mapped inside a device; by default what suits the backend.
        sizes: of microbatches, ascending; by default what suits backend and model.
        checkpoint_s: seconds of training between checkpoints.
        resident_bytes: size of the largest training set kept on the devices.
    """

    def __init__(
        self,
        sweep: Sweep,
        workload: Workload,
        *,
        devices: Sequence[jax.Device] | None = None,
        trial_axis: TrialAxis | None = None,
        sizes: tuple[int, ...] | None = None,
        checkpoint_s: float = 15.0,
        resident_bytes: int = RESIDENT_BYTES,
    ) -> None:
        self._sweep = sweep
        self._workload = workload
        self._checkpoint_s = checkpoint_s
        self._sizes = sizes or microbatch_sizes(
            backend=jax.default_backend(), parameter_count=workload.parameter_count
        )
        dataset = workload.dataset
        self._ensemble = Ensemble(
            make_trial(workload, seed=sweep.seed),
            metaparameters=workload.metaparameters,
            slots=min(sweep.trials, sweep.trials_per_pack or sweep.trials),
            validation=validation_chunks(dataset.val, chunk=_VALIDATION_CHUNK),
            validation_examples=len(dataset.val),
            devices=devices or jax.devices(),
            trial_axis=trial_axis or default_trial_axis(),
        )
        self._feed = Feed(
            dataset.train,
            seed=sweep.seed,
            replicate=self._ensemble.replicate,
            resident_bytes=resident_bytes,
        )
        stops = sweep.evaluation.early_stop
        self._limits = error_limits(sweep.goal if stops else None, examples=len(dataset.val))
        self._trial_step_s: dict[int, float] = {}

    def metaparameters(self, trial_ids: np.ndarray) -> np.ndarray:
        """Returns the metaparameters of trials, [trials, names], as the workload orders them."""
        searched = metaparameters(
            self._sweep.parameter_configs, seed=self._sweep.seed, trial_ids=trial_ids
        )
        names = self._workload.metaparameters[searched.shape[1] :]
        fixed = np.asarray([self._sweep.metaparameters[name] for name in names], np.float64)
        return np.concatenate([searched, np.tile(fixed, (len(trial_ids), 1))], axis=1)

    def microbatches(self, batch_size: int) -> Microbatches:
        """Returns how batches of this size are cut."""
        return Microbatches.plan(
            batch_size,
            sizes=self._sizes,
            largest_batch=len(self._workload.dataset.train),
            window_examples=_WINDOW_EXAMPLES,
        )

    def run_pack(
        self,
        batch_size: int,
        pack: int,
        *,
        checkpoint: Checkpoint | None = None,
        hooks: PackHooks | None = None,
    ) -> PackTables:
        """Trains one pack to its end.

        Args:
            batch_size: of the study.
            pack: 0 ... packs - 1.
            checkpoint: where to go on; the result is bit for bit that of a run without a break.
            hooks: progress, checkpoints, interruption.

        Raises:
            Interrupted: `should_stop` said so; a checkpoint was saved before.
        """
        run = _PackRun(self, batch_size, pack, hooks or PackHooks())
        if checkpoint is not None:
            run.restore(checkpoint)
        return run.finish()

    def time_step(self, batch_size: int, *, trials: int) -> float:
        """Returns seconds per trial and step, measured by training a few steps."""
        run = _PackRun(self, batch_size, 0, PackHooks())
        return run.time_step(trials)


class _PackRun:
    """One pack in training: the ledger says what to do, the ensemble does it."""

    def __init__(self, engine: Engine, batch_size: int, pack: int, hooks: PackHooks) -> None:
        self._engine = engine
        self._ensemble = engine._ensemble
        self._sweep = engine._sweep
        self._hooks = hooks
        self._microbatches = engine.microbatches(batch_size)
        self._ledger = Ledger(self._sweep, batch_size=batch_size, pack=pack)
        self._step = 0
        self._interval_start = 0
        self._slots: dict[int, int] = {}
        self._started_s = self._saved_s = time.monotonic()
        self._earlier_s = 0.0

    def restore(self, checkpoint: Checkpoint) -> None:
        """Takes over what `_save` handed out."""
        self._ledger.restore(checkpoint)
        self._step = int(checkpoint["step"])
        self._interval_start = int(checkpoint["interval_start"])
        self._earlier_s = float(checkpoint["elapsed_s"])
        leaves = [checkpoint[f"state/{i}"] for i in range(int(checkpoint["leaves"]))]
        self._load(self._ledger.active, leaves)

    def finish(self) -> PackTables:
        """Runs wave after wave until the ledger starts no more."""
        while len(self._ledger.active) or self._start_wave():
            for target in evaluation_steps(
                self._sweep.evaluation,
                batch_size=self._microbatches.batch_size,
                budget_steps=self._ledger.budget_steps,
            ):
                if target <= self._interval_start:
                    continue  # before the checkpoint
                self._train_until(target)
                self._evaluate()
                if not len(self._ledger.active):
                    break
        names = self._engine._workload.metaparameters
        values = self._engine.metaparameters(self._ledger.trial_ids)
        return PackTables(
            self._ledger.measurements(), self._ledger.trials(names, values), self._elapsed_s()
        )

    def time_step(self, trials: int) -> float:
        """Trains the first trials for a few steps; returns seconds per trial and step."""
        ids = np.arange(min(trials, self._ensemble.capacity))
        slots = self._ensemble.start(ids, self._engine.metaparameters(ids))
        self._call(slots, steps=1, group=len(slots))
        steps, elapsed_s = 1, 0.0
        while elapsed_s < 0.1:
            steps = min(2 * steps, self._microbatches.steps_per_window)
            begun = time.perf_counter()
            self._call(slots, steps=steps, group=len(slots))
            elapsed_s = time.perf_counter() - begun
            if steps == self._microbatches.steps_per_window:
                break
        return elapsed_s / (steps * len(ids))

    def _start_wave(self) -> bool:
        ids = self._ledger.next_wave()
        if not len(ids):
            return False
        self._step = self._interval_start = 0
        slots = self._ensemble.start(ids, self._engine.metaparameters(ids))
        self._slots = dict(zip(ids.tolist(), slots.tolist(), strict=True))
        return True

    def _load(self, ids: np.ndarray, leaves: Sequence[np.ndarray]) -> None:
        slots = self._ensemble.load(ids, self._engine.metaparameters(ids), leaves)
        self._slots = dict(zip(ids.tolist(), slots.tolist(), strict=True))

    def _active_slots(self) -> np.ndarray:
        return np.asarray([self._slots[i] for i in self._ledger.active.tolist()], np.int64)

    def _train_until(self, target: int) -> None:
        slots = self._active_slots()
        if not self._ensemble.is_balanced(slots):
            self._load(self._ledger.active, self._ensemble.export(slots))
            slots = self._active_slots()
        while self._step < target:
            if self._hooks.should_stop():
                self._save()
                raise Interrupted
            steps, group = self._portion(len(slots), target - self._step)
            begun = time.perf_counter()
            self._call(slots, steps=steps, group=group)
            taken_s = time.perf_counter() - begun
            self._engine._trial_step_s[self._microbatches.batch_size] = taken_s / (
                steps * len(slots)
            )
            self._step += steps
            if time.monotonic() - self._saved_s > self._engine._checkpoint_s:
                self._save()

    def _portion(self, trials: int, steps: int) -> tuple[int, int]:
        """Returns how many steps, of how many trials at once, make a call of reasonable length."""
        steps = min(steps, self._microbatches.steps_per_window)
        trial_step_s = self._engine._trial_step_s.get(self._microbatches.batch_size)
        if trial_step_s is None:
            return 1, trials
        affordable = max(1.0, _CALL_S / trial_step_s)
        if affordable >= trials:
            return min(steps, int(affordable / trials)), trials
        return 1, int(affordable)

    def _call(self, slots: np.ndarray, *, steps: int, group: int) -> None:
        """Trains for `steps`, `group` trials at a time, and waits until that is done."""
        examples, batches = self._engine._feed.window(
            self._microbatches, first_step=self._step, steps=steps
        )
        for first in range(0, len(slots), group):
            self._ensemble.train(
                slots[first : first + group],
                examples=examples,
                batches=batches,
                microbatches=self._microbatches,
                first_step=self._step,
                starts_interval=self._step == self._interval_start,
            )
            self._ensemble.wait()

    def _evaluate(self) -> None:
        slots = self._active_slots()
        sums = self._ensemble.evaluate(slots, self._engine._limits)
        seen = sums.examples.astype(np.int64)
        steps = self._step - self._interval_start
        self._ledger.record(
            Evaluation(
                step=self._step,
                trial_ids=self._ledger.active,
                train_cross_entropy=self._ensemble.loss_sums(slots).astype(np.float64) / steps,
                val_cross_entropy=sums.cross_entropy.astype(np.float64) / seen,
                val_errors=sums.classification_errors.astype(np.int64),
                val_examples=seen,
            )
        )
        self._interval_start = self._step
        self._hooks.progress(self._progress())

    def _progress(self) -> Progress:
        ledger = self._ledger
        return Progress(
            batch_size=ledger.batch_size,
            pack=ledger.pack,
            packs=self._sweep.packs,
            step=self._step,
            budget_steps=ledger.budget_steps,
            best_step=ledger.best_step,
            active=len(ledger.active),
            complete=ledger.count(Status.COMPLETE),
            pruned=ledger.count(Status.PRUNED),
            infeasible=ledger.count(Status.INFEASIBLE),
        )

    def _save(self) -> None:
        begun = time.monotonic()
        leaves = self._ensemble.export(self._active_slots())
        checkpoint = self._ledger.dump() | {
            "step": np.asarray(self._step),
            "interval_start": np.asarray(self._interval_start),
            "elapsed_s": np.asarray(self._elapsed_s()),
            "leaves": np.asarray(len(leaves)),
        }
        checkpoint |= {f"state/{i}": leaf for i, leaf in enumerate(leaves)}
        self._hooks.save(checkpoint)
        self._saved_s = time.monotonic()
        # a checkpoint that takes long is taken seldom: it costs 5 % of the time at most
        self._engine._checkpoint_s = max(self._engine._checkpoint_s, 20 * (self._saved_s - begun))

    def _elapsed_s(self) -> float:
        return self._earlier_s + time.monotonic() - self._started_s
