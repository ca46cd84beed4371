"""What the best of fewer trials would have been, exactly, from the sorted times of n trials.

Of the C(n, m) sets of m among n trials, C(n-i, m-1) have the i-th fastest as their best, so

    E[best of m] = sum_i T_(i) C(n-i, m-1) / C(n, m)

averages over all of them. For m = n/2 the weights fall like 2^-i: the first few order statistics
are all it needs, and pruning at the k-th keeps those exact.
"""

import math

import numpy as np

from batchscope.analysis.study_times import Floats, StudyTimes

# Weight that may lie on trials whose time pruning hid. They enter with the last time known, so
# the result is low by at most this weight times the spread of the times: with k = 8 about 0.4 %
# of it.
LARGEST_MISSING_WEIGHT = 0.02


def best_of_weights(*, n: int, m: int) -> Floats:
    """Returns the probability that the i-th fastest of n trials is the best of m, shape (n,).

    Binomials are taken in log space, so large n neither overflow nor lose precision.
    Raises ValueError unless 1 <= m <= n.
    """
    if not 1 <= m <= n:
        raise ValueError(f"cannot draw {m} of {n} trials: expected between 1 and {n}")
    lgamma = math.lgamma
    log_all = lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1)
    weights = np.zeros(n)
    for i in range(1, n - m + 2):
        log_sets = lgamma(n - i + 1) - lgamma(m) - lgamma(n - i - m + 2)
        weights[i - 1] = math.exp(log_sets - log_all)
    return weights


def expected_best_of(study: StudyTimes, *, m: int) -> float | None:
    """Returns E[best of m] in steps, over all sets of m of the study's feasible trials.

    None where the order statistics that decide it are not known: more than
    `LARGEST_MISSING_WEIGHT` of the weight falls on trials that were pruned, that never reached the
    goal, or that are too few.
    """
    n = len(study.steps)
    if not 1 <= m <= n:
        return None
    _, steps, known = study.order_statistics()
    if known == 0:
        return None
    weights = best_of_weights(n=n, m=m)
    missing = float(weights[known:].sum())
    if missing > LARGEST_MISSING_WEIGHT:
        return None
    return float(weights[:known] @ steps[:known]) + missing * float(steps[known - 1])


def optimism_log2(study: StudyTimes) -> float | None:
    """Returns log2(E[best of n/2] / best of n): octaves that the second half of the trials gained.

    None where `expected_best_of` is, and with fewer than two trials.
    """
    half = expected_best_of(study, m=len(study.steps) // 2)
    best = study.best
    if half is None or best is None:
        return None
    return float(np.log2(half / study.steps[best]))
