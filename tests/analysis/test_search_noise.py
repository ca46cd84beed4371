"""The half-sample estimate of a search's noise, against repeating the search."""

import numpy as np
import pytest

from batchscope.analysis.search_noise import search_noise
from batchscope.analysis.simulation import Truth, simulate_times
from batchscope.analysis.study_times import StudyTimes


def _study(batch_size, steps, *, ids=None):
    steps = np.asarray(steps)
    return StudyTimes(
        batch_size=batch_size,
        budget_steps=10_000,
        trial_ids=np.arange(len(steps)) if ids is None else np.asarray(ids),
        steps=steps,
        after=steps - 1,
        reached=np.ones(len(steps), dtype=bool),
    )


@pytest.mark.parametrize("dimensions", [2, 3])
def test_is_about_the_spread_of_repeated_searches(dimensions):
    truth = Truth(dimensions=dimensions, batch_sizes=(4, 16, 64, 256))
    rng = np.random.default_rng(0)
    searches = [simulate_times(truth, rng=rng) for _ in range(200)]
    best = [[np.mean(study.interval_log2) for study in studies] for studies in searches]
    pooled = [search_noise(studies, rng=rng).pooled_log2 for studies in searches[:60]]
    # Inflated on purpose: an intervals' factor, not an unbiased estimate.
    ratio = np.sqrt(np.mean(np.square(pooled)) / np.var(best, axis=0).mean())
    assert 1.0 < ratio < 1.6


def test_correlations_follow_the_trials():
    rng = np.random.default_rng(0)
    steps = rng.permutation(np.arange(100, 164) * 10)
    other = rng.permutation(steps)
    noise = search_noise([_study(4, steps), _study(8, steps * 2), _study(512, other)], rng=rng)
    assert noise.correlation[0, 1] > 0.8
    assert noise.correlation[0, 2] < 0.3
    np.testing.assert_allclose(np.diag(noise.correlation), 1.0)


def test_correlation_is_positive_definite_when_some_studies_show_nothing():
    truth = Truth(budget_steps=600, trials=16)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        studies = simulate_times(truth, rng=rng)
        noise = search_noise(studies, rng=rng)
        assert np.linalg.eigvalsh(noise.correlation).min() > 0


def test_nothing_is_known_when_everything_stops_at_the_first():
    rng = np.random.default_rng(0)
    noise = search_noise(simulate_times(Truth(k=1), rng=rng), rng=rng)
    assert noise.pooled_log2 is None
    assert np.isnan(noise.std_log2).all()
    assert np.isnan(noise.study_std_log2()).all()


def test_a_study_that_shows_nothing_borrows_from_the_others():
    rng = np.random.default_rng(0)
    steps = np.arange(100, 132)
    noise = search_noise([_study(4, steps), _study(8, [70])], rng=rng)
    assert np.isnan(noise.std_log2[1])
    assert noise.study_std_log2()[1] == pytest.approx(noise.pooled_log2)


def test_no_studies():
    noise = search_noise([], rng=np.random.default_rng(0))
    assert noise.pooled_log2 is None
    assert noise.correlation.shape == (0, 0)
