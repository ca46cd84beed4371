"""Hand-made findings for the report's tests: two realistic sweeps, and every degenerate kind."""

import itertools
import math
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from batchscope.analysis.findings import (
    Comparison,
    CurveFindings,
    CurvePoint,
    Diagnostic,
    EdgeWarning,
    Estimate,
    Findings,
    StudyFindings,
    SweepFindings,
    TrialPoint,
)
from batchscope.report import to_html

BATCH_SIZES = tuple(2**i for i in range(2, 12))
SGD_STEPS = (1792, 880, 448, 256, 160, 120, 104, 99, 97, 97)
NESTEROV_STEPS = (2816, 1216, 560, 288, 160, 96, 68, 54, 50, 49)
WITHIN_LOW, WITHIN_HIGH = 0.9, 1.12
_CHROMIUM = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NOTHING = Estimate(value=None, low=None, high=None)


def estimate(value: float, *, spread: float = 1.2, bound: str = "=") -> Estimate:
    """Returns `value` within a factor `spread`; a lower bound has no upper end."""
    high = None if bound == ">=" else value * spread
    return Estimate(value=value, low=value / spread, high=high, bound=bound)


def study(
    batch_size: int,
    steps: int | None,
    *,
    trials: int = 64,
    momentum: bool = False,
    seed: int = 0,
    edges: tuple[EdgeWarning, ...] = (),
) -> StudyFindings:
    """Returns a study whose best trial took `steps`; None never reached the goal."""
    rng = np.random.default_rng([seed, batch_size])
    budget = max(200, 40_000 // batch_size * 2)
    points = []
    for trial_id in range(trials):
        rate = float(10 ** rng.uniform(-2.5, 0.7))
        metaparameters = {
            "learning_rate": rate,
            "momentum": 1 - float(10 ** rng.uniform(-2, -0.1)) if momentum else 0.0,
            "decay_steps_factor": float(rng.uniform(0.2, 2.0)),
        }
        kind = rng.uniform()
        if kind < 0.12 and trial_id != 7:
            status, reached, at = "INFEASIBLE", False, int(rng.integers(1, 30))
        elif steps is None:
            status, reached, at = "COMPLETE", False, budget
        elif kind < 0.3 or trial_id == 7:
            late = 0.0 if trial_id == 7 else rng.exponential(0.4)
            status, reached, at = "COMPLETE", True, int(steps * 2**late)
        else:
            status, reached, at = "PRUNED", False, int(steps * 1.9)
        points.append(TrialPoint(trial_id, status, at, reached, metaparameters))
    counts = dict.fromkeys(("COMPLETE", "PRUNED", "INFEASIBLE", "INCOMPLETE"), 0)
    for point in points:
        counts[point.status] += 1
    middle = math.log2(batch_size) / 2
    best_rate = min(0.03 * 2 ** (middle * 1.4), 1.1) * float(2 ** rng.normal(0, 0.3))
    best = {
        "learning_rate": best_rate,
        "momentum": float(0.9 + 0.005 * middle) if momentum else 0.0,
        "decay_steps_factor": float(rng.uniform(0.4, 1.4)),
    }
    optimism = float(abs(rng.normal(0.08, 0.12)))
    return StudyFindings(
        batch_size=batch_size,
        steps_to_result=steps,
        steps_after=int(steps * 0.97) if steps else budget,
        interval=Estimate(steps * WITHIN_LOW, steps * WITHIN_LOW, steps * WITHIN_HIGH)
        if steps
        else None,
        examples_to_result=steps * batch_size if steps else None,
        budget_steps=budget,
        trials_wanted=64,
        counts=counts,
        missing_trials=0,
        best_trial_id=7 if steps else None,
        best_parameters=best if steps else {},
        effective_learning_rate=best_rate / (1 - best["momentum"]) if steps else None,
        optimism_log2=optimism if steps else None,
        needs_more_trials=optimism > 0.25 and steps is not None,
        edges=edges,
        trials=tuple(points),
    )


def curve(*, fewest_steps: float, critical: float, sharpness: float, largest: int) -> CurveFindings:
    """Returns S_min (1 + (B_c / B)^g)^(1/g) with its turns at a tolerance of 20 %."""

    def steps(batch_size: float) -> float:
        return fewest_steps * (1 + (critical / batch_size) ** sharpness) ** (1 / sharpness)

    grid = [float(2**e) for e in np.linspace(1.5, math.log2(largest) + 0.5, 80)]
    turn = (1.2**sharpness - 1) ** (1 / sharpness)
    useful = critical / turn
    points = tuple(
        CurvePoint(b, steps(b), steps(b) * 0.9, steps(b) * (1.08 + 0.01 * math.log2(b)))
        for b in grid
    )
    corners = ((2.0, steps(2)), (critical, fewest_steps), (float(largest), fewest_steps))
    hyperbola = tuple((b, fewest_steps * 0.96 * (1 + critical / b)) for b in grid)
    return CurveFindings(
        critical_batch_size=estimate(critical),
        end_of_perfect_scaling=estimate(critical * turn, spread=1.35),
        maximum_useful_batch_size=estimate(useful, spread=1.4)
        if useful <= largest
        else estimate(float(largest), bound=">="),
        minimum_steps=estimate(fewest_steps, spread=1.05),
        minimum_examples=estimate(fewest_steps * critical, spread=1.1),
        sharpness=estimate(sharpness, spread=1.3),
        tolerance=0.2,
        points=points,
        slopes=tuple(
            (math.sqrt(a * b), math.log(steps(b) / steps(a)) / math.log(b / a))
            for a, b in itertools.pairwise(BATCH_SIZES)
        ),
        diagnostics=(
            Diagnostic("hyperbola", "S_min (1 + B_c / B)", {"critical": critical}, hyperbola),
            Diagnostic("piecewise linear", "slopes -1 and 0", {"knot": critical}, corners),
        ),
    )


def sweep(
    name: str,
    studies: Iterable[StudyFindings],
    fitted: CurveFindings | None,
    *,
    headline: str = "Too few batch sizes reached the goal to say how this sweep scales.",
    notes: tuple[str, ...] = (),
    problems: tuple[str, ...] = (),
) -> SweepFindings:
    """Returns a sweep of fc_64 on mnist_10k."""
    return SweepFindings(
        name=name,
        description="A fully connected net of 64 units on 8,192 MNIST images.",
        dataset="mnist_10k",
        model="fc_64",
        optimizer="nesterov_momentum" if "nesterov" in name else "sgd",
        schedule="linear_decay",
        goal="val/classification_error < 0.065",
        prune="kth",
        seed=1,
        headline=headline,
        studies=tuple(studies),
        curve=fitted,
        notes=notes,
        problems=problems,
        versions={"batchscope": "0.1.0", "jax": "0.10.2", "numpy": "2.4.0"},
    )


def sgd() -> SweepFindings:
    """Returns plain SGD, flat from batch size 256 on."""
    return sweep(
        "mnist_10k-fc_64-sgd",
        [study(b, s, seed=1) for b, s in zip(BATCH_SIZES, SGD_STEPS, strict=True)],
        curve(fewest_steps=97, critical=74, sharpness=1.5, largest=2048),
        headline="Steps halve with each doubling of the batch size up to about 35; beyond about "
        "157 nothing is gained.",
        notes=(
            "Batch size 32 needs more trials: its best of 64 is 11 % better than the best of 32.",
        ),
    )


def nesterov() -> SweepFindings:
    """Returns Nesterov momentum, which scales further, with a warning at an edge."""
    edge = EdgeWarning(2048, "learning_rate", 4.6, "max", 5.0)
    return sweep(
        "mnist_10k-fc_64-nesterov",
        [
            study(b, s, momentum=True, seed=2, edges=(edge,) if b == 2048 else ())
            for b, s in zip(BATCH_SIZES, NESTEROV_STEPS, strict=True)
        ],
        curve(fewest_steps=48, critical=216, sharpness=1.55, largest=2048),
        headline="Steps halve with each doubling of the batch size up to about 106; beyond about "
        "438 nothing is gained.",
        notes=(
            "At batch size 2048 the best learning_rate of 4.6 lies near the upper edge 5 of "
            "the search space: widen it and run again.",
        ),
    )


def comparison(first: str, second: str) -> Comparison:
    """Returns second over first."""
    ratios = zip(BATCH_SIZES, NESTEROV_STEPS, SGD_STEPS, strict=True)
    return Comparison(
        first=first,
        second=second,
        sentence=f"{second} extends perfect scaling 3.0 times as far as {first} "
        "(90 % interval 2.1 to 4.3).",
        end_of_perfect_scaling=estimate(3.0, spread=1.43),
        critical_batch_size=estimate(2.9, spread=1.25),
        maximum_useful_batch_size=estimate(2.8, spread=1.5),
        steps=tuple((b, estimate(n / s, spread=1.15)) for b, n, s in ratios),
    )


def two_sweeps() -> Findings:
    """Returns the findings of the ready-made demonstration."""
    first, second = sgd(), nesterov()
    return Findings((first, second), (comparison(first.name, second.name),))


def _nowhere(fitted: CurveFindings) -> CurveFindings:
    """Returns a curve of which no number is known."""
    return replace(
        fitted,
        critical_batch_size=NOTHING,
        end_of_perfect_scaling=NOTHING,
        maximum_useful_batch_size=NOTHING,
        minimum_steps=NOTHING,
        minimum_examples=NOTHING,
        sharpness=NOTHING,
        points=(),
        slopes=(),
        diagnostics=(),
    )


def _bare(one: StudyFindings) -> StudyFindings:
    """Returns a study with None everywhere it may be."""
    return replace(
        one,
        interval=None,
        best_trial_id=None,
        best_parameters={},
        effective_learning_rate=None,
        optimism_log2=None,
        missing_trials=5,
        trials=(),
    )


def _thinned(one: SweepFindings) -> SweepFindings:
    """Returns a sweep with a few trials each, which are drawn sooner."""
    return replace(one, studies=tuple(replace(s, trials=s.trials[:10]) for s in one.studies))


def degenerate() -> dict[str, Findings]:
    """Returns findings in which something is missing, extreme or oddly named."""
    one = _thinned(sgd())
    assert one.curve is not None
    few = tuple(replace(s, trials=(), effective_learning_rate=None) for s in one.studies[:3])
    odd_name = "<script>alert(1)</script> & \"q\" 'a' | `b` *c* — größer 批量"
    odd = replace(
        one,
        name=odd_name,
        headline=f"{odd_name} </script><!-- <script> says nothing.",
        description=odd_name,
        notes=(odd_name, "two\nlines"),
        problems=(f"{odd_name}.parquet is damaged.",),
        versions={odd_name: odd_name},
    )
    never = [study(b, None, trials=10, seed=3) for b in BATCH_SIZES]
    partly = [*one.studies[:8], study(1024, None, trials=10), study(2048, None, trials=10)]
    unknown = replace(
        comparison(one.name, one.name),
        end_of_perfect_scaling=NOTHING,
        critical_batch_size=estimate(1.0, bound=">="),
        maximum_useful_batch_size=NOTHING,
        steps=((4, NOTHING),),
    )
    return {
        "no sweep": Findings(()),
        "no study": Findings((sweep("empty", [], None),)),
        "no curve": Findings((replace(one, curve=None),)),
        "not measured yet": Findings(
            (replace(one, studies=(*one.studies[:9], _unmeasured(2048)), curve=None),)
        ),
        "never reached": Findings((sweep("never", never, None),)),
        "partly censored": Findings((replace(one, studies=tuple(partly)),)),
        "all infeasible": Findings((sweep("diverged", [_infeasible(b) for b in (4, 8)], None),)),
        "one study": Findings((replace(one, studies=one.studies[:1], curve=None),)),
        "one batch size with a curve": Findings((replace(one, studies=one.studies[:1]),)),
        "nothing known": Findings(
            (replace(one, studies=tuple(map(_bare, one.studies)), curve=_nowhere(one.curve)),),
            (unknown,),
        ),
        "odd names": Findings(
            (odd, _thinned(nesterov())), (comparison(odd_name, nesterov().name),)
        ),
        "same name twice": Findings((one, one)),
        "eight sweeps": Findings(
            tuple(replace(one, name=f"sweep-{i}", studies=few) for i in range(8))
        ),
    }


def _unmeasured(batch_size: int) -> StudyFindings:
    nothing = study(batch_size, None, trials=0)
    return replace(nothing, steps_after=0, missing_trials=64)


def _infeasible(batch_size: int) -> StudyFindings:
    lost = study(batch_size, None, trials=4)
    trials = tuple(TrialPoint(i, "INFEASIBLE", 0, False, {"learning_rate": 9.0}) for i in range(4))
    return replace(lost, trials=trials, counts={**lost.counts, "COMPLETE": 0, "INFEASIBLE": 4})


@pytest.fixture(name="two_sweeps", scope="session")
def _two_sweeps() -> Findings:
    return two_sweeps()


@pytest.fixture(params=sorted(degenerate()))
def degenerate_findings(request: pytest.FixtureRequest) -> Findings:
    """Each kind of degenerate findings in turn."""
    return degenerate()[request.param]


@pytest.fixture(scope="session")
def findings_of() -> Callable[[str], Findings]:
    """Returns a kind of degenerate findings by name."""
    return degenerate().__getitem__


@pytest.fixture(scope="session")
def odd_findings() -> Findings:
    """Findings whose every text is hostile."""
    return degenerate()["odd names"]


@pytest.fixture(params=sorted(degenerate()))
def degenerate_name(request: pytest.FixtureRequest) -> str:
    """The name of each kind of degenerate findings in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def censored() -> Findings:
    """A sweep whose two largest batch sizes never reached the goal."""
    return degenerate()["partly censored"]


@pytest.fixture(scope="session")
def page_of() -> Callable[[str], str]:
    """Returns the page of `two sweeps` or of a kind of degenerate findings, made once."""

    @cache
    def page(name: str) -> str:
        return to_html(two_sweeps() if name == "two sweeps" else degenerate()[name])

    return page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium, started once."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip(
            "browser tests left out: no `chromium` on the PATH; install it "
            "(Debian: apt-get install chromium) and run the tests again"
        )
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(_CHROMIUM))
        yield started
        started.close()
