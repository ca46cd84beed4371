"""Every mistake in a sweep gives one sentence with the line, the key, the value and the remedy."""

import pytest

from batchscope.errors import SpecError
from batchscope.spec import parse_sweep

VALID = """\
name = "small"
dataset = "mnist_10k"
model = { name = "fc_64", dropout_rate = 0.1 }
optimizer = "sgd"
schedule = "constant"
goal = { metric = "val/classification_error", below = 0.05 }
batch_sizes = [4, 64]
trials = 10
max_trials = 20
budget = { steps = 10_000 }
seed = 1
prune = "kth"
k = 5
evaluation = { every_examples = 256, growth = 0.1, early_stop = true }

[metaparameters]
momentum = 0.9

[search_space.parameter_configs.learning_rate]
min_value = 0.001
max_value = 1.0
scale = "LOG_SCALE"

[search_space.parameter_configs.steps]
type = "INTEGER"
min_value = 1
max_value = 9

[search_space.parameter_configs.factor]
type = "DISCRETE"
feasible_points = [0.1, 0.2]
"""

# what is replaced, by what, and the message after "sweep.toml, line "
MISTAKES = [
    # keys
    ("trials = 10", "trails = 10", "8: trails is not a key of a sweep: did you mean trials?"),
    ("seed = 1", "qqq = 1", "11: qqq is not a key of a sweep: known here are name,"),
    ("below = 0.05", "bellow = 0.05", "6: goal.bellow is not a key of a sweep: did you mean below"),
    (
        "growth = 0.1",
        "grow = 1",
        "14: evaluation.grow is not a key of a sweep: did you mean growth",
    ),
    (
        'scale = "LOG_SCALE"',
        'sclae = "LOG_SCALE"',
        "22: search_space.parameter_configs.learning_rate.sclae is not a key",
    ),
    # name
    ('name = "small"', 'name = ".."', '1: name is "..", expected the name of a folder'),
    ('name = "small"', 'name = ".hidden"', "1: name is "),
    ('name = "small"', 'name = "a/b"', '1: name is "a/b", expected'),
    ('name = "small"', 'name = ""', '1: name is "", expected'),
    ('name = "small"', f'name = "{"x" * 101}"', "1: name is "),
    ('name = "small"', "name = 3", "1: name is 3, expected a string"),
    ('name = "small"', 'description = "x"', "name is missing, expected a string"),
    # data set, model, optimizer, schedule
    (
        'dataset = "mnist_10k"',
        "dataset = 3",
        "2: dataset is 3, expected a name, or a table such as",
    ),
    ('dataset = "mnist_10k"', 'dataset = ""', '2: dataset is "", expected a registered name'),
    ('dataset = "mnist_10k"', 'dataset = ":f"', '2: dataset is ":f", expected a registered'),
    ('dataset = "mnist_10k"', 'dataset = "a:b:c"', '2: dataset is "a:b:c", expected'),
    ('optimizer = "sgd"', "", "optimizer is missing, expected a name, or a table"),
    ('{ name = "fc_64",', "{", "3: model.name is missing, expected the name of a registered one"),
    ('name = "fc_64",', 'name = "f c",', '3: model.name is "f c", expected a registered name'),
    (
        "dropout_rate = 0.1",
        "dropout_rate = nan",
        "3: model.dropout_rate is nan, expected strings, finite numbers",
    ),
    ("dropout_rate = 0.1", "at = 2020-01-01", "3: model.at is 2020-01-01, expected strings,"),
    # goal
    ("goal = {", "budgets = {", "6: budgets is not a key of a sweep: did you mean budget?"),
    (
        'goal = { metric = "val/classification_error", below = 0.05 }',
        "",
        "goal is missing, expected a table such as",
    ),
    (
        "below = 0.05 }",
        "below = 0.05, above = 1 }",
        "6: goal has both below and above, expected one",
    ),
    (", below = 0.05 }", " }", "6: goal has neither below nor above, expected one"),
    ("below = 0.05", "below = 0", "6: goal.below is 0, expected a fraction of the examples"),
    ("below = 0.05", "below = 1.5", "6: goal.below is 1.5, expected a fraction"),
    ("below = 0.05", "below = nan", "6: goal.below is nan, expected a finite number"),
    ("below = 0.05", "below = true", "6: goal.below is true, expected a finite number"),
    ("below = 0.05", 'below = "x"', '6: goal.below is "x", expected a finite number'),
    (
        "below = 0.05",
        "above = 0.05",
        "6: goal.above is given for val/classification_error, expected",
    ),
    (
        '"val/classification_error", below = 0.05',
        '"val/accuracy", below = 0.05',
        "6: goal.below is given for val/accuracy, expected above",
    ),
    (
        '"val/classification_error", below = 0.05',
        '"val/accuracy", above = 1.0',
        "6: goal.above is 1.0, expected a fraction",
    ),
    (
        '"val/classification_error", below = 0.05',
        '"val/cross_entropy_error", below = -1',
        "6: goal.below is -1, expected more than 0",
    ),
    ('"val/classification_error"', '" "', '6: goal.metric is " ", expected the name of a metric'),
    # batch sizes
    ("[4, 64]", "[]", "7: batch_sizes is [], expected a list such as"),
    ("[4, 64]", "4", "7: batch_sizes is 4, expected a list such as"),
    ("[4, 64]", "[4, 0]", "7: batch_sizes holds 0, expected whole numbers of at least 1"),
    ("[4, 64]", "[4, 8.0]", "7: batch_sizes holds 8.0, expected whole"),
    ("[4, 64]", "[true]", "7: batch_sizes holds true, expected whole"),
    ("[4, 64]", "[4, 64, 4]", "7: batch_sizes holds 4 more than once, expected each once"),
    ("[4, 64]", "{ from = 3, to = 8 }", "7: batch_sizes.from is 3, expected a power of two"),
    ("[4, 64]", "{ from = 4, to = 9 }", "7: batch_sizes.to is 9, expected a power of two"),
    (
        "[4, 64]",
        "{ from = 8, to = 4 }",
        "7: batch_sizes.from is 8, expected at most to, which is 4",
    ),
    ("[4, 64]", "{ from = 8 }", "7: batch_sizes.to is missing, expected a whole number"),
    # counts
    ("trials = 10\n", "trials = 0\n", "8: trials is 0, expected a whole number of at least 1"),
    ("trials = 10\n", "trials = true\n", "8: trials is true, expected a whole number"),
    ("trials = 10\n", "trials = 10.0\n", "8: trials is 10.0, expected a whole number"),
    ("trials = 10\n", "trials = 9_999_999_999\n", "8: trials is 9999999999, expected a whole"),
    (
        "max_trials = 20",
        "max_trials = 9",
        "9: max_trials is 9, expected at least trials, which is 10",
    ),
    ("seed = 1", "seed = -1", "11: seed is -1, expected a whole number from 0 to 4294967295"),
    ("seed = 1", "seed = 4294967296", "11: seed is 4294967296, expected a whole number from 0"),
    ("seed = 1", "trials_per_pack = 0", "11: trials_per_pack is 0, expected a whole number"),
    # pruning
    (
        'prune = "kth"',
        'prune = "best"',
        '12: prune is "best", expected one of "min", "kth", "none"',
    ),
    (
        'prune = "kth"',
        'prune = "min"',
        '13: k is given though prune is "min", expected it with "kth"',
    ),
    ("k = 5", "k = 11", "13: k is 11, expected at most trials, which is 10"),
    ("k = 5", "k = 0", "13: k is 0, expected a whole number of at least 1"),
    # budget
    ("budget = { steps = 10_000 }", "", "budget is missing, expected a table such as"),
    ("{ steps = 10_000 }", "{}", "10: budget is {}, expected a table such as"),
    ("{ steps = 10_000 }", "10_000", "10: budget is 10000, expected a table such as"),
    ("steps = 10_000", "steps = 0", "10: budget.steps is 0, expected a whole number of at least 1"),
    ("steps = 10_000", "examples = 1.5", "10: budget.examples is 1.5, expected a whole number"),
    # evaluation
    (
        "growth = 0.1",
        "growth = -0.1",
        "14: evaluation.growth is -0.1, expected a number from 0 to 1",
    ),
    ("growth = 0.1", "growth = inf", "14: evaluation.growth is inf, expected a finite number"),
    (
        "early_stop = true",
        "early_stop = 1",
        "14: evaluation.early_stop is 1, expected true or false",
    ),
    ("every_examples = 256", "every_examples = 0", "14: evaluation.every_examples is 0, expected"),
    # fixed metaparameters
    ("momentum = 0.9", 'momentum = "x"', '17: metaparameters.momentum is "x", expected a finite'),
    ("momentum = 0.9", "momentum = nan", "17: metaparameters.momentum is nan, expected a finite"),
    (
        "momentum = 0.9",
        '"mo mentum" = 1',
        "17: metaparameters.mo mentum is no metaparameter's name",
    ),
    (
        "momentum = 0.9",
        "learning_rate = 0.5",
        "19: search_space.parameter_configs.learning_rate is searched and also fixed at 0.5 under",
    ),
    # search space
    (
        "min_value = 0.001",
        "min_value = 1.0",
        "20: search_space.parameter_configs.learning_rate.min_value is 1.0, expected less than "
        "max_value, which is 1.0",
    ),
    (
        "min_value = 0.001",
        "min_value = 0",
        "20: search_space.parameter_configs.learning_rate.min_value is 0, expected more than 0 for",
    ),
    (
        "LOG_SCALE",
        "REVERSE_LOG_SCALE",
        "21: search_space.parameter_configs.learning_rate.max_value is 1.0, expected less than 1",
    ),
    (
        "LOG_SCALE",
        "LOGSCALE",
        '22: search_space.parameter_configs.learning_rate.scale is "LOGSCALE", expected one of',
    ),
    (
        "max_value = 1.0",
        "max_value = inf",
        "21: search_space.parameter_configs.learning_rate.max_value is inf, expected a finite",
    ),
    (
        "max_value = 1.0\n",
        "",
        "19: search_space.parameter_configs.learning_rate.max_value is missing, expected a finite",
    ),
    (
        "max_value = 9",
        "max_value = 9.5",
        "27: search_space.parameter_configs.steps.max_value is 9.5, expected a whole number for",
    ),
    (
        'type = "INTEGER"',
        'type = "INT"',
        '25: search_space.parameter_configs.steps.type is "INT", expected one of "DOUBLE"',
    ),
    (
        "max_value = 9",
        "max_value = 9\nfeasible_points = [1]",
        "28: search_space.parameter_configs.steps.feasible_points is given for the type INTEGER",
    ),
    (
        "feasible_points = [0.1, 0.2]",
        "",
        "29: search_space.parameter_configs.factor.feasible_points is missing, expected a list",
    ),
    (
        "[0.1, 0.2]",
        "[]",
        "31: search_space.parameter_configs.factor.feasible_points is [], expected",
    ),
    (
        "[0.1, 0.2]",
        "[0.2, 0.1]",
        "31: search_space.parameter_configs.factor.feasible_points is [0.2",
    ),
    (
        "[0.1, 0.2]",
        "[0.1, 0.1]",
        "31: search_space.parameter_configs.factor.feasible_points is [0.1",
    ),
    ("[0.1, 0.2]", "[0.1, true]", "31: search_space.parameter_configs.factor.feasible_points is ["),
    ("[0.1, 0.2]", "[nan]", "31: search_space.parameter_configs.factor.feasible_points is [nan]"),
    (
        "feasible_points = [0.1, 0.2]",
        "feasible_points = [0.1, 0.2]\nmax_value = 1",
        "32: search_space.parameter_configs.factor.max_value is 1, expected feasible_points alone",
    ),
]


def message(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        parse_sweep(text, origin="sweep.toml")
    return str(caught.value)


def test_the_text_without_a_mistake_is_a_sweep() -> None:
    assert parse_sweep(VALID).name == "small"


@pytest.mark.parametrize(("part", "mistake", "expected"), MISTAKES)
def test_a_mistake_is_named(part: str, mistake: str, expected: str) -> None:
    assert VALID.count(part) >= 1
    found = message(VALID.replace(part, mistake, 1))
    prefix = "sweep.toml, line " if expected[0].isdigit() else "sweep.toml: "
    assert found.startswith(prefix + expected)
    assert "\n" not in found
    assert len(found) < 400


def test_invalid_toml_is_named_with_its_line() -> None:
    found = message(VALID.replace("k = 5", "k = = 5"))
    assert found.startswith("sweep.toml is not valid TOML: ")
    assert "line 13" in found


def test_a_key_given_twice_is_named() -> None:
    assert "not valid TOML" in message(VALID.replace("k = 5", "k = 5\nk = 5"))


def test_more_searched_parameters_than_the_sequence_has_dimensions() -> None:
    more = "".join(
        f"[search_space.parameter_configs.p{i}]\nmin_value = 0\nmax_value = 1\n" for i in range(18)
    )
    assert "p17 is searched metaparameter number 21, expected at most 20" in message(VALID + more)


def test_no_line_is_taken_from_inside_a_multi_line_string() -> None:
    text = 'description = """\ntrials = 5\n"""\n' + VALID.replace("trials = 10", "trials = 0", 1)
    assert message(text).startswith("sweep.toml, line 11: trials is 0")
