"""What the display works out: which rows fit, how long it takes, how that is worded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchscope.cli.forecast import Forecast
from batchscope.cli.live_table import fold
from batchscope.cli.wording import duration, rough_duration


@given(st.lists(st.integers(1), min_size=1, max_size=40, unique=True), st.data())
def test_a_long_table_is_folded_around_the_study_at_work(sizes, data):
    at = data.draw(st.integers(0, len(sizes) - 1))
    room = data.draw(st.integers(-5, 45))
    rows = fold(sizes, at=at, room=room)
    assert len(rows) <= max(room, 3)
    assert sizes[at] in rows
    shown = [row for row in rows if isinstance(row, int)]
    first = sizes.index(shown[0])
    assert shown == sizes[first : first + len(shown)]
    folded = [int(row.split()[1]) for row in rows if isinstance(row, str)]
    assert len(shown) + sum(folded) == len(sizes)
    if len(sizes) <= room:
        assert rows == sizes


def test_what_is_folded_away_is_counted():
    sizes = [1 << i for i in range(10)]
    assert fold(sizes, at=0, room=5) == [1, 2, 4, "↓ 7 more"]
    assert fold(sizes, at=5, room=5) == ["↑ 4 more", 16, 32, 64, "↓ 3 more"]
    assert fold(sizes, at=9, room=5) == ["↑ 7 more", 128, 256, 512]


@given(st.floats(0, 1), st.floats(0.01, 1e4))
def test_a_forecast_follows_a_power_of_the_batch_size(power, scale):
    forecast = Forecast()
    assert forecast.seconds(64) is None
    for size in (4, 8, 16):
        forecast.finished(size, scale * size**power)
    assert forecast.seconds(64) == pytest.approx(scale * 64**power)
    assert forecast.seconds(8) == scale * 8**power  # as it was


def test_a_forecast_needs_two_studies_and_stays_within_reason():
    forecast = Forecast()
    forecast.finished(4, 1.0)
    assert forecast.seconds(8) is None
    forecast.finished(8, 100.0)
    assert forecast.seconds(16) == pytest.approx(10 * 16 / 32**0.5)  # as many steps, not more
    forecast = Forecast()
    forecast.finished(4, 100.0)
    forecast.finished(8, 1.0)
    assert forecast.seconds(1024) == pytest.approx(10)  # and not less than no growth


@pytest.mark.parametrize(
    ("seconds", "exact", "rough"),
    [
        (0, "0.0 s", "1 s"),
        (0.44, "0.4 s", "1 s"),
        (9.94, "9.9 s", "10 s"),
        (9.96, "10 s", "10 s"),
        (59.6, "1 min 0 s", "60 s"),
        (200, "3 min 20 s", "3 min"),
        (3599.6, "1 h 0 min", "60 min"),
        (7500, "2 h 5 min", "2 h"),
        (86400 * 3 + 3600 * 4, "3 d 4 h", "3 d"),
    ],
)
def test_durations_as_people_read_them(seconds, exact, rough):
    assert duration(seconds) == exact
    assert rough_duration(seconds) == rough
