"""The order of the minibatches: exact epochs, any window on its own, golden values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batchscope.data import BatchOrder, batch_indices
from batchscope.data.order import fixed_permutation

MASK = 2**64 - 1


def _philox(key: tuple[int, int], draws: int) -> list[int]:
    """Philox4x64-10 written from Salmon et al. 2011; NumPy's counter starts at 1."""
    output: list[int] = []
    counter = 1
    while len(output) < draws:
        x0, x1, x2, x3 = counter, 0, 0, 0
        k0, k1 = key
        for _ in range(10):
            first, second = 0xD2E7470EE14C6C93 * x0, 0xCA5A826395121157 * x2
            x0, x1, x2, x3 = (
                (second >> 64) ^ x1 ^ k0,
                second & MASK,
                (first >> 64) ^ x3 ^ k1,
                first & MASK,
            )
            k0, k1 = (k0 + 0x9E3779B97F4A7C15) & MASK, (k1 + 0xBB67AE8584CAA73B) & MASK
        output += [x0, x1, x2, x3]
        counter += 1
    return output[:draws]


@pytest.mark.parametrize(("seed", "stream"), [(0, 0), (7, 3), (2**64 - 1, 10**6)])
def test_permutation_sorts_philox(seed: int, stream: int) -> None:
    draws = _philox((seed, stream), 101)
    expected = sorted(range(101), key=draws.__getitem__)
    assert fixed_permutation(examples=101, seed=seed, stream=stream).tolist() == expected


def test_golden_values() -> None:
    found = batch_indices(examples=10, batch_size=4, seed=0, first_step=0, steps=6)
    assert found.dtype == np.int64
    assert found.tolist() == [
        [0, 2, 9, 1],
        [8, 5, 4, 3],
        [6, 7, 5, 3],
        [7, 8, 2, 4],
        [1, 0, 6, 9],
        [6, 7, 2, 9],
    ]
    assert fixed_permutation(examples=10, seed=7, stream=3).tolist() == [
        2,
        5,
        9,
        7,
        3,
        0,
        6,
        8,
        4,
        1,
    ]


sizes = st.integers(1, 40)


@given(examples=sizes, batch_size=sizes, seed=st.integers(0, MASK), steps=sizes)
@settings(deadline=None, max_examples=50)
def test_every_epoch_holds_every_example_once(
    examples: int, batch_size: int, seed: int, steps: int
) -> None:
    found = batch_indices(
        examples=examples, batch_size=batch_size, seed=seed, first_step=0, steps=steps
    )
    assert found.shape == (steps, batch_size)
    stream = found.ravel()
    whole = len(stream) // examples * examples
    for epoch in stream[:whole].reshape(-1, examples):
        assert sorted(epoch) == list(range(examples))
    assert len(set(stream[whole:])) == len(stream) - whole


@given(examples=sizes, batch_size=sizes, windows=st.lists(st.integers(0, 9), max_size=6))
@settings(deadline=None, max_examples=50)
def test_windows_are_pieces_of_one_stream(
    examples: int, batch_size: int, windows: list[int]
) -> None:
    whole = batch_indices(
        examples=examples, batch_size=batch_size, seed=5, first_step=0, steps=sum(windows)
    )
    order = BatchOrder(examples=examples, batch_size=batch_size, seed=5)
    first = 0
    for steps in windows:
        expected = whole[first : first + steps]
        np.testing.assert_array_equal(order.window(first_step=first, steps=steps), expected)
        alone = batch_indices(
            examples=examples, batch_size=batch_size, seed=5, first_step=first, steps=steps
        )
        np.testing.assert_array_equal(alone, expected)
        first += steps
    # going back is as good as going on
    np.testing.assert_array_equal(order.window(first_step=0, steps=sum(windows)), whole)


def test_the_stream_does_not_depend_on_the_batch_size() -> None:
    streams = [
        batch_indices(examples=7, batch_size=b, seed=1, first_step=0, steps=24 // b).ravel()
        for b in (1, 3, 8)
    ]
    np.testing.assert_array_equal(streams[0], streams[1])
    np.testing.assert_array_equal(streams[0], streams[2])


def test_epochs_and_seeds_differ() -> None:
    orders = [
        fixed_permutation(examples=1000, seed=seed, stream=epoch).tolist()
        for seed in (0, 1)
        for epoch in (0, 1)
    ]
    assert all(a != b for i, a in enumerate(orders) for b in orders[:i])


@pytest.mark.parametrize("wrong", [{"examples": 0}, {"batch_size": 0}, {"seed": -1}])
def test_impossible_streams_are_refused(wrong: dict[str, int]) -> None:
    arguments = {"examples": 3, "batch_size": 2, "seed": 0, "first_step": 0, "steps": 1}
    with pytest.raises(ValueError, match=next(iter(wrong))):
        batch_indices(**(arguments | wrong))
