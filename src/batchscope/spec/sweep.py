"""What to measure: the frozen values that describe one sweep.

The words are those of Shallue et al. 2019 (JMLR 20:112) and of the study database published with
it: a *workload* is a data set, a model and an optimizer; a *study* is the metaparameter search of
one workload at one batch size; a *trial* is one training run within a study.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any


class Scale(StrEnum):
    """How a metaparameter is spread over its range (names of the published database)."""

    LINEAR = "LINEAR_SCALE"
    LOG = "LOG_SCALE"
    REVERSE_LOG = "REVERSE_LOG_SCALE"  # (1 - value) is uniform in log space


class ParameterType(StrEnum):
    """The kind of value a metaparameter takes (names of the published database)."""

    DOUBLE = "DOUBLE"
    INTEGER = "INTEGER"
    DISCRETE = "DISCRETE"


class Prune(StrEnum):
    """Which trials are stopped before their budget is used up."""

    MIN = "min"  # everything stops once one trial has passed the goal
    KTH = "kth"  # everything stops once k trials have: order statistics 1..k stay exact
    NONE = "none"  # every trial uses its whole budget


@dataclass(frozen=True)
class Named:
    """A data set, model, optimizer or schedule: a registered name or `module:function`.

    Attributes:
        name: the name in the registry, or `module:function` of the user's own code.
        options: keyword arguments for what the name builds (`subset = 13750`, `dropout_rate`).
        folder: where `module` is looked for first: the folder of the TOML file, or None.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    folder: Path | None = None


@dataclass(frozen=True)
class ParameterConfig:
    """The range of one searched metaparameter.

    `min_value`, `max_value` and `scale` belong to DOUBLE and INTEGER, `feasible_points` to
    DISCRETE.
    """

    name: str
    type: ParameterType
    scale: Scale = Scale.LINEAR
    min_value: float | None = None
    max_value: float | None = None
    feasible_points: tuple[float, ...] = ()


@dataclass(frozen=True)
class Goal:
    """The result to reach: `metric` strictly below, or strictly above, a value."""

    metric: str
    below: float | None = None
    above: float | None = None

    @property
    def value(self) -> float:
        """The goal value, whichever side it bounds."""
        value = self.above if self.below is None else self.below
        assert value is not None
        return value

    @property
    def maximize(self) -> bool:
        """Whether larger values of the metric are better."""
        return self.below is None

    def __str__(self) -> str:
        return f"{self.metric} {'>' if self.maximize else '<'} {self.value:g}"


@dataclass(frozen=True)
class Budget:
    """How long a trial may train: until the first of the limits given is used up."""

    steps: int | None = None
    examples: int | None = None

    def steps_at(self, batch_size: int) -> int:
        """Returns the number of steps a trial may take at `batch_size`, at least 1."""
        limits = []
        if self.steps is not None:
            limits.append(self.steps)
        if self.examples is not None:
            limits.append(max(1, self.examples // batch_size))
        return min(limits)


@dataclass(frozen=True)
class Evaluation:
    """When the validation error is measured.

    The spacing at step s is max(every_examples / batch_size, growth * s), at least one step: it
    depends on the batch size alone. `early_stop` ends an evaluation as soon as the goal is known
    to be missed; the metrics are then averages over the examples seen (`val/examples`).
    """

    every_examples: int = 512
    growth: float = 0.02
    early_stop: bool = True


@dataclass(frozen=True)
class Sweep:
    """One workload, a goal, a search space and the batch sizes to measure.

    Attributes:
        name: names the results folder; letters, digits, `_`, `-` and `.`.
        batch_sizes: in examples, ascending.
        trials: feasible trials wanted per batch size.
        max_trials: trials tried per batch size at most, feasible or not.
        trials_per_pack: trials trained together by one process; None is all of them.
        k: how many order statistics stay exact: 1 when `prune` is MIN, `trials` when it is NONE.
        metaparameters: the values of those that are not searched.
        parameter_configs: the search space; its order is the order of the search dimensions.
    """

    name: str
    dataset: Named
    model: Named
    optimizer: Named
    schedule: Named
    goal: Goal
    batch_sizes: tuple[int, ...]
    trials: int
    budget: Budget
    parameter_configs: tuple[ParameterConfig, ...]
    metaparameters: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    description: str = ""
    seed: int = 0
    prune: Prune = Prune.KTH
    k: int = 8
    max_trials: int = 0
    trials_per_pack: int | None = None
    evaluation: Evaluation = field(default_factory=Evaluation)

    @property
    def packs(self) -> int:
        """The number of packs a study is split into."""
        if self.trials_per_pack is None:
            return 1
        return -(-self.trials // self.trials_per_pack)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The metaparameters with a value: those searched in their order, then those fixed."""
        searched = tuple(config.name for config in self.parameter_configs)
        return (*searched, *sorted(self.metaparameters))

    def share(self, pack: int) -> int:
        """Returns how many of the feasible trials wanted are the part of `pack`."""
        return len(range(pack, self.trials, self.packs))

    def at(self, **changes: Any) -> "Sweep":
        """Returns a copy with some fields replaced."""
        return replace(self, **changes)
