"""Colours that can be told apart, and from the paper."""

import pytest

from batchscope.report.theme import DARK, LIGHT, SHAPES, Palette


def _luminance(colour: str) -> float:
    """Returns the relative luminance of WCAG 2."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_text_and_marks_stand_out_from_the_paper(palette: Palette) -> None:
    assert all(_contrast(c, palette.paper) >= 4.5 for c in (palette.ink, palette.muted))
    assert all(_contrast(colour, palette.paper) >= 3 for colour in palette.series)


def test_both_palettes_hold_the_same_series_and_shapes_repeat_no_sooner() -> None:
    assert len(LIGHT.series) == len(DARK.series) == len(set(SHAPES))
