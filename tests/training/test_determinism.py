"""A trial's numbers depend on the sweep and its index, on nothing else."""

from collections.abc import Callable

import jax
import numpy as np
import pyarrow as pa
import pytest

from batchscope.spec import Sweep, parse_sweep
from batchscope.spec.sweep import Budget, Evaluation, Named, Prune
from batchscope.training.engine import Engine, Interrupted, PackHooks, PackTables

MakeEngine = Callable[..., Engine]
AssertSame = Callable[[PackTables, PackTables], None]


@pytest.fixture
def assert_same(same_bits: Callable[[pa.Table, pa.Table], bool]) -> AssertSame:
    def check(one: PackTables, other: PackTables) -> None:
        assert same_bits(one.trials, other.trials)
        assert same_bits(one.measurements, other.measurements)

    return check


@pytest.mark.parametrize("batch_size", [4, 100, 300])
def test_one_device_and_two_give_identical_tables(
    small: Sweep, engine: MakeEngine, assert_same: AssertSame, batch_size: int
) -> None:
    study = small.at(batch_sizes=(batch_size,), trials=5)
    one = engine(study, devices=jax.devices()[:1]).run_pack(batch_size, 0)
    two = engine(study, devices=jax.devices()[:2]).run_pack(batch_size, 0)
    assert_same(one, two)


def test_one_pack_and_four_measure_the_same_wherever_both_did(
    small: Sweep, engine: MakeEngine
) -> None:
    whole = small.at(trials=8, max_trials=8)
    split = whole.at(trials_per_pack=2)
    one = engine(whole).run_pack(16, 0)
    packs = [engine(split).run_pack(16, pack) for pack in range(split.packs)]
    assert split.packs == 4

    steps = [s for p in packs for s in p.trials["goal_step"].to_pylist() if s is not None]
    assert min(steps) == min(s for s in one.trials["goal_step"].to_pylist() if s is not None)
    joined = pa.concat_tables([p.measurements for p in packs]).to_pylist()
    by_key = {(row["trial_id"], row["step"]): row for row in joined}
    common = [
        row for row in one.measurements.to_pylist() if (row["trial_id"], row["step"]) in by_key
    ]
    assert len(common) == len(one.measurements)  # alone, a pack trains at least as long
    assert all(repr(row) == repr(by_key[row["trial_id"], row["step"]]) for row in common)


def test_adding_trials_does_not_change_the_earlier_ones(small: Sweep, engine: MakeEngine) -> None:
    few = engine(small.at(prune=Prune.NONE, trials=2, max_trials=2)).run_pack(16, 0)
    many = engine(small.at(prune=Prune.NONE, trials=5, max_trials=5)).run_pack(16, 0)
    assert many.measurements.slice(0, len(few.measurements)).equals(few.measurements)


@pytest.mark.parametrize("model", ["fc_8", "fc_8 with dropout"])
def test_microbatches_do_not_change_the_result(
    small: Sweep, engine: MakeEngine, model: str
) -> None:
    options = {"dropout_rate": 0.3} if "dropout" in model else {}
    # few steps: rounding differs, and training amplifies it
    study = small.at(
        model=Named("fc_8", options),
        batch_sizes=(100,),
        prune=Prune.NONE,
        trials=3,
        budget=Budget(steps=20),
        evaluation=Evaluation(every_examples=64, growth=0.05, early_stop=False),
    )
    whole = engine(study, sizes=(16, 128)).run_pack(100, 0)
    parts = engine(study, sizes=(16,)).run_pack(100, 0)
    assert whole.trials.equals(parts.trials)
    for name in ("train/cross_entropy_error", "val/cross_entropy_error"):
        np.testing.assert_allclose(whole.measurements[name], parts.measurements[name], rtol=1e-3)


def test_vmap_over_trials_agrees_with_the_loop(small: Sweep, engine: MakeEngine) -> None:
    study = small.at(prune=Prune.KTH, k=2, trials=7)
    loop = engine(study, trial_axis="loop").run_pack(16, 0)
    together = engine(study, trial_axis="vmap").run_pack(16, 0)
    assert loop.trials.equals(together.trials)
    np.testing.assert_allclose(
        loop.measurements["val/cross_entropy_error"],
        together.measurements["val/cross_entropy_error"],
        rtol=1e-3,
    )


def test_a_training_set_too_large_for_the_devices_gives_the_same(
    small: Sweep, engine: MakeEngine, assert_same: AssertSame
) -> None:
    study = small.at(batch_sizes=(100,), trials=3)
    assert_same(engine(study).run_pack(100, 0), engine(study, resident_bytes=0).run_pack(100, 0))


@pytest.mark.parametrize("seed", range(3))
def test_a_run_interrupted_anywhere_continues_bit_for_bit(
    engine: MakeEngine, assert_same: AssertSame, seed: int
) -> None:
    # large learning rates, so that trials diverge and are topped up while it is interrupted
    wild = parse_sweep(WILD)
    straight = engine(wild).run_pack(8, 0)
    rng = np.random.default_rng(seed)
    checkpoint, interruptions = None, 0
    while True:
        calls = int(rng.integers(1, 12))
        saved: list[dict[str, np.ndarray]] = []

        def should_stop(countdown: list[int] = [calls]) -> bool:  # noqa: B006
            countdown[0] -= 1
            return countdown[0] < 0

        try:
            resumed = engine(wild).run_pack(
                8,
                0,
                checkpoint=checkpoint,
                hooks=PackHooks(save=saved.append, should_stop=should_stop),
            )
            break
        except Interrupted:
            checkpoint, interruptions = saved[-1], interruptions + 1
    assert interruptions >= 2
    assert_same(straight, resumed)


WILD = """
name = "wild"
dataset = { name = "mnist_10k", subset = 512 }
model = "fc_8"
optimizer = "nesterov_momentum"
schedule = "constant"
goal = { metric = "val/classification_error", below = 0.3 }
batch_sizes = [8]
trials = 6
k = 4
budget = { steps = 300 }

[search_space.parameter_configs.learning_rate]
type = "DOUBLE"
scale = "LOG_SCALE"
min_value = 1e-3
max_value = 1e12

[metaparameters]
momentum = 0.9
"""


def test_diverged_trials_are_data_and_are_topped_up(engine: MakeEngine) -> None:
    sweep = parse_sweep(WILD)
    trials = engine(sweep).run_pack(8, 0).trials.to_pylist()
    statuses = [row["status"] for row in trials]
    feasible = [status in ("COMPLETE", "PRUNED") for status in statuses]
    assert "INFEASIBLE" in statuses
    # the shortest prefix of the sequence with as many feasible trials as were asked for
    assert [row["trial_id"] for row in trials] == list(range(len(trials)))
    assert sum(feasible) == sweep.trials
    assert feasible[-1]


def test_a_study_in_which_everything_diverges_ends(small: Sweep, engine: MakeEngine) -> None:
    doomed = small.at(metaparameters={"learning_rate": 1e30, "momentum": 0.9}, parameter_configs=())
    doomed = doomed.at(trials=2, max_trials=5)
    tables = engine(doomed).run_pack(16, 0)
    assert tables.trials["status"].to_pylist() == ["INFEASIBLE"] * 5
    assert not np.isfinite(tables.measurements["train/cross_entropy_error"]).all()
