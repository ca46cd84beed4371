"""The figures and the files of a report."""

import json
import os
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable
from math import log
from pathlib import Path

import pytest

from batchscope.analysis.findings import Findings
from batchscope.errors import ResultsError
from batchscope.report import figures, to_json, to_markdown, write_report


def test_report_writes_page_summary_numbers_and_figures(censored: Findings, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "demo"
    files = write_report(censored, folder)
    assert files.html.read_text("utf-8").startswith("<!doctype html>")
    assert files.markdown.read_text("utf-8") == to_markdown(censored)
    assert json.loads(files.json.read_text("utf-8")) == json.loads(json.dumps(to_json(censored)))
    written = {path for path in folder.rglob("*") if path.is_file()}
    assert written == {files.html, files.markdown, files.json, *files.figures}

    for path in files.figures:
        if path.suffix == ".svg":
            assert ET.fromstring(path.read_text("utf-8")).tag.endswith("svg")
    main = folder / "figures" / "steps_to_result.png"
    width, height = struct.unpack(">II", main.read_bytes()[16:24])
    assert main in files.figures
    assert width > 1200 and height > 900  # twice the size of the figure


def test_figures_are_altair_charts_with_stable_names(two_sweeps: Findings) -> None:
    charts = figures(two_sweeps)
    assert list(charts)[:2] == ["steps_to_result", "examples_to_result"]
    assert {"optimism", "slopes", "steps_ratio", "best_learning_rate"} <= set(charts)
    spec = charts["steps_to_result"].to_dict()  # validates against Vega-Lite's schema
    assert spec["title"]["text"] == "Steps to result against batch size"
    assert "var(" not in json.dumps(spec)  # colours of a figure stand on their own


def test_main_figure_holds_measurements_censored_studies_and_turns(
    censored: Findings,
) -> None:
    spec = figures(censored)["steps_to_result"].to_dict()
    rows = [row for data in spec["datasets"].values() for row in data]
    points = {row["batch_size"]: row for row in rows if "reached" in row}
    assert (points[4]["value"], points[4]["low"]) == (1792, pytest.approx(1792 * 0.9))
    assert points[2048]["reached"] is False
    assert points[2048]["value"] == 200  # its budget, from which it is censored
    bars = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rule"]
    spans = [spec["datasets"][layer["data"]["name"]] for layer in bars]
    assert [r["batch_size"] for r in spans[1]] == [2**i for i in range(2, 10)]  # all but censored
    turns = {row["name"].split(" (")[0]: row["batch_size"] for row in rows if "name" in row}
    curve = censored.sweeps[0].curve
    assert curve is not None
    assert turns == {
        "End of perfect scaling": curve.end_of_perfect_scaling.value,
        "Maximum useful batch size": curve.maximum_useful_batch_size.value,
    }
    regimes = {row["regime"]: (row["start"], row["end"]) for row in rows if "regime" in row}
    assert regimes["perfect scaling"] == (4, curve.end_of_perfect_scaling.value)
    assert regimes["maximal"] == (curve.maximum_useful_batch_size.value, 2048)


def test_heuristic_lines_have_slopes_one_and_half_through_the_middle(
    two_sweeps: Findings,
) -> None:
    spec = figures(two_sweeps)["effective_learning_rate_1_mnist_10k-fc_64-sgd"].to_dict()
    rows = [row for data in spec["datasets"].values() for row in data]
    points = [row for row in rows if "best_text" in row]
    middle = [sum(log(p[k]) for p in points) / len(points) for k in ("batch_size", "value")]
    for name, slope in (("linear", 1.0), ("square root", 0.5)):
        a, b = (row for row in rows if row.get("heuristic") == name)
        rise = (log(b["value"]) - log(a["value"])) / (log(b["batch_size"]) - log(a["batch_size"]))
        assert rise == pytest.approx(slope)
        offset = middle[1] - log(a["value"]) - slope * (middle[0] - log(a["batch_size"]))
        assert offset == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("kind", ["all infeasible", "nothing known", "odd names", "one study"])
def test_figures_of_degenerate_findings_are_valid(
    findings_of: Callable[[str], Findings], kind: str
) -> None:
    for name, chart in figures(findings_of(kind)).items():
        assert "/" not in name and name.isascii()
        json.dumps(chart.to_dict(), allow_nan=False)


def test_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path,
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(ResultsError, match=r"cannot be written to .*file"):
        write_report(Findings(()), blocked)


def test_a_write_that_fails_leaves_the_earlier_report_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = write_report(Findings(()), tmp_path)
    before = {path: path.read_bytes() for path in (files.html, files.markdown, files.json)}

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as partial:
            partial.write(content[: len(content) // 2])
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ResultsError, match="No space left"):
        write_report(Findings(()), tmp_path)
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in before} == before
    assert [p for p in tmp_path.rglob("*") if p.is_file() and p not in before] == []
