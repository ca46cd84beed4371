"""A sweep's TOML, key by key."""

from pathlib import Path

import pytest

from batchscope.spec import (
    Budget,
    Evaluation,
    Goal,
    Named,
    ParameterConfig,
    ParameterType,
    Prune,
    Scale,
    parse_sweep,
)

MINIMAL = """
name = "small"
dataset = "mnist_10k"
model = "fc_64"
optimizer = "sgd"
schedule = "constant"
goal = { metric = "val/classification_error", below = 0.05 }
batch_sizes = [64, 4]
trials = 10
budget = { steps = 10_000 }
"""


def test_what_is_left_out_has_its_default() -> None:
    sweep = parse_sweep(MINIMAL)
    assert sweep.name == "small"
    assert sweep.dataset == Named("mnist_10k")
    assert sweep.goal == Goal("val/classification_error", below=0.05)
    assert sweep.budget == Budget(steps=10_000)
    assert (sweep.description, sweep.seed) == ("", 0)
    assert (sweep.prune, sweep.k, sweep.max_trials) == (Prune.KTH, 8, 40)
    assert (sweep.trials_per_pack, sweep.packs) == (None, 1)
    assert sweep.evaluation == Evaluation(every_examples=512, growth=0.02, early_stop=True)
    assert sweep.parameter_configs == ()


def test_batch_sizes_are_sorted() -> None:
    assert parse_sweep(MINIMAL).batch_sizes == (4, 64)


def test_a_range_of_batch_sizes_holds_the_powers_of_two_with_both_ends() -> None:
    text = MINIMAL.replace("[64, 4]", "{ from = 4, to = 64 }")
    assert parse_sweep(text).batch_sizes == (4, 8, 16, 32, 64)
    one = MINIMAL.replace("[64, 4]", "{ from = 1, to = 1 }")
    assert parse_sweep(one).batch_sizes == (1,)


def test_k_is_at_most_the_number_of_trials() -> None:
    assert parse_sweep(MINIMAL.replace("trials = 10", "trials = 3")).k == 3


@pytest.mark.parametrize(("prune", "k"), [("min", 1), ("kth", 8), ("none", 10)])
def test_k_says_how_many_order_statistics_are_exact(prune: str, k: int) -> None:
    assert parse_sweep(MINIMAL + f'prune = "{prune}"').k == k


def test_whole_budgets_are_measured_on_all_validation_examples_unless_asked_otherwise() -> None:
    text = MINIMAL + 'prune = "none"\n'
    assert not parse_sweep(text).evaluation.early_stop
    assert parse_sweep(text + "evaluation = { early_stop = true }").evaluation.early_stop


def test_options_are_kept_read_only() -> None:
    text = MINIMAL.replace(
        'model = "fc_64"', 'model = { name = "fc_64", widths = [1, 2], deep = { rate = 0.5 } }'
    )
    options = parse_sweep(text).model.options
    assert options == {"widths": (1, 2), "deep": {"rate": 0.5}}
    with pytest.raises(TypeError):
        options["widths"] = ()  # type: ignore[index]


def test_only_the_users_own_names_remember_the_folder(tmp_path: Path) -> None:
    text = MINIMAL.replace('model = "fc_64"', 'model = "mine.nets:wide"')
    sweep = parse_sweep(text, folder=tmp_path)
    assert sweep.model == Named("mine.nets:wide", folder=tmp_path)
    assert sweep.dataset.folder is None


def test_the_search_space_has_the_databases_field_names_and_keeps_its_order() -> None:
    sweep = parse_sweep(
        MINIMAL
        + """
[search_space.parameter_configs.zeta]
type = "DOUBLE"
min_value = 1e-4
max_value = 1
scale = "LOG_SCALE"
[search_space.parameter_configs.alpha]
type = "INTEGER"
min_value = 1
max_value = 3
scale = ""
[search_space.parameter_configs.momentum]
min_value = 0
max_value = 0.99
scale = "REVERSE_LOG_SCALE"
[search_space.parameter_configs.size]
type = "DISCRETE"
feasible_points = [1, 2.5]
"""
    )
    assert sweep.parameter_configs == (
        ParameterConfig("zeta", ParameterType.DOUBLE, Scale.LOG, 1e-4, 1.0),
        ParameterConfig("alpha", ParameterType.INTEGER, Scale.LINEAR, 1.0, 3.0),
        ParameterConfig("momentum", ParameterType.DOUBLE, Scale.REVERSE_LOG, 0.0, 0.99),
        ParameterConfig("size", ParameterType.DISCRETE, feasible_points=(1.0, 2.5)),
    )


def test_parameter_names_are_those_searched_then_those_fixed() -> None:
    sweep = parse_sweep(
        MINIMAL
        + """
[metaparameters]
momentum = 0.9
beta = 1
[search_space.parameter_configs.learning_rate]
min_value = 0.0
max_value = 1.0
"""
    )
    assert sweep.metaparameters == {"momentum": 0.9, "beta": 1.0}
    assert sweep.parameter_names == ("learning_rate", "beta", "momentum")


def test_the_last_pack_may_be_smaller() -> None:
    assert parse_sweep(MINIMAL + "trials_per_pack = 4").packs == 3


@pytest.mark.parametrize(
    ("budget", "batch_size", "steps"),
    [
        ("{ steps = 100 }", 64, 100),
        ("{ examples = 1_000 }", 64, 15),
        ("{ steps = 10, examples = 1_000 }", 64, 10),
        ("{ steps = 100, examples = 1_000 }", 64, 15),
        ("{ examples = 10 }", 64, 1),
    ],
)
def test_a_trial_trains_until_the_first_limit(budget: str, batch_size: int, steps: int) -> None:
    sweep = parse_sweep(MINIMAL.replace("{ steps = 10_000 }", budget))
    assert sweep.budget.steps_at(batch_size) == steps
