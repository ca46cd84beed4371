"""Steps to result against brute force and against a pandas implementation of its definition."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batchscope.analysis.steps_to_result import goal_times, steps_to_result
from batchscope.errors import ResultsError

GOAL = 0.5
# Values on, just beside and far from the goal, and what a diverged run leaves behind.
METRIC = st.sampled_from(
    [0.0, 0.25, np.nextafter(GOAL, 0), GOAL, np.nextafter(GOAL, 1), 0.9, math.inf, -math.inf,
     math.nan, None]
)  # fmt: skip
KEY = st.tuples(st.sampled_from([2, 4, 1024]), st.integers(0, 4), st.integers(1, 6))


@st.composite
def tables(draw):
    """Unsorted measurements, each (batch size, trial, step) at most once, in several chunks."""
    keys = draw(st.lists(KEY, unique=True, max_size=40))
    values = [draw(METRIC) for _ in keys]
    cut = draw(st.integers(0, len(keys)))
    return pa.concat_tables([_table(keys[:cut], values[:cut]), _table(keys[cut:], values[cut:])])


def _table(keys, values):
    batch_size, trial_id, step = zip(*keys, strict=True) if keys else ((), (), ())
    return pa.table(
        {
            "batch_size": pa.array(batch_size, pa.int64()),
            "trial_id": pa.array(trial_id, pa.int64()),
            "step": pa.array(step, pa.int64()),
            "error": pa.array(values, pa.float64(), from_pandas=False),
        }
    )


def _passes(value, maximize):
    return value is not None and (value > GOAL if maximize else value < GOAL)


def _key(row):
    return row["batch_size"], row["trial_id"], row["step"]


@settings(deadline=None)
@given(tables(), st.booleans())
def test_is_the_first_row_that_passes_by_step_then_trial(table, maximize):
    expected = {}
    for row in table.to_pylist():
        if not _passes(row["error"], maximize):
            continue
        best = expected.get(row["batch_size"])
        order = (row["step"], row["trial_id"])
        if best is None or order < (best["step"], best["trial_id"]):
            expected[row["batch_size"]] = row
    found = steps_to_result(table, metric="error", value=GOAL, maximize=maximize)
    assert [_key(r) for r in found.to_pylist()] == [_key(expected[b]) for b in sorted(expected)]
    assert found.schema == table.schema


@settings(deadline=None)
@given(tables(), st.booleans())
def test_agrees_with_sorting_and_grouping_in_pandas(table, maximize):
    frame = table.to_pandas().sort_values(["batch_size", "step", "trial_id"])
    good = frame["error"] > GOAL if maximize else frame["error"] < GOAL
    expected = frame[good].groupby("batch_size").first().reset_index()
    found = steps_to_result(table, metric="error", value=GOAL, maximize=maximize).to_pandas()
    pd.testing.assert_frame_equal(found, expected[found.columns.tolist()], check_dtype=False)


@settings(deadline=None)
@given(tables(), st.booleans())
def test_goal_times_of_every_trial(table, maximize):
    rows = {}
    for row in table.to_pylist():
        rows.setdefault((row["batch_size"], row["trial_id"]), []).append(row)
    times = goal_times(table, metric="error", value=GOAL, maximize=maximize)
    found = list(zip(times.batch_size.tolist(), times.trial_id.tolist(), strict=True))
    assert found == sorted(rows)
    for i, key in enumerate(found):
        steps = [r["step"] for r in rows[key]]
        passed = [r["step"] for r in rows[key] if _passes(r["error"], maximize)]
        assert times.reached[i] == bool(passed)
        assert times.last_step[i] == max(steps)
        assert times.goal_step[i] == (min(passed) if passed else 0)
        before = [s for s in steps if passed and s < min(passed)]
        assert times.goal_step_after[i] == max(before, default=0)


def test_comparison_is_strict_and_ties_go_to_the_lower_trial():
    table = _table(
        [(4, 7, 10), (4, 2, 20), (4, 9, 20), (4, 5, 20), (8, 0, 5)],
        [GOAL, 0.1, 0.1, 0.4, GOAL],
    )
    found = steps_to_result(table, metric="error", value=GOAL, maximize=False)
    assert found.to_pylist() == [{"batch_size": 4, "trial_id": 2, "step": 20, "error": 0.1}]


def test_an_unknown_metric_is_named():
    with pytest.raises(ResultsError, match=r"'accuracy'.*batch_size, trial_id, step, error"):
        steps_to_result(_table([], []), metric="accuracy", value=0.5, maximize=True)
