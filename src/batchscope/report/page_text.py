"""Small pieces of HTML: escaped text, tables, swatches."""

from collections.abc import Sequence
from html import escape

from batchscope.report.theme import Series

_SWATCHES = {
    "circle": '<circle cx="6" cy="6" r="5"/>',
    "square": '<rect x="1.5" y="1.5" width="9" height="9"/>',
    "diamond": '<path d="M6 0l4.5 6L6 12 1.5 6z"/>',
    "cross": '<path d="M4 1h4v3h3v4H8v3H4V8H1V4h3z"/>',
    "triangle-down": '<path d="M0 2h12L6 11z"/>',
    "triangle-right": '<path d="M2 0v12l9-6z"/>',
}


def text(value: str) -> str:
    """Returns `value` as text that is safe in an element and in a quoted attribute."""
    return escape(value, quote=True)


def swatch(series: Series) -> str:
    """Returns the mark that stands for a series in every plot."""
    return (
        f'<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true" fill="{series.colour}">'
        f"{_SWATCHES[series.shape]}</svg>"
    )


def scrolling_table(label: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table that scrolls sideways inside the page; cells are HTML.

    The first cell of each row heads it.
    """
    head = "".join(f'<th scope="col">{cell}</th>' for cell in header)
    lines = [
        f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>"
        for first, *rest in rows
    ]
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{text(label)}">'
        f'<table style="--columns:{len(header) - 1}">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )
