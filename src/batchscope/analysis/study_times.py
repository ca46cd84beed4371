"""When the trials of one study reached the goal: the values every estimate starts from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class StudyTimes:
    """The feasible trials of one study, each with the steps at which it reached the goal.

    Infeasible trials are not among them: a search draws until it holds the wanted number of
    feasible ones, so the feasible trials are the population that "best of n" is about.

    Attributes:
        batch_size: in examples.
        budget_steps: what a trial may use; a study that never reached the goal is right-censored
            here.
        trial_ids: shape (trials,), ascending.
        steps: shape (trials,), the goal step where `reached`, else the step at which the trial
            was last seen without the goal.
        after: shape (trials,), the evaluation before the goal step (0 if there was none).
        reached: shape (trials,).
    """

    batch_size: int
    budget_steps: int
    trial_ids: Ints
    steps: Ints
    after: Ints
    reached: Bools

    @property
    def best(self) -> int | None:
        """The position of the winning trial: fewest steps, ties to the lower id; None if none."""
        if not self.reached.any():
            return None
        candidates = np.flatnonzero(self.reached)
        order = np.lexsort((self.trial_ids[candidates], self.steps[candidates]))
        return int(candidates[order[0]])

    @property
    def interval_log2(self) -> tuple[float, float]:
        """The log2 steps between which the best trial crossed the goal.

        A crossing before the first evaluation is placed within one octave of it. Raises
        ValueError for a study that never reached the goal.
        """
        best = self.best
        if best is None:
            raise ValueError(f"the study at batch size {self.batch_size} never reached the goal")
        high = float(np.log2(self.steps[best]))
        after = float(self.after[best])
        return max(float(np.log2(after)), high - 1.0) if after > 0 else high - 1.0, high

    def order_statistics(self) -> tuple[Ints, Ints, int]:
        """Sorts the trials by their steps as far as censoring lets their order be known.

        Returns:
            (positions, steps, known): positions of the trials that reached the goal, fastest
            first (ties by trial id), their steps, and how many of them are exact order
            statistics: a trial censored before that step could have been faster.
        """
        positions = np.flatnonzero(self.reached)
        positions = positions[np.lexsort((self.trial_ids[positions], self.steps[positions]))]
        steps = self.steps[positions]
        censored = self.steps[~self.reached]
        known = len(steps) if len(censored) == 0 else int(np.sum(steps <= censored.min()))
        return positions, steps, known
