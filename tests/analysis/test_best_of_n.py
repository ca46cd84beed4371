"""Best of fewer trials, against enumerating every subset."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batchscope.analysis.best_of_n import best_of_weights, expected_best_of, optimism_log2
from batchscope.analysis.study_times import StudyTimes


def _study(steps, *, censored_at=()):
    """Trials that reached the goal at `steps`, then trials pruned at `censored_at`."""
    every = np.array([*steps, *censored_at], dtype=np.int64)
    reached = np.arange(len(every)) < len(steps)
    return StudyTimes(
        batch_size=32,
        budget_steps=10_000,
        trial_ids=np.arange(len(every)),
        steps=every,
        after=np.where(reached, every - 1, 0),
        reached=reached,
    )


@settings(deadline=None)
@given(st.lists(st.integers(1, 5000), min_size=1, max_size=9), st.data())
def test_equals_the_average_over_all_subsets(steps, data):
    m = data.draw(st.integers(1, len(steps)))
    enumerated = np.mean([min(subset) for subset in combinations(steps, m)])
    assert expected_best_of(_study(steps), m=m) == pytest.approx(enumerated, rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (10, 10), (100, 50), (3000, 1500), (3000, 1)])
def test_weights_are_a_distribution_even_for_many_trials(n, m):
    weights = best_of_weights(n=n, m=m)
    assert weights.sum() == pytest.approx(1.0, rel=1e-9)
    assert weights[0] == pytest.approx(m / n, rel=1e-9)
    assert np.all(weights[n - m + 1 :] == 0)


@pytest.mark.parametrize("m", [0, 5])
def test_cannot_draw_none_or_more_than_there_are(m):
    with pytest.raises(ValueError, match=f"{m} of 4 trials"):
        best_of_weights(n=4, m=m)


def test_pruning_at_the_eighth_hides_less_than_one_percent():
    steps = np.sort(np.random.default_rng(0).integers(100, 400, size=64))
    pruned = _study(steps[:8], censored_at=[steps[7]] * 56)
    full = expected_best_of(_study(steps), m=32)
    assert expected_best_of(pruned, m=32) == pytest.approx(full, rel=0.01)
    assert optimism_log2(pruned) == pytest.approx(np.log2(full / steps[0]), abs=0.01)


def test_pruning_at_the_first_hides_it():
    assert optimism_log2(_study([100], censored_at=[100] * 63)) is None


def test_a_trial_interrupted_early_could_have_been_faster():
    assert optimism_log2(_study([100, 110, 120, 130], censored_at=[90, 140])) is None


def test_too_few_trials_have_no_optimism():
    assert optimism_log2(_study([100])) is None
    assert optimism_log2(_study([])) is None
    assert optimism_log2(_study([], censored_at=[50, 50])) is None


def test_optimism_is_octaves_between_half_and_all():
    # Halves of four trials: C(4, 2) = 6 pairs, best 100 in 3, 200 in 2, 400 in 1.
    assert optimism_log2(_study([100, 200, 400, 800])) == pytest.approx(
        np.log2((3 * 100 + 2 * 200 + 400) / 6 / 100)
    )
