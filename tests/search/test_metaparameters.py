"""Trials to metaparameters: prefixes, packs, bounds, and the sequence behind the values."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from batchscope.search import halton, metaparameters
from batchscope.spec import ParameterConfig, ParameterType, Scale

SPACE = (
    ParameterConfig("learning_rate", ParameterType.DOUBLE, Scale.LOG, 1e-3, 10.0),
    ParameterConfig("momentum", ParameterType.DOUBLE, Scale.REVERSE_LOG, 0.5, 0.995),
    ParameterConfig("decay_steps", ParameterType.INTEGER, Scale.LOG, 50.0, 10_000.0),
    ParameterConfig("smoothing", ParameterType.DISCRETE, feasible_points=(0.0, 0.01, 0.1)),
    ParameterConfig("factor", ParameterType.DOUBLE, Scale.LINEAR, -1.0, 1.0),
)
GOLDEN = [
    [0.02150775799218379, 0.9401767605415305, 2200.0, 0.0, -0.6921966830359452],
    [2.150775799218378, 0.9871114737640589, 761.0, 0.01, -0.874014864854127],
    [0.4416671929993308, 0.9549792074103137, 71.0, 0.0, 0.6631752177905008],
]


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_values_are_in_their_ranges(seed: int, trial_ids: list[int]) -> None:
    values = metaparameters(SPACE, seed=seed, trial_ids=trial_ids)
    assert values.shape == (len(trial_ids), 5)
    low = [1e-3, 0.5, 50, 0.0, -1.0]
    high = [10.0, 0.995, 10_000, 0.1, 1.0]
    assert np.all((values >= low) & (values <= high))
    assert np.all(values[:, 2] == np.rint(values[:, 2]))
    assert set(values[:, 3]) <= {0.0, 0.01, 0.1}


def test_more_trials_change_none_of_the_first() -> None:
    few = metaparameters(SPACE, seed=4, trial_ids=range(16))
    many = metaparameters(SPACE, seed=4, trial_ids=range(64))
    np.testing.assert_array_equal(many[:16], few)


def test_a_strided_pack_has_the_trials_of_the_study() -> None:
    study = metaparameters(SPACE, seed=4, trial_ids=range(64))
    pack = metaparameters(SPACE, seed=4, trial_ids=np.arange(1, 64, 4))
    np.testing.assert_array_equal(pack, study[1::4])


def test_a_parameter_added_at_the_end_changes_no_other() -> None:
    all_of_them = metaparameters(SPACE, seed=4, trial_ids=range(8))
    np.testing.assert_array_equal(
        metaparameters(SPACE[:3], seed=4, trial_ids=range(8)), all_of_them[:, :3]
    )


def test_nothing_to_search_is_a_table_without_columns() -> None:
    assert metaparameters((), seed=0, trial_ids=range(3)).shape == (3, 0)


def test_values_are_the_sequence_on_the_scale() -> None:
    units = halton(range(100), dimensions=5, seed=9)
    values = metaparameters(SPACE, seed=9, trial_ids=range(100))
    np.testing.assert_allclose(np.log10(values[:, 0]), -3 + 4 * units[:, 0], atol=1e-12)
    expected = 1 - 0.5 * 0.01 ** units[:, 1]
    np.testing.assert_allclose(values[:, 1], expected, atol=1e-12)
    np.testing.assert_allclose(values[:, 4], 2 * units[:, 4] - 1, atol=1e-15)


def test_golden_values() -> None:
    values = metaparameters(SPACE, seed=0, trial_ids=[0, 1, 63])
    # logarithms may differ in the last place between machines, the sequence itself may not
    np.testing.assert_allclose(values, GOLDEN, rtol=1e-13)
