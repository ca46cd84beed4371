"""Links lead somewhere, and numbers on the pages are those in the code."""

import re
from pathlib import Path

import numpy as np
import pytest

from batchscope.analysis.curve import TOLERANCE
from batchscope.analysis.curve_findings import LEVEL
from batchscope.analysis.edges import NEAR
from batchscope.analysis.headline import FEWEST_STUDIES
from batchscope.analysis.study_findings import LARGEST_OPTIMISM_LOG2
from batchscope.data import load_dataset
from batchscope.data.load import DATASETS
from batchscope.spec.sweep import Named

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md"])


def _anchors(page: Path) -> set[str]:
    """The anchors GitHub gives to the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_within_the_repository_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8")):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        there = page if not path else page.parent / path
        assert there.exists(), target
        assert not anchor or anchor in _anchors(there), target


def test_the_data_sets_are_all_there_with_their_sizes(page):
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|", page("data.md").text, re.MULTILINE)
    assert [name for name, *_ in rows] == list(DATASETS)
    for name, shape, sizes in rows:
        said = DATASETS[name].__doc__
        assert shape.replace("×", "x") in said, name
        assert all(size in said for size in sizes.split(" / ")), name


def test_the_sizes_of_the_embedded_data_set_are_true(page):
    dataset = load_dataset(Named("mnist_10k"))
    sizes = [f"{len(split):,}" for split in (dataset.train, dataset.val, dataset.test)]
    text = page("data.md").text
    assert f"| {' / '.join(sizes)} |" in text
    # the standardisation: what black and white become, undone with the numbers on the page
    mean, deviation = map(
        float, re.search(r"then ([\d.]+) is subtracted and .* divided by ([\d.]+):", text).groups()
    )
    inputs, _ = dataset.train.fetch(np.arange(64))
    pixels = inputs * deviation + mean
    assert pixels.min() == pytest.approx(0, abs=1e-5)
    assert pixels.max() == pytest.approx(1, abs=1e-5)


def test_the_method_has_the_numbers_of_the_code(page):
    text = page("method.md").text
    assert f"tolerance t = {TOLERANCE}:" in text
    assert f"All intervals are {LEVEL:.0%} intervals".replace("%", " %") in text
    assert {4: "At least four batch sizes"}[FEWEST_STUDIES] in text
    assert f"within {100 * NEAR:g} % of an edge" in text
    more = 100 * (2**LARGEST_OPTIMISM_LOG2 - 1)
    assert f"Above {LARGEST_OPTIMISM_LOG2} ({more:.0f} % more steps" in text
