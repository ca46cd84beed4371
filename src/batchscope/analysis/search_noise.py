"""How much the best of n trials would move if the search were repeated.

The ordinary bootstrap of a minimum is inconsistent (63 % of its resamples repeat the minimum).
Half-samples are not: the best of a random half of the trials varies about as much as the best of
n does from search to search (for log steps that spread like the nearest of n points in d
dimensions, the ratio of variances is 0.8, 1.1 and 1.2 for d = 2, 3 and 4), and it needs the first
few order statistics only, which pruning at the k-th keeps exact: all of them are missing from a
half-sample with probability 2^-k.

The same trials are drawn at every batch size, since trial i has the same metaparameters
everywhere, so the half-samples also show how the errors of the studies move together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from batchscope.analysis.study_times import Floats, StudyTimes

_REPLICATES = 512
# Fewer known order statistics than this say nothing about the spread of the best.
_FEWEST_KNOWN = 3
# Weight of the correlations seen in the half-samples against the smooth ones: those seen belong to
# the few fastest trials of this one search.
_SEEN = 0.5
# The half-samples know one search only, and an unlucky one, whose fastest trial is slow for its
# rank, shows too little spread. On simulated sweeps intervals need this factor to cover 90 %.
_INFLATION = 1.3
# Octaves over which errors stay correlated, where nothing tells (prune = "min", single studies).
_DEFAULT_RANGE_OCTAVES = 2.0


@dataclass(frozen=True)
class SearchNoise:
    """The error of each study's log2 steps, seen as an estimate of its mean over searches.

    Attributes:
        std_log2: shape (studies,), of each study on its own; NaN where pruning hides it.
        pooled_log2: one value for all studies (root mean square); None if no study shows it.
        correlation: shape (studies, studies), positive definite: it falls off exponentially with
            the octaves between two batch sizes, at the rate the half-samples show.
    """

    std_log2: Floats
    pooled_log2: float | None
    correlation: Floats

    def study_std_log2(self) -> Floats:
        """Returns a standard error per study, its own shrunk towards all, shape (studies,).

        NaN where nothing is known. One study's own is worth about three degrees of freedom.
        """
        if self.pooled_log2 is None:
            return self.std_log2
        own = np.where(np.isnan(self.std_log2), self.pooled_log2, self.std_log2)
        return np.sqrt((own**2 + 2 * self.pooled_log2**2) / 3)


def search_noise(studies: Sequence[StudyTimes], *, rng: np.random.Generator) -> SearchNoise:
    """Estimates the noise of the best trial of every study by joint half-samples of the trials."""
    best = _half_sample_bests(studies, rng=rng)
    known = ~np.isnan(best).any(axis=0)
    std = np.where(known, _INFLATION * best.std(axis=0), np.nan)
    octaves = np.log2([study.batch_size for study in studies])
    lags = np.abs(octaves[:, None] - octaves[None, :])
    pooled = float(np.sqrt(np.mean(std[known] ** 2))) if known.any() else None
    reach = _correlation_range(best[:, known], lags[np.ix_(known, known)])
    smooth = np.exp(-lags / reach)
    # Studies without half-samples keep the smooth correlations among themselves; a matrix with
    # only a block replaced need not stay positive definite.
    drawn = np.where(np.outer(known, known), 0.0, smooth * np.outer(~known, ~known))
    if known.any():
        drawn[np.ix_(known, known)] = np.corrcoef(best[:, known].T).reshape(known.sum(), -1)
    correlation = (1 - _SEEN) * smooth + _SEEN * drawn
    return SearchNoise(std, pooled, correlation)


def _half_sample_bests(studies: Sequence[StudyTimes], *, rng: np.random.Generator) -> Floats:
    """Returns log2 steps of the best of each random half, shape (replicates, studies)."""
    highest = max((int(s.trial_ids.max()) for s in studies if len(s.trial_ids)), default=0)
    kept = rng.random((_REPLICATES, highest + 1)) < 0.5
    best = np.full((_REPLICATES, len(studies)), np.nan)
    for column, study in enumerate(studies):
        positions, steps, known = study.order_statistics()
        # Ties at one evaluation are no spread: the grid hides it.
        if known < _FEWEST_KNOWN or steps[known - 1] == steps[0]:
            continue
        drawn = kept[:, study.trial_ids[positions[:known]]]
        first = np.where(drawn.any(axis=1), drawn.argmax(axis=1), known - 1)
        best[:, column] = np.log2(steps[first])
    return best


def _correlation_range(best: Floats, lags: Floats) -> float:
    """Fits exp(-lag / range) to the correlations of the half-samples; returns the range."""
    pairs = np.triu_indices(len(lags), k=1)
    covariance = np.atleast_2d(np.cov(best, rowvar=False)) if best.size else np.zeros((0, 0))
    variance = np.diag(covariance)
    scale = np.sqrt(variance[pairs[0]] * variance[pairs[1]])
    if not np.any(scale > 0):
        return _DEFAULT_RANGE_OCTAVES
    ranges = np.geomspace(0.05, 32.0, 64)
    fitted = np.exp(-lags[pairs][None, :] / ranges[:, None])
    # Close pairs decide the fit; far ones are many and say little about the range.
    misfit = np.sum((fitted * scale - covariance[pairs]) ** 2 / lags[pairs], axis=1)
    return float(ranges[int(np.argmin(misfit))])
