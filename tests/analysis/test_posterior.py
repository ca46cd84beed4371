"""The posterior of the curve, against an independent computation and in its limits."""

import numpy as np
import pytest
from scipy.stats import norm

from batchscope.analysis.posterior import draw_curves
from batchscope.analysis.search_noise import SearchNoise
from batchscope.analysis.study_times import StudyTimes

OCTAVES = np.arange(2, 12)


def _study(batch_size, *, steps, after, reached=True):
    return StudyTimes(
        batch_size=int(batch_size),
        budget_steps=10**7,
        trial_ids=np.array([0]),
        steps=np.array([steps]),
        after=np.array([after if reached else 0]),
        reached=np.array([reached]),
    )


def _independent(studies, *, std):
    return SearchNoise(np.full(len(studies), std), std, np.eye(len(studies)))


def _exact_studies(*, log2_critical, sharpness, log2_minimum):
    studies = []
    for octave in OCTAVES:
        ratio = 2.0 ** (log2_critical - octave)
        steps = 2.0**log2_minimum * (1 + ratio**sharpness) ** (1 / sharpness)
        studies.append(_study(2**octave, steps=round(steps), after=round(steps) - 1))
    return studies


@pytest.mark.parametrize("log2_critical", [4.0, 6.3, 8.0])
@pytest.mark.parametrize("sharpness", [1.0, 2.0, 4.0])
def test_noiseless_studies_give_the_curve_back(log2_critical, sharpness):
    studies = _exact_studies(log2_critical=log2_critical, sharpness=sharpness, log2_minimum=17.0)
    rng = np.random.default_rng(0)
    draws = draw_curves(studies, _independent(studies, std=0.0), rng=rng)
    assert np.median(draws.log2_critical_batch_size) == pytest.approx(log2_critical, abs=0.03)
    assert np.median(draws.log2_minimum_steps) == pytest.approx(17.0, abs=0.01)
    assert np.median(np.log2(draws.sharpness)) == pytest.approx(np.log2(sharpness), abs=0.05)


def _importance_sample(octaves, middle, width, *, std, censored, rng, count=600_000):
    """The same model by brute force: draws from the prior, weighted by the likelihood."""
    centre = (min(octaves.min(), *censored) + max(octaves.max(), *censored)) / 2
    spread = np.ptp(np.concatenate([octaves, list(censored)])) + 2
    critical = centre + spread * rng.normal(size=count)
    log_g = np.log(2.0) + 0.7 * rng.normal(size=count)
    tau = std * np.sqrt(6 / rng.chisquare(6, size=count))
    s_min = rng.uniform(middle.min() - 3, middle.min() + 2, size=count)

    def curve(octave):
        g = np.exp(log_g)
        return s_min + np.logaddexp2(0, g * (critical - octave)) / g

    log_weight = np.zeros(count)
    for x, y, w in zip(octaves, middle, width, strict=True):
        log_weight += norm.logpdf(y, curve(x), np.sqrt(tau**2 + w**2 / 12))
    for x, limit in censored.items():
        log_weight += norm.logsf(limit, curve(x), tau)
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum(), critical, log_g, s_min


@pytest.mark.parametrize("censored", [False, True])
def test_agrees_with_brute_force_importance_sampling(censored):
    rng = np.random.default_rng(3)
    octaves = np.array([2, 4, 6, 8, 10])
    steps = np.array([4000, 1200, 330, 190, 170])
    after = np.array([3800, 1150, 310, 180, 160])
    studies = [
        _study(2**o, steps=s, after=a) for o, s, a in zip(octaves, steps, after, strict=True)
    ]
    limits = {}
    if censored:
        # The smallest batch size missed a budget that excludes half of what the others predict.
        limits = {1: np.log2(8500.0)}
        studies.insert(0, _study(2, steps=8500, after=0, reached=False))
    std = 0.3
    draws = draw_curves(studies, _independent(studies, std=std), rng=rng, draws=40_000)
    low, high = np.log2(after), np.log2(steps)
    weight, critical, log_g, s_min = _importance_sample(
        octaves, (low + high) / 2, high - low, std=std, censored=limits or {2: -99.0}, rng=rng
    )
    for found, expected in (
        (draws.log2_critical_batch_size, critical),
        (np.log(draws.sharpness), log_g),
        (draws.log2_minimum_steps, s_min),
    ):
        mean = weight @ expected
        sd = np.sqrt(weight @ (expected - mean) ** 2)
        assert found.mean() == pytest.approx(mean, abs=0.1 * sd)
        assert found.std() == pytest.approx(sd, rel=0.1)


def test_a_study_that_missed_its_budget_is_not_dropped():
    studies = _exact_studies(log2_critical=6.0, sharpness=2.0, log2_minimum=7.0)
    noise = _independent(studies, std=0.2)
    # Batch size 4 would have needed 2,048 steps; it had no luck up to 16,384.
    missed = [_study(4, steps=16_384, after=0, reached=False), *studies[1:]]
    with_it = draw_curves(missed, noise, rng=np.random.default_rng(0))
    without = draw_curves(studies[1:], _independent(studies[1:], std=0.2),
                          rng=np.random.default_rng(0))  # fmt: skip
    at_four = with_it.log2_steps([4.0]).mean() - without.log2_steps([4.0]).mean()
    assert at_four > 0.2


def test_errors_shared_by_all_studies_move_the_level_and_not_the_bend():
    studies = _exact_studies(log2_critical=6.0, sharpness=2.0, log2_minimum=10.0)
    size = len(studies)
    shared = SearchNoise(
        np.full(size, 0.3), 0.3, 0.999 * np.ones((size, size)) + 0.001 * np.eye(size)
    )
    apart = _independent(studies, std=0.3)
    rng = np.random.default_rng(0)
    common, independent = (draw_curves(studies, n, rng=rng) for n in (shared, apart))
    assert common.log2_critical_batch_size.std() < 0.3 * independent.log2_critical_batch_size.std()
    assert common.log2_minimum_steps.std() > independent.log2_minimum_steps.std()


def test_scatter_widens_the_curve_beyond_what_the_search_explains():
    smooth = _exact_studies(log2_critical=6.0, sharpness=2.0, log2_minimum=10.0)
    rough = [
        _study(s.batch_size, steps=int(s.steps[0] * f), after=int(s.steps[0] * f) - 1)
        for s, f in zip(smooth, np.tile([0.6, 1.6], 5), strict=True)
    ]
    widths = [
        draw_curves(studies, _independent(studies, std=0.05), rng=np.random.default_rng(0))
        .log2_critical_batch_size.std()
        for studies in (smooth, rough)
    ]  # fmt: skip
    assert widths[1] > 2 * widths[0]


def test_a_sweep_that_never_reached_the_goal_has_no_curve():
    studies = [_study(4, steps=100, after=0, reached=False)]
    with pytest.raises(ValueError, match="no study reached"):
        draw_curves(studies, _independent(studies, std=0.1), rng=np.random.default_rng(0))
