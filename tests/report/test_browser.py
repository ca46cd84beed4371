"""The page in headless Chromium: from the file system, with the network off."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from batchscope.report.theme import DARK, LIGHT

pytestmark = pytest.mark.browser

WIDTHS = {"phone": (390, 844), "narrow phone": (360, 740), "desktop": (1280, 900)}
POINT = '[data-plot="steps_to_result"] .mark-symbol path[aria-roledescription="point"]'
Rendered = Callable[[str], str]


@contextmanager
def opened(
    browser: Browser, html: str, folder: Path, *, width: str = "desktop", scheme: str = "light"
) -> Iterator[Page]:
    """Opens `html` from a file and fails on any error, warning or attempt to load something."""
    file = folder / "report.html"
    file.write_text(html, "utf-8")
    columns, rows = WIDTHS[width]
    context = browser.new_context(
        viewport={"width": columns, "height": rows},
        color_scheme="dark" if scheme == "dark" else "light",
        offline=True,
    )
    complaints: list[str] = []
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    context.route(re.compile(r"^(?!file:|data:|about:)"), lambda route: route.abort())
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text) if message.type in {"error", "warning"} else None
        ),
    )
    try:
        page.goto(file.as_uri())
        yield page
    finally:
        context.close()
    assert complaints == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []


def drawn(page: Page | Frame) -> None:
    """Waits until every plot is drawn, and checks that each is."""
    page.wait_for_selector("html[data-drawn]", state="attached")
    marks = page.eval_on_selector_all(
        "[data-plot]",
        "places => places.map(p => [p.dataset.plot, p.querySelectorAll('svg .role-mark path, "
        "svg .role-mark line').length, p.querySelector('svg')?.getBoundingClientRect().width])",
    )
    empty = [name for name, count, width in marks if count < 1 or width < 200]
    assert empty == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", ["phone", "desktop"])
def test_page_is_drawn_and_does_not_scroll_sideways(
    browser: Browser, page_of: Rendered, tmp_path: Path, width: str, scheme: str
) -> None:
    with opened(browser, page_of("two sweeps"), tmp_path, width=width, scheme=scheme) as page:
        drawn(page)
        assert page.locator("[data-plot] svg").count() == 14
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == _rgb((DARK if scheme == "dark" else LIGHT).paper)


@pytest.mark.parametrize("width", ["phone", "desktop"])
def test_hovering_a_point_tells_its_facts_on_the_screen(
    browser: Browser, page_of: Rendered, tmp_path: Path, width: str
) -> None:
    with opened(browser, page_of("two sweeps"), tmp_path, width=width) as page:
        drawn(page)
        page.locator(POINT).first.hover()
        tip = page.locator("#vg-tooltip-element")
        expect(tip).to_be_visible()
        for text in ("Batch size", "1,792", "1,613 to 2,007", "7,168", "pruned", "learning_rate"):
            expect(tip).to_contain_text(text)
        box = tip.bounding_box()
        columns, rows = WIDTHS[width]
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= columns
        assert box["y"] >= 0 and box["y"] + box["height"] <= rows


def test_clicking_the_legend_hides_and_shows_a_series(
    browser: Browser, page_of: Rendered, tmp_path: Path
) -> None:
    with opened(browser, page_of("two sweeps"), tmp_path) as page:
        drawn(page)
        entries = page.locator('[data-plot="steps_to_result"] .role-legend-label text')

        def visible() -> int:
            opacities = page.locator(POINT).evaluate_all(
                "marks => marks.map(m => Number(getComputedStyle(m).opacity))"
            )
            return sum(opacity > 0.5 for opacity in opacities)

        assert visible() == 20
        entries.nth(1).click()
        assert visible() == 10
        labels = page.locator('[data-plot="steps_to_result"] text', has_text="maximal")
        assert labels.evaluate_all("all => all.map(t => getComputedStyle(t).opacity)") == ["0", "1"]
        entries.nth(0).click()
        assert visible() == 20
        entries.nth(1).click()
        assert visible() == 10


def test_plots_follow_the_colour_scheme_and_print_light(
    browser: Browser, page_of: Rendered, tmp_path: Path
) -> None:
    with opened(browser, page_of("two sweeps"), tmp_path) as page:
        drawn(page)

        def fill() -> str:
            return str(page.locator(POINT).first.evaluate("mark => getComputedStyle(mark).fill"))

        assert fill() == _rgb(LIGHT.series[0])
        page.emulate_media(color_scheme="dark")
        assert fill() == _rgb(DARK.series[0])
        page.emulate_media(color_scheme="dark", media="print")
        assert fill() == _rgb(LIGHT.series[0])


def test_page_works_in_a_sandboxed_frame_without_origin(
    browser: Browser, page_of: Rendered, tmp_path: Path
) -> None:
    frame = f'<iframe sandbox="allow-scripts" srcdoc="{escape(page_of("two sweeps"))}"'
    parent = f'<!doctype html><title>x</title>{frame} width="900" height="800"></iframe>'
    with opened(browser, parent, tmp_path) as page:
        (inner,) = page.main_frame.child_frames
        drawn(inner)
        assert inner.evaluate("origin") == "null"
        inner.locator(POINT).first.hover()
        expect(inner.locator("#vg-tooltip-element")).to_contain_text("1,792")
        inner.locator('[data-plot="steps_to_result"] .role-legend-label text').nth(1).click()


def test_hostile_names_run_nothing(browser: Browser, page_of: Rendered, tmp_path: Path) -> None:
    with opened(browser, page_of("odd names"), tmp_path) as page:
        page.on("dialog", lambda dialog: pytest.fail(f"a name ran as a script: {dialog.message}"))
        drawn(page)
        page.locator(POINT).first.hover()
        tip = page.locator("#vg-tooltip-element")
        expect(tip).to_contain_text("<script>alert(1)</script>")
        assert tip.locator("script").count() == 0


@pytest.mark.parametrize(
    "name",
    ["all infeasible", "not measured yet", "nothing known", "eight sweeps", "no sweep"],
)
def test_degenerate_pages_are_drawn(
    browser: Browser, page_of: Rendered, tmp_path: Path, name: str
) -> None:
    with opened(browser, page_of(name), tmp_path, width="narrow phone", scheme="dark") as page:
        drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def _rgb(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"
