"""The page without a browser: self-contained, escaped, in order, complete."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from batchscope.analysis.findings import Findings
from batchscope.report import to_html

Rendered = Callable[[str], str]


class _Outline(HTMLParser):
    """Collects what a browser would load, run and nest."""

    _VOID = frozenset({"meta", "br", "wbr", "circle", "rect", "path"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.scripts: list[tuple[str | None, str]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [v or "" for k, v in attrs if k in {"src", "href", "srcset", "action"}]
        assert not [k for k, _ in attrs if k.startswith("on")], "an event handler in an attribute"
        if tag == "script":
            self.scripts.append((dict(attrs).get("type"), ""))
        if tag not in self._VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif self.open[-1:] != ["style"]:
            self.words.append(data)


def _outline(html: str) -> _Outline:
    outline = _Outline()
    outline.feed(html)
    outline.close()
    assert not outline.open, f"left open: {outline.open}"
    return outline


def _specs(outline: _Outline) -> dict[str, object]:
    ((_, text),) = [s for s in outline.scripts if s[0] == "application/json"]
    specs: dict[str, object] = json.loads(text)
    return specs


def test_page_loads_nothing_and_holds_the_library_once(page_of: Rendered) -> None:
    html = page_of("two sweeps")
    outline = _outline(html)

    assert outline.links == []
    assert not re.search(r"@import|url\(", html.split("</style>")[0])
    assert "default-src 'none'" in html
    assert len(outline.scripts) == 3  # the specs, the library, ours
    assert len(html.encode()) < 2_000_000


def test_answers_come_first_then_numbers_then_plots(
    page_of: Rendered, two_sweeps: Findings
) -> None:
    words = " ".join(_outline(page_of("two sweeps")).words)
    order = [
        "How far does batch size scale?",
        two_sweeps.sweeps[0].headline,
        two_sweeps.sweeps[1].headline,
        two_sweeps.comparisons[0].sentence,
        "Key numbers",
        two_sweeps.sweeps[0].notes[0],
        "Steps to result against batch size",
        "Examples to result against batch size",
        "Every trial",
        "Best learning rate",
        "Can the curve be trusted?",
        "Three fits",
        "All batch sizes",
        "How to read this",
        "Provenance",
    ]
    places = [words.index(text) for text in order]
    assert places == sorted(places)


def test_every_plot_has_a_place_and_words(page_of: Rendered) -> None:
    html = page_of("two sweeps")
    places = re.findall(r'data-plot="([^"]+)" role="img" aria-label="([^"]+)"', html)
    assert [name for name, _ in places] and {name for name, _ in places} == set(
        _specs(_outline(html))
    )
    assert all(len(label) > 20 for _, label in places)


def test_hostile_names_stay_text(page_of: Rendered, odd_findings: Findings) -> None:
    outline = _outline(page_of("odd names"))

    assert len(outline.scripts) == 3
    assert not any("alert" in text for kind, text in outline.scripts if kind is None)
    words = " ".join(outline.words)
    for shown in (odd_findings.sweeps[0].name, odd_findings.sweeps[0].headline):
        assert shown in words
    assert odd_findings.sweeps[0].name in json.dumps(_specs(outline), ensure_ascii=False).replace(
        '\\"', '"'
    )


def test_bounds_are_shown(two_sweeps: Findings, page_of: Rendered) -> None:
    assert "≥ 1" in page_of("nothing known")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("no sweep", "There is no sweep to report on."),
        ("never reached", "not reached in 20,000"),
        ("not measured yet", "not measured"),
        ("nothing known", "5 missing"),
        ("same name twice", "mnist_10k-fc_64-sgd (2)"),
        ("odd names", "Could not be read"),
    ],
)
def test_page_says_what_is_missing(page_of: Rendered, name: str, expected: str) -> None:
    assert expected in " ".join(_outline(page_of(name)).words)


def test_page_of_every_degenerate_kind_is_well_formed(
    page_of: Rendered, degenerate_name: str
) -> None:
    outline = _outline(page_of(degenerate_name))
    assert outline.tags.count("h1") == 1
    assert "NaN" not in json.dumps(_specs(outline))


def test_equal_findings_give_equal_pages(two_sweeps: Findings, page_of: Rendered) -> None:
    assert to_html(two_sweeps) == page_of("two sweeps")
