"""What is said about one batch size."""

from collections.abc import Mapping

import numpy as np

from batchscope.analysis.best_of_n import optimism_log2
from batchscope.analysis.curve_findings import LEVEL, NORMAL_QUANTILE
from batchscope.analysis.edges import edge_warnings
from batchscope.analysis.findings import Estimate, StudyFindings, TrialPoint
from batchscope.analysis.studies import StudyTrials
from batchscope.analysis.study_times import StudyTimes
from batchscope.results.schema import Status
from batchscope.spec.sweep import Sweep

# A search that lost more than this, in octaves, by halving its trials has not settled: a quarter
# of an octave, 19 % more steps, is what the curve's points should be told apart by.
LARGEST_OPTIMISM_LOG2 = 0.25


def study_findings(
    sweep: Sweep, study: StudyTrials, *, std_log2: float | None, missing_trials: int
) -> StudyFindings:
    """Returns the findings of one study.

    Args:
        sweep: the sweep it belongs to.
        study: its trials.
        std_log2: standard error of its log2 steps over searches; None where pruning hides it.
        missing_trials: trials that should have been measured and were not.
    """
    best = study.times.best
    parameters = {} if best is None else dict(study.parameters[best])
    optimism = optimism_log2(study.feasible)
    reached_at = None if best is None else int(study.times.steps[best])
    return StudyFindings(
        batch_size=study.batch_size,
        steps_to_result=reached_at,
        steps_after=_steps_after(study),
        interval=study_interval(study.feasible, std_log2),
        examples_to_result=None if reached_at is None else reached_at * study.batch_size,
        budget_steps=study.times.budget_steps,
        trials_wanted=sweep.trials,
        counts={status.value: study.statuses.count(status) for status in Status},
        missing_trials=missing_trials,
        best_trial_id=None if best is None else int(study.trial_ids[best]),
        best_parameters=parameters,
        effective_learning_rate=_effective_learning_rate(parameters),
        optimism_log2=optimism,
        needs_more_trials=optimism is not None and optimism > LARGEST_OPTIMISM_LOG2,
        edges=edge_warnings(sweep.parameter_configs, parameters, batch_size=study.batch_size),
        trials=tuple(
            TrialPoint(
                trial_id=int(study.trial_ids[i]),
                status=study.statuses[i],
                steps=int(study.times.steps[i]),
                reached=bool(study.times.reached[i]),
                parameters=study.parameters[i],
            )
            for i in range(len(study.trial_ids))
        ),
    )


def study_interval(study: StudyTimes, std_log2: float | None) -> Estimate | None:
    """Returns the interval of a study's steps to result, as an estimate of what searches like this
    one reach on average (in log space).

    None for a study that never reached the goal, or where its standard error over searches,
    `std_log2` in octaves, is not known.
    """
    if study.best is None or std_log2 is None:
        return None
    low, high = study.interval_log2
    middle = (low + high) / 2
    reach = NORMAL_QUANTILE * float(np.hypot(std_log2, (high - low) / np.sqrt(12)))
    value = float(study.steps[study.best])
    return Estimate(
        value=value,
        low=float(2.0 ** (middle - reach)),
        high=max(float(2.0 ** (middle + reach)), value),
        level=LEVEL,
    )


def _steps_after(study: StudyTrials) -> int:
    """Returns the evaluation before the crossing, or where a study that never did is censored."""
    best = study.times.best
    if best is not None:
        return int(study.times.after[best])
    seen = study.feasible.steps
    return min(int(seen.max()), study.times.budget_steps) if len(seen) else 0


def _effective_learning_rate(parameters: Mapping[str, float]) -> float | None:
    """Returns learning_rate / (1 - momentum); None without a learning rate or for momentum >= 1."""
    rate = parameters.get("learning_rate")
    momentum = parameters.get("momentum", 0.0)
    if rate is None or momentum >= 1.0:
        return None
    return rate / (1.0 - momentum)
