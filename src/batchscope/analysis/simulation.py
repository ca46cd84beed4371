"""Simulated sweeps whose true curve is known: what the intervals are tested against.

The steps of trial i at batch size B are

    T_i(B) = S(B) * exp(roughness * distance(u_i, optimum(B))^power) * noise

with u_i the trial's point in the unit cube, the same at every batch size, and an optimum whose
first coordinate (think of the learning rate) grows with the batch size up to the critical batch
size. Trials too far above the optimum in that coordinate diverge. The best of n trials is then
S(B) times a factor that varies from search to search, correlated between neighbouring batch
sizes, as in a real sweep.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from batchscope.analysis.study_times import Bools, Floats, Ints, StudyTimes


@dataclass(frozen=True)
class Truth:
    """A sweep to simulate.

    Attributes:
        critical_batch_size, sharpness, minimum_steps: B_c, g and S_min of S(B).
        batch_sizes: in examples, ascending.
        trials: feasible trials per batch size.
        k: trials are pruned once k have reached the goal; 0 prunes none, 1 is prune = "min".
        dimensions: of the metaparameter space.
        power: 1 for a cone around the optimum, 2 for a bowl.
        roughness: how fast steps grow with the distance from the optimum.
        drift: how far the optimum moves, as a fraction of the range.
        noise: standard deviation of each trial's own log steps.
        budget_steps: per trial; None never censors.
        budget_examples: per trial; None never censors.
    """

    critical_batch_size: float = 64.0
    sharpness: float = 2.0
    minimum_steps: float = 100.0
    batch_sizes: tuple[int, ...] = tuple(2**e for e in range(2, 12))
    trials: int = 64
    k: int = 8
    dimensions: int = 2
    power: float = 1.0
    roughness: float = 3.0
    drift: float = 0.4
    noise: float = 0.0
    budget_steps: int | None = None
    budget_examples: int | None = None

    def steps(self, batch_size: float) -> float:
        """Returns S(B)."""
        g = self.sharpness
        ratio = self.critical_batch_size / batch_size
        return float(self.minimum_steps * (1 + ratio**g) ** (1 / g))

    def budget_at(self, batch_size: int) -> int:
        """Returns the most steps a trial may take."""
        limits = [10**9]
        if self.budget_steps is not None:
            limits.append(self.budget_steps)
        if self.budget_examples is not None:
            limits.append(max(1, self.budget_examples // batch_size))
        return min(limits)


def evaluation_grid(*, batch_size: int, last_step: int) -> Ints:
    """Returns the evaluated steps up to and including `last_step`, shape (evaluations,)."""
    steps = []
    step = 0
    while step < last_step:
        step += max(1, round(max(512 / batch_size, 0.02 * step)))
        steps.append(min(step, last_step))
    return np.asarray(steps, dtype=np.int64)


def _optimum(truth: Truth, batch_size: int) -> Floats:
    """Returns the best point of the unit cube at `batch_size`, shape (dimensions,)."""
    smallest = np.log2(truth.batch_sizes[0])
    reach = max(np.log2(truth.critical_batch_size) + 1 - smallest, 1.0)
    moved = min(1.0, float(np.log2(batch_size) - smallest) / reach)
    point = np.full(truth.dimensions, 0.5)
    point[0] = 0.25 + truth.drift * moved
    if truth.dimensions > 1:
        point[1] = 0.45 + 0.15 * moved
    return point


def _log_excess(truth: Truth, batch_size: int, points: Floats) -> tuple[Floats, Bools]:
    """Returns (log of steps over S(B), feasible) of the trials at `points`, shape (trials, d)."""
    # On a torus, so that no optimum is nearer to an edge than another: the search then costs the
    # same factor at every batch size, on average, and the true curve is known exactly.
    offset = (points - _optimum(truth, batch_size) + 0.5) % 1.0 - 0.5
    distance = np.sqrt(np.sum(offset**2, axis=1))
    return truth.roughness * distance**truth.power, offset[:, 0] < 0.35


def simulate_times(truth: Truth, *, rng: np.random.Generator) -> tuple[StudyTimes, ...]:
    """Draws one search sequence and returns what each study of the sweep would measure."""
    count = 3 * truth.trials
    points = rng.uniform(size=(count, truth.dimensions))
    studies = []
    for batch_size in truth.batch_sizes:
        excess, feasible = _log_excess(truth, batch_size, points)
        excess = excess + truth.noise * rng.normal(size=count)
        ids = np.flatnonzero(feasible)[: truth.trials]
        crossing = truth.steps(batch_size) * np.exp(excess[ids])
        studies.append(_observe(truth, batch_size=batch_size, ids=ids, crossing=crossing))
    return tuple(studies)


def _observe(truth: Truth, *, batch_size: int, ids: Ints, crossing: Floats) -> StudyTimes:
    """Evaluates, prunes and censors trials that cross the goal at the real steps `crossing`."""
    budget = truth.budget_at(batch_size)
    last = min(budget, int(2 * crossing.max()) + 512)
    grid = evaluation_grid(batch_size=batch_size, last_step=last)
    index = np.searchsorted(grid, crossing)
    reached = index < len(grid)
    stop = grid[-1] if last < budget else budget
    if truth.k and np.sum(reached) >= truth.k:
        stop = grid[np.sort(index[reached])[truth.k - 1]]
    goal = grid[np.minimum(index, len(grid) - 1)]
    reached &= goal <= stop
    before = np.where(index > 0, grid[np.maximum(index, 1) - 1], 0)
    return StudyTimes(
        batch_size=batch_size,
        budget_steps=budget,
        trial_ids=ids.astype(np.int64),
        steps=np.where(reached, goal, stop).astype(np.int64),
        after=np.where(reached, before, 0).astype(np.int64),
        reached=reached,
    )


def expected_log2_excess(
    truth: Truth, *, rng: np.random.Generator, searches: int = 400
) -> Sequence[float]:
    """Returns E[log2 of (best of n) / S(B)] per batch size, by Monte Carlo over searches.

    This is what the search adds on average to the curve; where it is the same at every batch
    size it moves S_min and E_min and leaves B_c, g, B_ps and B_max alone.
    """
    total = np.zeros(len(truth.batch_sizes))
    count = 3 * truth.trials
    for _ in range(searches):
        points = rng.uniform(size=(count, truth.dimensions))
        for i, batch_size in enumerate(truth.batch_sizes):
            excess, feasible = _log_excess(truth, batch_size, points)
            excess = excess + truth.noise * rng.normal(size=count)
            total[i] += excess[np.flatnonzero(feasible)[: truth.trials]].min()
    return [float(x) for x in total / searches / np.log(2)]
