"""Writing a sweep and reading it back gives the same sweep."""

from types import MappingProxyType
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from batchscope.spec import (
    Budget,
    Evaluation,
    Goal,
    Named,
    ParameterConfig,
    ParameterType,
    Prune,
    Scale,
    Sweep,
    catalog,
    load_sweep,
    override,
    parse_sweep,
    spec_digest,
    to_toml,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(1, 10_000)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
parameter_name = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
option_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(texts, finite, st.booleans(), st.integers(-(2**40), 2**40)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(texts, inner, max_size=3).map(MappingProxyType),
    ),
    max_leaves=5,
)
named = st.builds(
    Named,
    name=st.sampled_from(["fc_64", "mnist_10k", "my.module:build"]),
    options=st.dictionaries(
        parameter_name.filter(lambda key: key != "name"), option_values, max_size=3
    ).map(MappingProxyType),
)


@st.composite
def parameter_configs(draw: st.DrawFn) -> ParameterConfig:
    name, kind = draw(parameter_name), draw(st.sampled_from(ParameterType))
    if kind is ParameterType.DISCRETE:
        points = draw(st.lists(finite, min_size=1, max_size=5, unique=True))
        return ParameterConfig(name, kind, feasible_points=tuple(sorted(points)))
    scale = draw(st.sampled_from(Scale))
    ends: st.SearchStrategy[float] = {
        Scale.LINEAR: finite,
        Scale.LOG: st.floats(1e-300, 1e300),
        Scale.REVERSE_LOG: st.floats(-1e300, 1, exclude_max=True),
    }[scale]
    if kind is ParameterType.INTEGER:
        low = {Scale.LINEAR: -1000, Scale.LOG: 1, Scale.REVERSE_LOG: -1000}[scale]
        high = {Scale.LINEAR: 1000, Scale.LOG: 1000, Scale.REVERSE_LOG: 0}[scale]
        ends = st.integers(low, high).map(float)
    low_value, high_value = sorted(draw(st.lists(ends, min_size=2, max_size=2, unique=True)))
    return ParameterConfig(name, kind, scale, low_value, high_value)


@st.composite
def sweeps(draw: st.DrawFn) -> Sweep:
    trials, prune = draw(counts), draw(st.sampled_from(Prune))
    k = {Prune.MIN: 1, Prune.NONE: trials}.get(prune) or draw(st.integers(1, trials))
    configs = draw(st.lists(parameter_configs(), max_size=4, unique_by=lambda each: each.name))
    fixed = draw(st.dictionaries(parameter_name, finite, max_size=3))
    steps = draw(st.none() | counts)
    return Sweep(
        name=draw(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}", fullmatch=True)),
        dataset=draw(named),
        model=draw(named),
        optimizer=draw(named),
        schedule=draw(named),
        goal=draw(
            st.builds(
                lambda value: Goal("val/classification_error", below=value), st.floats(1e-9, 1)
            )
            | st.builds(lambda value: Goal("my metric", above=value), finite)
        ),
        batch_sizes=tuple(sorted(draw(st.sets(counts, min_size=1, max_size=5)))),
        trials=trials,
        budget=Budget(steps, draw(counts if steps is None else st.none() | counts)),
        parameter_configs=tuple(configs),
        metaparameters=MappingProxyType(
            {name: value for name, value in fixed.items() if name not in {c.name for c in configs}}
        ),
        description=draw(texts),
        seed=draw(st.integers(0, 2**32 - 1)),
        prune=prune,
        k=k,
        max_trials=trials + draw(counts),
        trials_per_pack=draw(st.none() | counts),
        evaluation=draw(st.builds(Evaluation, counts, st.floats(0, 1), st.booleans())),
    )


@given(sweeps())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_dump_then_load_is_identity(sweep: Sweep) -> None:
    text = to_toml(sweep)
    again = parse_sweep(text)
    assert again == sweep
    # the order decides which dimension of the sequence a parameter gets
    assert again.parameter_names == sweep.parameter_names
    assert to_toml(again) == text


@given(sweeps())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_overriding_nothing_changes_nothing(sweep: Sweep) -> None:
    assert override(sweep) == sweep


def test_the_catalogue_survives_too() -> None:
    for name in catalog():
        assert parse_sweep(to_toml(load_sweep(name))) == load_sweep(name)


def test_the_digest_tells_apart_what_decides_results_and_nothing_else() -> None:
    sweep = load_sweep("quick")
    same = sweep.at(name="other", description="", batch_sizes=(2,))
    assert spec_digest(same) == spec_digest(sweep)
    reordered = sweep.at(parameter_configs=sweep.parameter_configs[::-1])
    others = [reordered, sweep.at(seed=1), override(sweep, trials=9)]
    assert len({spec_digest(each) for each in [sweep, *others]}) == 4
