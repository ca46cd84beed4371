"""Findings from tables: the easy case, the hard ones, and the words."""

import dataclasses
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from batchscope.analysis import find
from batchscope.analysis.findings import Estimate
from batchscope.analysis.headline import headline
from batchscope.analysis.simulated_tables import simulate_tables
from batchscope.analysis.simulation import Truth
from batchscope.results import SweepTables
from batchscope.results.schema import MEASUREMENTS, Status, trials_schema


@pytest.fixture(scope="module")
def tables():
    return simulate_tables(Truth(), seed=1, name="sgd")


@pytest.fixture(scope="module")
def sweep(tables):
    return find([tables]).sweeps[0]


def _one(truth, **changes):
    tables = simulate_tables(truth, seed=3)
    return find([dataclasses.replace(tables, **changes)]).sweeps[0]


def _with_status(tables, status, *, where):
    """The tables with every trial of some batch sizes in another status, without measurements."""
    chosen = pc.is_in(tables.trials["batch_size"], pa.array(where))
    statuses = pc.if_else(chosen, status.value, tables.trials["status"])
    at = tables.trials.column_names.index("status")
    kept = pc.invert(pc.is_in(tables.measurements["batch_size"], pa.array(where)))
    return dataclasses.replace(
        tables,
        trials=tables.trials.set_column(at, MEASUREMENTS.field(0).with_name("status").with_type(
            pa.string()), statuses),
        measurements=tables.measurements.filter(kept),
    )  # fmt: skip


def test_studies_say_what_the_tables_say(tables, sweep):
    frame = tables.trials.to_pandas()
    reached = frame.dropna(subset=["goal_step"]).sort_values(["goal_step", "trial_id"])
    winners = reached.groupby("batch_size").first()
    assert [s.batch_size for s in sweep.studies] == list(tables.sweep.batch_sizes)
    for study in sweep.studies:
        winner = winners.loc[study.batch_size]
        assert study.best_trial_id == winner["trial_id"]
        assert study.steps_to_result == winner["goal_step"]
        assert study.steps_after == winner["goal_step_after"]
        assert study.examples_to_result == study.steps_to_result * study.batch_size
        rate, momentum = winner["parameters/learning_rate"], winner["parameters/momentum"]
        assert study.best_parameters == {"learning_rate": rate, "momentum": momentum}
        assert study.effective_learning_rate == pytest.approx(rate / (1 - momentum))
        assert set(study.counts) == {"COMPLETE", "PRUNED", "INFEASIBLE", "INCOMPLETE"}
        assert sum(study.counts.values()) == len(study.trials) == 64
        assert study.interval.low < study.steps_to_result <= study.interval.high
        own = reached[reached["batch_size"] == study.batch_size]
        assert {t.trial_id for t in study.trials if t.reached} == set(own["trial_id"])


def test_estimates_lie_in_their_intervals_and_agree_with_each_other(sweep):
    curve = sweep.curve
    for name in (
        "critical_batch_size",
        "end_of_perfect_scaling",
        "maximum_useful_batch_size",
        "minimum_steps",
        "minimum_examples",
        "sharpness",
    ):
        estimate = getattr(curve, name)
        assert estimate.bound == "="
        assert estimate.low < estimate.value < estimate.high
    critical, g = curve.critical_batch_size.value, curve.sharpness.value
    assert curve.minimum_examples.value == pytest.approx(curve.minimum_steps.value * critical)
    bend = (1.2**g - 1) ** (1 / g)
    assert curve.end_of_perfect_scaling.value == pytest.approx(critical * bend)
    assert curve.maximum_useful_batch_size.value == pytest.approx(critical / bend)
    for point in curve.points:
        expected = curve.minimum_steps.value * (1 + (critical / point.batch_size) ** g) ** (1 / g)
        assert point.steps == pytest.approx(expected)
        assert point.low <= point.steps <= point.high
    assert (curve.points[0].batch_size, curve.points[-1].batch_size) == pytest.approx((4, 2048))


def test_slopes_join_neighbouring_studies(sweep):
    first, second = sweep.studies[:2]
    at, slope = sweep.curve.slopes[0]
    assert at == pytest.approx(np.sqrt(32))
    assert slope == pytest.approx(np.log2(second.steps_to_result / first.steps_to_result))
    assert len(sweep.curve.slopes) == len(sweep.studies) - 1


def test_equal_tables_give_equal_findings_whatever_the_order_of_rows(tables, sweep):
    rng = np.random.default_rng(0)
    shuffled = dataclasses.replace(
        tables,
        measurements=tables.measurements.take(rng.permutation(tables.measurements.num_rows)),
        trials=tables.trials.take(rng.permutation(tables.trials.num_rows)),
    )
    assert find([shuffled]).sweeps[0] == sweep


def test_the_headline_names_both_ends(sweep):
    assert sweep.headline == (
        f"Steps halve with each doubling up to batch size "
        f"~{sweep.curve.end_of_perfect_scaling.value:.2g}; beyond "
        f"~{float(f'{sweep.curve.maximum_useful_batch_size.value:.2g}'):.0f} nothing is gained."
    )


def test_perfect_scaling_throughout_is_a_lower_bound():
    sweep = _one(Truth(critical_batch_size=50_000.0))
    for name in ("critical_batch_size", "end_of_perfect_scaling", "maximum_useful_batch_size"):
        estimate = getattr(sweep.curve, name)
        assert (estimate.value, estimate.high, estimate.bound) == (2048.0, None, ">=")
    assert sweep.curve.minimum_steps.bound == "<="
    assert sweep.headline == (
        "Steps halve with each doubling up to 2,048, the largest batch size measured; where that "
        "ends is not known."
    )


def test_no_scaling_at_all_is_an_upper_bound():
    sweep = _one(Truth(critical_batch_size=0.1, sharpness=3.0))
    for name in ("critical_batch_size", "end_of_perfect_scaling", "maximum_useful_batch_size"):
        estimate = getattr(sweep.curve, name)
        assert (estimate.value, estimate.low, estimate.bound) == (4.0, None, "<=")
    assert sweep.curve.minimum_examples.bound == "<="
    assert sweep.headline.startswith("Larger batches gain nothing: about ")


def test_gains_that_go_on_to_the_largest_batch_size():
    sweep = _one(Truth(critical_batch_size=1200.0, sharpness=1.5))
    assert sweep.curve.maximum_useful_batch_size.bound == ">="
    assert "go on up to 2,048, the largest batch size measured" in sweep.headline


def test_the_smallest_batch_sizes_missed_the_goal():
    sweep = _one(Truth(sharpness=1.0, budget_steps=450))
    missed = [s for s in sweep.studies if s.steps_to_result is None]
    assert missed
    assert all(s.steps_after == 450 and s.interval is None for s in missed)
    assert all(s.best_trial_id is None and s.optimism_log2 is None for s in missed)
    assert "the smallest batch size that reached the goal" in sweep.headline
    (note,) = [n for n in sweep.notes if n.startswith("No trial reached")]
    assert "batch sizes 4, 8" in note


def test_only_the_flat_part_reached_the_goal():
    sweep = _one(Truth(budget_steps=180))
    assert sweep.curve.maximum_useful_batch_size.bound == "<="
    smallest = next(s.batch_size for s in sweep.studies if s.steps_to_result)
    assert sweep.headline.startswith(f"From batch size {smallest}, the smallest that reached")


def test_the_goal_was_reached_nowhere():
    sweep = _one(Truth(budget_steps=10))
    assert sweep.curve is None
    assert sweep.headline == "No trial reached val/classification_error < 0.1 at any batch size."
    assert sweep.notes[0].startswith("No curve is fitted: 0 of 10 batch sizes")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_too_few_studies_for_a_curve(count):
    sweep = _one(Truth(batch_sizes=(4, 64, 1024)[:count]))
    assert sweep.curve is None
    assert f"{count if count > 1 else 'one'} do" in sweep.headline
    assert f"{sweep.studies[0].steps_to_result:,} steps at batch size 4" in sweep.headline
    assert sweep.studies[0].interval is not None


def test_every_trial_diverged(tables):
    everywhere = _with_status(tables, Status.INFEASIBLE, where=tables.sweep.batch_sizes)
    sweep = find([everywhere]).sweeps[0]
    assert sweep.headline.startswith("Every trial diverged, at every batch size")
    assert sweep.curve is None
    assert all(s.counts["INFEASIBLE"] == 64 for s in sweep.studies)


def test_one_study_diverged_and_the_others_still_give_a_curve(tables):
    sweep = find([_with_status(tables, Status.INFEASIBLE, where=[2048])]).sweeps[0]
    assert sweep.curve is not None
    assert sweep.studies[-1].steps_to_result is None
    assert any(n.startswith("Every trial diverged at batch size 2,048") for n in sweep.notes)


def test_empty_tables(tables):
    names = ["learning_rate"]
    empty = SweepTables(
        tables.sweep, MEASUREMENTS.empty_table(), trials_schema(names).empty_table()
    )
    found = find([empty, tables])
    assert found.sweeps[0].headline == "Nothing has been measured yet."
    assert [s.batch_size for s in found.sweeps[0].studies] == list(tables.sweep.batch_sizes)
    assert "is not known" in found.comparisons[0].sentence
    assert find([]).sweeps == ()


def test_missing_and_interrupted_trials_make_a_study_provisional(tables):
    packed = tables.sweep.at(trials_per_pack=16)
    partial = dataclasses.replace(tables, sweep=packed, missing=((8, 1), (64, 0)))
    sweep = find([partial]).sweeps[0]
    assert [s.missing_trials for s in sweep.studies[:3]] == [0, 16, 0]
    assert sweep.notes[0].startswith(
        "32 trials that should exist are missing at batch sizes 8 and 64"
    )
    interrupted = find([_with_status(tables, Status.INCOMPLETE, where=[16])]).sweeps[0]
    assert any("interrupted at batch size 16" in n for n in interrupted.notes)
    assert interrupted.studies[2].counts["INCOMPLETE"] == 64


def test_measurements_without_a_trials_row_count_as_interrupted(tables):
    kept = tables.trials.filter(pc.not_equal(tables.trials["batch_size"], 4))
    study = find([dataclasses.replace(tables, trials=kept)]).sweeps[0].studies[0]
    assert study.counts["INCOMPLETE"] == 64
    assert study.steps_to_result is not None
    assert study.best_parameters == {}


def test_fewer_feasible_trials_than_wanted(tables):
    more = dataclasses.replace(tables, sweep=tables.sweep.at(trials=100))
    notes = find([more]).sweeps[0].notes
    assert any("the 100 feasible trials wanted" in n for n in notes)


def test_a_diverged_trial_does_not_win(tables):
    frame = tables.trials.to_pandas()
    best = find([tables]).sweeps[0].studies[0].best_trial_id
    frame.loc[(frame.batch_size == 4) & (frame.trial_id == best), "status"] = "INFEASIBLE"
    changed = pa.Table.from_pandas(frame, schema=tables.trials.schema, preserve_index=False)
    study = find([dataclasses.replace(tables, trials=changed)]).sweeps[0].studies[0]
    assert study.best_trial_id != best
    assert study.counts["INFEASIBLE"] == 1


def test_steps_that_fall_faster_than_perfect_scaling_are_noted():
    tables = simulate_tables(Truth(critical_batch_size=4000.0, trials=100), seed=0)
    # Twice as many steps at each halving, and a third more.
    factor = 1.35 ** (9 - np.log2(tables.measurements["batch_size"].to_numpy()))
    stretched = np.maximum(1, np.rint(tables.measurements["step"].to_numpy() * factor)).astype(int)
    at = tables.measurements.column_names.index("step")
    steep = tables.measurements.set_column(at, MEASUREMENTS.field("step"), pa.array(stretched))
    sweep = find([dataclasses.replace(tables, measurements=steep)]).sweeps[0]
    assert any("faster than perfect scaling (slope -1." in n for n in sweep.notes)
    assert not any("faster than perfect" in n for n in find([tables]).sweeps[0].notes)


def test_pruning_at_the_minimum_hides_optimism_and_says_so():
    sweep = _one(Truth(k=1))
    assert all(s.optimism_log2 is None and s.interval is None for s in sweep.studies)
    assert sweep.curve is not None
    assert any(n.startswith('prune = "min" hides') for n in sweep.notes)


def test_analysis_needs_no_jax():
    heavy = "{'jax', 'scipy', 'pandas'}"
    code = f"import sys, batchscope.analysis; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_headline_claims_no_end_that_the_data_leave_open():
    closed = Estimate(100.0, 50.0, 200.0)
    for low, high, said in (
        (None, None, "(a guess: the data bound it on neither side)"),
        (40.0, None, "(at least 40)"),
        (None, 900.0, "(at most 900)"),
    ):
        open_ended = Estimate(80.0, low, high)
        words = _headline_of(closed, useful=open_ended)
        assert "nothing is gained" not in words
        assert f"is not settled: perhaps at ~80 {said}. More trials would tell." in words
        assert f"up to batch size ~80 {said}; beyond ~100" in _headline_of(
            open_ended, useful=closed
        )
    assert _headline_of(closed, useful=closed).endswith("~100 nothing is gained.")


def _headline_of(perfect, *, useful):
    sweep = find([simulate_tables(Truth(), seed=1)]).sweeps[0]
    curve = dataclasses.replace(
        sweep.curve, end_of_perfect_scaling=perfect, maximum_useful_batch_size=useful
    )
    return headline(goal=sweep.goal, studies=sweep.studies, curve=curve)
