"""Writes a report to a folder, each file whole or not at all."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import vl_convert

from batchscope.analysis.findings import Findings
from batchscope.errors import ResultsError
from batchscope.report.curve_json import to_json
from batchscope.report.markdown import to_markdown
from batchscope.report.page import to_html
from batchscope.report.plots import figures

_PNG_SCALE = 2.0
# The one worth pasting elsewhere also comes as PNG, which takes a second to draw.
_PASTED = ("steps_to_result",)


@dataclass(frozen=True)
class ReportFiles:
    """Where the parts of a report are.

    Attributes:
        figures: an SVG file for each plot, for the most wanted also a PNG file.
    """

    html: Path
    markdown: Path
    json: Path
    figures: tuple[Path, ...]


def write_report(findings: Findings, folder: str | Path) -> ReportFiles:
    """Writes `report.html`, `report.md`, `curve.json` and `figures/` into `folder`.

    A reader never meets half a file: each is written under a temporary name, then renamed. Files
    of an earlier report are replaced.

    Raises:
        ResultsError: the folder cannot be written.
    """
    folder = Path(folder)
    drawn = dict(_drawn(findings, folder / "figures"))
    files = ReportFiles(
        html=folder / "report.html",
        markdown=folder / "report.md",
        json=folder / "curve.json",
        figures=tuple(drawn),
    )
    numbers = json.dumps(to_json(findings), indent=1, ensure_ascii=False, allow_nan=False)
    contents = {
        files.json: (numbers + "\n").encode(),
        files.markdown: to_markdown(findings).encode(),
        files.html: to_html(findings).encode(),
        **drawn,
    }
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            _replace(path, content)
    except OSError as error:
        raise ResultsError(
            f"the report cannot be written to {str(folder)!r} ({error.strerror or error}): "
            "name a folder that can be written and has room, and run the report again"
        ) from error
    return files


def _drawn(findings: Findings, folder: Path) -> Iterator[tuple[Path, bytes]]:
    for name, chart in figures(findings).items():
        svg = vl_convert.vegalite_to_svg(chart.to_dict(validate=False))
        yield folder / f"{name}.svg", svg.encode()
        if name in _PASTED:
            yield folder / f"{name}.png", vl_convert.svg_to_png(svg, scale=_PNG_SCALE)


def _replace(path: Path, content: bytes) -> None:
    """Writes `content` to `path` at once; the process id keeps two writers apart."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
