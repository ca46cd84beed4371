"""Colours, marks and sizes: one series looks the same in every plot, table and figure."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from batchscope.analysis.findings import Findings, SweepFindings

Width = int | Literal["container"]

# Shapes that nobody confuses with the upward triangle of a study that missed its goal.
SHAPES = ("circle", "square", "diamond", "cross", "triangle-down", "triangle-right")
DASHES: tuple[tuple[int, ...], ...] = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 4), (12, 4))


@dataclass(frozen=True)
class Palette:
    """The colours of one colour scheme, as CSS colours.

    The series colours follow Okabe and Ito's set for colour-blind readers, darkened or lightened
    until each stands out from `paper` by 3:1 or more.
    """

    series: tuple[str, ...]
    ink: str
    muted: str
    faint: str
    grid: str
    paper: str


LIGHT = Palette(
    series=("#0068a8", "#cc5500", "#00846a", "#a8448a", "#8a6a00", "#5a5f66"),
    ink="#1b1f24",
    muted="#5c636b",
    faint="#9aa1a9",
    grid="#e7e9ec",
    paper="#ffffff",
)
DARK = Palette(
    series=("#63b8f0", "#ff9a4d", "#35cfa6", "#ea9bd0", "#e0c04a", "#b9bfc7"),
    ink="#e8eaed",
    muted="#a4abb3",
    faint="#757d86",
    grid="#2c3138",
    paper="#14171b",
)
# In the page the browser resolves the colours, so that plots follow the colour scheme, and print
# light, without being drawn again.
CSS = Palette(
    series=tuple(f"var(--series-{i})" for i in range(len(LIGHT.series))),
    ink="var(--ink)",
    muted="var(--muted)",
    faint="var(--faint)",
    grid="var(--grid)",
    paper="var(--paper)",
)

SCREEN_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
FIGURE_FONT = 'Helvetica, Arial, "Liberation Sans", sans-serif'


def css_variables(palette: Palette) -> str:
    """Returns the CSS declarations that give `CSS` the colours of `palette`."""
    names = ("ink", "muted", "faint", "grid", "paper")
    pairs = [(name, getattr(palette, name)) for name in names]
    pairs += [(f"series-{i}", colour) for i, colour in enumerate(palette.series)]
    return "".join(f"--{name}:{colour};" for name, colour in pairs)


@dataclass(frozen=True)
class Style:
    """How plots are drawn: for the page (CSS colours, fluid width) or for a figure file."""

    palette: Palette
    font: str
    width: Width


PAGE_STYLE = Style(palette=CSS, font=SCREEN_FONT, width="container")
FIGURE_STYLE = Style(palette=LIGHT, font=FIGURE_FONT, width=640)


@dataclass(frozen=True)
class Series:
    """One sweep and how it is drawn.

    Attributes:
        index: its place in the report.
        label: the sweep's name, made unique: two folders may hold sweeps of the same name.
        colour: in the palette of the style it was made for.
    """

    index: int
    label: str
    sweep: SweepFindings
    colour: str
    shape: str
    dash: tuple[int, ...]


def series_of(findings: Findings, style: Style) -> tuple[Series, ...]:
    """Returns the series of a report, in order."""
    seen: Counter[str] = Counter()
    series = []
    for index, sweep in enumerate(findings.sweeps):
        seen[sweep.name] += 1
        repeat = seen[sweep.name]
        colours = style.palette.series
        series.append(
            Series(
                index=index,
                label=sweep.name if repeat == 1 else f"{sweep.name} ({repeat})",
                sweep=sweep,
                colour=colours[index % len(colours)],
                shape=SHAPES[index % len(SHAPES)],
                dash=DASHES[index % len(DASHES)],
            )
        )
    return tuple(series)
