"""What the studies of a sweep say about the curve, as draws from a posterior.

**What is estimated.** Repeat the search with other sequences of n trials: log2 of the steps to
result at batch size B has a mean over searches, and the curve is the curve of these means. A
factor that the search costs at every batch size alike belongs to S_min and E_min and leaves B_c,
g, B_ps and B_max alone.

**Model.** Study j crossed the goal between two evaluations, with log2 midpoint y_j and width w_j:

    y = f(theta) + e,    e ~ Normal(0, tau^2 R + diag(w^2 / 12)),    theta = (S_min, B_c, g)

R and the prior of tau come from half-samples of the trials (`search_noise`); the residuals of the
fit then move tau to where the curve, too, is seen to misfit. A study that never reached the goal
within its budget c contributes P(y > c), given the errors of the studies that did.

**Priors.** log g normal around log 2 with standard deviation 0.7; log2 B_c normal, centred on the
measured batch sizes, with a standard deviation of their whole range plus two octaves; log S_min
flat; tau^2 scaled inverse chi-squared.

**Computation.** On a grid of (B_c, g, tau), S_min integrated in closed form (with censored
studies: by quadrature), closing in twice on the part that matters; then draws from the cells,
spread within them. Nothing iterates, so nothing can fail to converge.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from batchscope.analysis.curve import shape_log2
from batchscope.analysis.normal_tail import log_survival
from batchscope.analysis.search_noise import SearchNoise
from batchscope.analysis.study_times import Floats, StudyTimes

_LOG_SHARPNESS = (np.log(2.0), 0.7)
_SHARPNESS_RANGE = (0.25, 16.0)
# Degrees of freedom and, where pruning hides the spread of the trials, the typical value in
# octaves of tau's prior. One study's half-sample variance is worth about three degrees of freedom
# (relative standard deviation 0.8), and those of neighbouring studies move together.
_KNOWN_FREEDOM = 6.0
_UNKNOWN_FREEDOM, _UNKNOWN_TAU_LOG2 = 2.0, 0.2
# No search is as exact as this, in octaves; it keeps a noiseless sweep finite.
_SMALLEST_TAU_LOG2 = 0.01
_COARSE = (60, 16, 6)
_FINE = (40, 24, 10)
# Standard deviations around S_min's mean; a budget that was missed can only move it up.
_NODES = np.linspace(-3.5, 6.0, 13)


@dataclass(frozen=True)
class CurveDraws:
    """Equally likely curves, each array of shape (draws,).

    Attributes:
        log2_minimum_steps, log2_critical_batch_size: log2 of S_min and B_c.
        sharpness: g.
        tau_log2: standard deviation, in octaves, of a study around the curve.
    """

    log2_minimum_steps: Floats
    log2_critical_batch_size: Floats
    sharpness: Floats
    tau_log2: Floats

    def log2_steps(self, batch_sizes: Sequence[float] | Floats) -> Floats:
        """Returns log2 S(B) of every draw, shape (draws, batch sizes)."""
        octaves = np.log2(np.asarray(batch_sizes, dtype=np.float64))
        above = octaves[None, :] - self.log2_critical_batch_size[:, None]
        shape = shape_log2(above, sharpness=self.sharpness[:, None])
        return self.log2_minimum_steps[:, None] + shape


@dataclass(frozen=True)
class _Data:
    """The studies as the likelihood wants them; all in log2."""

    octaves: Floats  # of the reached studies
    middle: Floats
    width: Floats
    correlation: Floats
    censored_octaves: Floats
    censored_at: Floats
    cross_correlation: Floats  # (censored, reached)
    tau_scale: float
    tau_freedom: float

    @property
    def centre(self) -> float:
        every = np.concatenate([self.octaves, self.censored_octaves])
        return float(every.min() + every.max()) / 2

    @property
    def spread(self) -> float:
        every = np.concatenate([self.octaves, self.censored_octaves])
        return float(np.ptp(every)) + 2.0


def draw_curves(
    studies: Sequence[StudyTimes],
    noise: SearchNoise,
    *,
    rng: np.random.Generator,
    draws: int = 4000,
) -> CurveDraws:
    """Returns draws from the posterior of the curve given the studies of one sweep.

    At least one study must have reached the goal (ValueError otherwise); below four the result is
    little more than the prior.
    """
    data = _prepare(studies, noise)
    reach = 2.0 * data.spread
    log_tau = np.log(data.tau_scale)
    box: tuple[tuple[float, float], ...] = (
        (data.centre - reach, data.centre + reach),
        (np.log(_SHARPNESS_RANGE[0]), np.log(_SHARPNESS_RANGE[1])),
        (log_tau - 2.0, max(log_tau, np.log(_residual_scale(data))) + 1.5),
    )
    for _ in range(2):
        axes = [_centres(low, high, n) for (low, high), n in zip(box, _COARSE, strict=True)]
        box = _part_that_matters(_weights(data, *axes)[0], axes)
    axes = [_centres(low, high, n) for (low, high), n in zip(box, _FINE, strict=True)]
    weights, means, stds = _weights(data, *axes)
    return _sample(weights, means, stds, axes, rng=rng, draws=draws)


def _prepare(studies: Sequence[StudyTimes], noise: SearchNoise) -> _Data:
    reached = [i for i, s in enumerate(studies) if s.best is not None]
    if not reached:
        raise ValueError("no study reached the goal")
    # A study without a single feasible trial says nothing about steps.
    censored = [i for i, s in enumerate(studies) if s.best is None and len(s.steps)]
    octaves = np.log2([float(s.batch_size) for s in studies])
    intervals = np.array([studies[i].interval_log2 for i in reached])
    known = noise.pooled_log2 is not None
    return _Data(
        octaves=octaves[reached],
        middle=intervals.mean(axis=1),
        width=np.ptp(intervals, axis=1),
        correlation=noise.correlation[np.ix_(reached, reached)],
        censored_octaves=octaves[censored],
        censored_at=np.log2([float(studies[i].steps.max()) for i in censored]),
        cross_correlation=noise.correlation[np.ix_(censored, reached)],
        tau_scale=max(
            _UNKNOWN_TAU_LOG2 if noise.pooled_log2 is None else noise.pooled_log2,
            _SMALLEST_TAU_LOG2,
        ),
        tau_freedom=_KNOWN_FREEDOM if known else _UNKNOWN_FREEDOM,
    )


def _residual_scale(data: _Data) -> float:
    """Returns the scatter of the studies around a parabola: an upper end for tau, in octaves."""
    order = min(2, len(data.octaves) - 1)
    x = data.octaves - data.octaves.mean()
    design = x[:, None] ** np.arange(order + 1)
    fit = design @ np.linalg.lstsq(design, data.middle, rcond=None)[0]
    return max(float(np.std(data.middle - fit)), data.tau_scale)


def _centres(low: float, high: float, cells: int) -> Floats:
    edges = np.linspace(low, high, cells + 1)
    return (edges[1:] + edges[:-1]) / 2


def _weights(
    data: _Data, log2_bc: Floats, log_g: Floats, log_tau: Floats
) -> tuple[Floats, Floats, Floats]:
    """Returns posterior weights of the cells and the distribution of log2 S_min in each.

    Returns:
        (weights, mean, std): weights of shape (B_c, g, tau, nodes), summing to 1; log2 S_min in
        a cell is normal with `mean` and `std`, both broadcastable to that shape. Without censored
        studies there is one node.
    """
    above = data.octaves[None, None, :] - log2_bc[:, None, None]
    sharpness = np.exp(log_g)[None, :, None]
    offset = data.middle - shape_log2(above, sharpness=sharpness)
    prior = (
        -0.5 * ((log2_bc[:, None] - data.centre) / data.spread) ** 2
        - 0.5 * ((log_g[None, :] - _LOG_SHARPNESS[0]) / _LOG_SHARPNESS[1]) ** 2
    )
    nodes = _NODES if len(data.censored_octaves) else np.zeros(1)
    shape = (len(log2_bc), len(log_g), len(log_tau), len(nodes))
    log_weights, means, stds = np.empty(shape), np.empty(shape), np.empty(shape)
    spacing = nodes[1] - nodes[0] if len(nodes) > 1 else 0.0
    for i, tau in enumerate(np.exp(log_tau)):
        covariance = tau**2 * data.correlation + np.diag(data.width**2 / 12 + 1e-12)
        precision = np.linalg.inv(covariance)
        ones = precision.sum(axis=1)
        total = float(ones.sum())
        projected = precision - np.outer(ones, ones) / total
        squares = np.sum((offset @ projected) * offset, axis=-1)
        log_determinant = float(np.linalg.slogdet(covariance)[1])
        freedom = data.tau_freedom
        log_prior_tau = -freedom * np.log(tau) - freedom * data.tau_scale**2 / (2 * tau**2)
        likelihood = -0.5 * (squares + log_determinant + np.log(total)) + prior + log_prior_tau
        mean = offset @ (ones / total)
        std = total**-0.5
        s_min = mean[..., None] + std * nodes
        log_weights[:, :, i] = likelihood[..., None] - 0.5 * nodes**2
        means[:, :, i] = s_min
        stds[:, :, i] = std if len(nodes) == 1 else std * spacing / np.sqrt(12)
        if len(nodes) > 1:
            log_weights[:, :, i] += _log_censored(
                data,
                tau=tau,
                precision=precision,
                offset=offset,
                s_min=s_min,
                log2_bc=log2_bc,
                sharpness=sharpness,
            )
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum(), means, stds


def _log_censored(
    data: _Data,
    *,
    tau: float,
    precision: Floats,
    offset: Floats,
    s_min: Floats,
    log2_bc: Floats,
    sharpness: Floats,
) -> Floats:
    """Returns log P(censored studies need more than their budget | the others), as `s_min`.

    Given the reached studies the errors of the censored ones are taken as independent.
    """
    gain = tau**2 * data.cross_correlation @ precision
    total = np.zeros(s_min.shape)
    for j, (octaves, limit) in enumerate(zip(data.censored_octaves, data.censored_at, strict=True)):
        shared = tau**2 * float(gain[j] @ data.cross_correlation[j])
        std = np.sqrt(max(tau**2 - shared, 1e-4 * tau**2))
        curve = shape_log2(octaves - log2_bc[:, None], sharpness=sharpness[..., 0])
        error = (offset @ gain[j])[..., None] - s_min * float(gain[j].sum())
        total += log_survival((limit - s_min - curve[..., None] - error) / std)
    return total


def _part_that_matters(weights: Floats, axes: Sequence[Floats]) -> tuple[tuple[float, float], ...]:
    """Returns per axis the range of cells outside of which less than 1e-5 of the weight lies."""
    box = []
    for dimension, centres in enumerate(axes):
        others = tuple(d for d in range(weights.ndim) if d != dimension)
        mass = np.cumsum(weights.sum(axis=others))
        first = int(np.searchsorted(mass, 1e-5))
        last = min(int(np.searchsorted(mass, 1 - 1e-5)), len(centres) - 1)
        cell = centres[1] - centres[0]
        # One more cell each side, within the box: a narrow posterior may sit between centres.
        low = max(centres[first] - 1.5 * cell, centres[0] - cell / 2)
        high = min(centres[last] + 1.5 * cell, centres[-1] + cell / 2)
        box.append((float(low), float(high)))
    return tuple(box)


def _sample(
    weights: Floats,
    means: Floats,
    stds: Floats,
    axes: Sequence[Floats],
    *,
    rng: np.random.Generator,
    draws: int,
) -> CurveDraws:
    """Draws cells by weight, systematically, and points uniformly within them."""
    cumulative = np.cumsum(weights.ravel())
    positions = (np.arange(draws) + rng.random()) / draws * cumulative[-1]
    flat = np.searchsorted(cumulative, positions, side="right")
    # Shuffled, so that the draws of two sweeps can be paired at random.
    flat = rng.permutation(np.minimum(flat, weights.size - 1))
    cells = np.unravel_index(flat, weights.shape)
    within = [
        centres[cell] + (centres[1] - centres[0]) * (rng.random(draws) - 0.5)
        for centres, cell in zip(axes, cells[:3], strict=True)
    ]
    s_min = means.ravel()[flat] + stds.ravel()[flat] * rng.standard_normal(draws)
    return CurveDraws(
        log2_minimum_steps=s_min,
        log2_critical_batch_size=within[0],
        sharpness=np.exp(within[1]),
        tau_log2=np.exp(within[2]),
    )
