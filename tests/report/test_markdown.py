"""The Markdown summary."""

import re

from batchscope.analysis.findings import Findings
from batchscope.report import to_markdown


def _tables(markdown: str) -> list[list[list[str]]]:
    """Returns the tables as rows of cells, split at the bars that are not escaped."""
    tables: list[list[list[str]]] = [[]]
    for line in markdown.splitlines():
        if line.startswith("|"):
            assert line.endswith(" |")
            tables[-1].append([c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif tables[-1]:
            tables.append([])
    return [table for table in tables if table]


def test_answers_come_first(two_sweeps: Findings) -> None:
    markdown = to_markdown(two_sweeps)
    before_numbers = markdown.split("| With")[0]
    assert markdown.startswith("# ")
    for sweep in two_sweeps.sweeps:
        assert sweep.headline in before_numbers
    assert "90 % interval 2.1 to 4.3" in before_numbers


def test_tables_hold_key_numbers_ratios_and_studies(two_sweeps: Findings) -> None:
    numbers, ratios, sgd, _ = _tables(to_markdown(two_sweeps))
    assert numbers[3] == ["Critical batch size", "74 (61.7 to 88.8)", "216 (180 to 259)"]
    assert ratios[2] == ["End of perfect scaling", "3", "2.1 to 4.29"]
    assert len(sgd) == 12
    assert sgd[2][:4] == ["4", "1,792", "1,613 to 2,007", "7,168"]


def test_tables_are_rectangular_whatever_the_findings(degenerate_findings: Findings) -> None:
    for header, rule, *rows in _tables(to_markdown(degenerate_findings)):
        assert all(re.fullmatch(r"-{3}:?", cell) for cell in rule)
        assert {len(row) for row in (rule, *rows)} == {len(header)}


def test_nothing_in_a_name_becomes_markup(odd_findings: Findings) -> None:
    markdown = to_markdown(odd_findings)
    assert "<" not in markdown
    assert not re.search(r"(?<!\\)\*c\*|(?<!\\)`b", markdown)
    assert "größer 批量" in markdown
    assert re.search(r"^- .*two lines$", markdown, re.MULTILINE)  # a note stays one item
