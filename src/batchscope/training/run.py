"""Running a sweep: every pack of every study, into a results folder, from wherever it stands."""

import hashlib
import io
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import jax
import numpy as np

from batchscope.plugins import source_file
from batchscope.results import SweepStore, SweepTables
from batchscope.spec.sweep import Sweep
from batchscope.training.devices import configure
from batchscope.training.engine import Checkpoint, Engine, PackHooks, Progress
from batchscope.training.workload import Workload, load_workload

_VERSIONED = ("batchscope", "jax", "jaxlib", "flax", "optax", "numpy", "tensorflow-datasets")


@dataclass(frozen=True)
class PackFinished:
    """A pack is done: `elapsed_s` seconds of training in all its runs; 0 if it was done before."""

    batch_size: int
    pack: int
    progress: Progress | None
    elapsed_s: float


@dataclass(frozen=True)
class Listener:
    """What a run tells its surroundings.

    Attributes:
        progress: after every evaluation.
        pack_finished: after a pack, also one that an earlier run has finished.
        should_stop: asked about twice a second; True saves a checkpoint and ends the run.
        warn: one sentence the user should see.
    """

    progress: Callable[[Progress], None] = lambda progress: None
    pack_finished: Callable[[PackFinished], None] = lambda finished: None
    should_stop: Callable[[], bool] = lambda: False
    warn: Callable[[str], None] = lambda sentence: None


def versions() -> dict[str, str]:
    """Returns the versions that can change a result, and the device it was computed on."""
    device = jax.devices()[0]
    found = {name: version(name) for name in _VERSIONED}
    return found | {"python": platform.python_version(), "device": device.device_kind}


def code_digests(sweep: Sweep) -> dict[str, str]:
    """Returns the SHA-256 of each file beside the sweep that it takes code from, by file name."""
    digests = {}
    for named in (sweep.dataset, sweep.model, sweep.optimizer, sweep.schedule):
        path = source_file(named.name, named.folder)
        if path is not None:
            digests[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return digests


def run(
    sweep: Sweep,
    folder: str | Path,
    *,
    listener: Listener | None = None,
    checkpoint_s: float = 15.0,
) -> SweepTables:
    """Measures a sweep into a folder of its own and returns everything the folder then holds.

    Goes on from where an earlier call stopped. Sets JAX up (see `devices.configure`), so call it
    before JAX is used otherwise.

    Args:
        sweep: what to measure.
        folder: of this sweep alone.
        listener: progress and interruption.
        checkpoint_s: seconds of training between checkpoints.

    Raises:
        SpecError, ResultsError, Interrupted: as `run_sweep`.
    """
    configure()
    workload = load_workload(sweep)
    store = open_store(sweep, Path(folder))
    run_sweep(sweep, store, workload=workload, listener=listener, checkpoint_s=checkpoint_s)
    return store.read()


def open_store(sweep: Sweep, folder: Path) -> SweepStore:
    """Returns the results folder of a sweep, made if it is not there.

    Raises:
        ResultsError: the folder holds something else, or cannot be written.
    """
    return SweepStore.create_or_open(folder, sweep, versions=versions(), code=code_digests(sweep))


def run_sweep(
    sweep: Sweep,
    store: SweepStore,
    *,
    workload: Workload | None = None,
    listener: Listener | None = None,
    checkpoint_s: float = 15.0,
) -> None:
    """Trains whatever `store` does not hold yet; returns when the sweep is complete.

    Args:
        sweep: what to measure; the one `store` was opened with.
        store: where results and checkpoints go.
        workload: of the sweep, if it is loaded already.
        listener: progress and interruption.
        checkpoint_s: seconds of training between checkpoints.

    Raises:
        SpecError: the sweep cannot be run as written.
        ResultsError: the store cannot be written, or another process is running this sweep.
        Interrupted: `should_stop` said so; the same call goes on from there.
    """
    listener = listener or Listener()
    with store.lock():
        todo = []
        for batch_size in sweep.batch_sizes:
            for pack in range(sweep.packs):
                if store.is_finished(batch_size, pack):
                    listener.pack_finished(PackFinished(batch_size, pack, None, 0.0))
                else:
                    todo.append((batch_size, pack))
        if not todo:
            return
        engine = Engine(sweep, workload or load_workload(sweep), checkpoint_s=checkpoint_s)
        for batch_size, pack in todo:
            _run_pack(engine, store, listener, batch_size=batch_size, pack=pack)


def _run_pack(
    engine: Engine, store: SweepStore, listener: Listener, *, batch_size: int, pack: int
) -> None:
    last: list[Progress] = []

    def progress(now: Progress) -> None:
        last[:] = [now]
        listener.progress(now)

    def save(checkpoint: Checkpoint) -> None:
        # np.savez writes whatever it is given a stream for, without a copy in memory
        store.save_checkpoint(
            batch_size,
            pack,
            lambda stream: np.savez(stream, **checkpoint),  # type: ignore[arg-type]
        )

    saved = store.load_checkpoint(batch_size, pack, warn=listener.warn)
    tables = engine.run_pack(
        batch_size,
        pack,
        checkpoint=None if saved is None else _parse(saved),
        hooks=PackHooks(progress=progress, save=save, should_stop=listener.should_stop),
    )
    store.write_pack(
        batch_size,
        pack,
        measurements=tables.measurements,
        trials=tables.trials,
        metadata={"elapsed_s": f"{tables.elapsed_s:.3f}"},
    )
    listener.pack_finished(
        PackFinished(batch_size, pack, last[0] if last else None, tables.elapsed_s)
    )


def _parse(payload: bytes) -> Checkpoint:
    with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
        return dict(arrays)
