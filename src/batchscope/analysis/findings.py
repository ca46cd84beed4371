"""What a measurement says: the values that reports show and `curve.json` holds.

Batch sizes are in examples, steps in training steps. Nothing here is NaN or infinite: a number
that is not known is None.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Attributes:
        value: the point estimate; None where only a bound is known.
        low, high: ends of the interval; None where that side is not bounded by the data.
        level: the coverage the interval is built for.
        bound: "=" or, where the measured batch sizes do not reach far enough, ">=" or "<=": then
            `value` is that bound.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float = 0.9
    bound: str = "="


@dataclass(frozen=True)
class EdgeWarning:
    """The best trial lies near an edge of the search space."""

    batch_size: int
    parameter: str
    value: float
    side: str  # "min" or "max"
    limit: float


@dataclass(frozen=True)
class TrialPoint:
    """One trial of a study, for plots: when it reached the goal or was last seen without."""

    trial_id: int
    status: str
    steps: int  # the goal step if `reached`, else the steps trained
    reached: bool
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class StudyFindings:
    """One batch size.

    Attributes:
        steps_to_result: fewest steps at which a trial passed the goal; None if none did.
        steps_after: the evaluation before it: the goal was crossed in
            (steps_after, steps_to_result]; for a study that never reached the goal, the budget it
            is right-censored at.
        interval: of the steps to result, from half-samples of the trials (`search_noise`).
        trials_wanted: feasible trials the sweep asks for.
        counts: trials by status, all four names present.
        missing_trials: trials that should have been measured and were not (failed or unfinished
            packs); where > 0 the minimum is provisional.
        best_parameters: metaparameters of the winning trial.
        effective_learning_rate: learning_rate / (1 - momentum) of the winning trial, or None.
        optimism_log2: log2(expected best of n/2 trials / best of n), a measure of how much more
            trials would still help; None where pruning hides it.
        needs_more_trials: whether that optimism is large enough to bend the curve.
        trials: every trial.
    """

    batch_size: int
    steps_to_result: int | None
    steps_after: int
    interval: Estimate | None
    examples_to_result: int | None
    budget_steps: int
    trials_wanted: int
    counts: Mapping[str, int]
    missing_trials: int
    best_trial_id: int | None
    best_parameters: Mapping[str, float]
    effective_learning_rate: float | None
    optimism_log2: float | None
    needs_more_trials: bool
    edges: tuple[EdgeWarning, ...]
    trials: tuple[TrialPoint, ...]


@dataclass(frozen=True)
class CurvePoint:
    """The fitted curve at one batch size, with its pointwise interval, in steps."""

    batch_size: float
    steps: float
    low: float
    high: float


@dataclass(frozen=True)
class Diagnostic:
    """A simpler fit, shown beside the curve: name, parameters, and points of the line."""

    name: str  # "hyperbola" or "piecewise linear"
    description: str
    parameters: Mapping[str, float]
    points: tuple[tuple[float, float], ...]  # (batch size, steps)


@dataclass(frozen=True)
class CurveFindings:
    """S(B) = S_min (1 + (B_c / B)^g)^(1/g) fitted to the studies of one sweep.

    Attributes:
        critical_batch_size: B_c = E_min / S_min.
        end_of_perfect_scaling: B_ps(t), where steps exceed perfect scaling by the fraction t.
        maximum_useful_batch_size: B_max(t), where steps exceed S_min by the fraction t.
        minimum_steps: S_min.
        minimum_examples: E_min.
        sharpness: g.
        tolerance: t.
        points: the curve on a fine grid of batch sizes.
        slopes: local slopes d log S / d log B between neighbouring measured batch sizes, as
            (geometric mean of the two, slope).
    """

    critical_batch_size: Estimate
    end_of_perfect_scaling: Estimate
    maximum_useful_batch_size: Estimate
    minimum_steps: Estimate
    minimum_examples: Estimate
    sharpness: Estimate
    tolerance: float
    points: tuple[CurvePoint, ...]
    slopes: tuple[tuple[float, float], ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class SweepFindings:
    """Everything said about one sweep.

    Attributes:
        headline: the answer in words, one or two sentences.
        notes: warnings and reservations, one sentence each, most important first.
        curve: None where too few studies reached the goal; then a note says so.
        problems: files that could not be read, one sentence each.
    """

    name: str
    description: str
    dataset: str
    model: str
    optimizer: str
    schedule: str
    goal: str
    prune: str
    seed: int
    headline: str
    studies: tuple[StudyFindings, ...]
    curve: CurveFindings | None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """How far one sweep extends perfect scaling over another.

    All ratios are second over first: of the end of perfect scaling, the critical batch size, the
    maximum useful batch size, and of the steps at each batch size both measured.
    """

    first: str
    second: str
    sentence: str
    end_of_perfect_scaling: Estimate
    critical_batch_size: Estimate
    maximum_useful_batch_size: Estimate
    steps: tuple[tuple[int, Estimate], ...]


@dataclass(frozen=True)
class Findings:
    """What a report shows: one or more sweeps and how they compare."""

    sweeps: tuple[SweepFindings, ...]
    comparisons: tuple[Comparison, ...] = ()
