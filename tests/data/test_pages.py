"""README.md and docs/ print what the dataset says now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT, Paths
from pipeline.site.printed import pages, renewed

# test_reproductions.py renews the first; the commands of the other take long
ELSEWHERE = {"quality.md", "thresholds.md"}
PAGES = pages(Paths(CHECKOUT))
NAMES = {file.name: file for file in PAGES}


@pytest.mark.parametrize("name", sorted(NAMES.keys() - ELSEWHERE))
def test_a_page_is_current(name: str, published: Path) -> None:
    made = renewed(PAGES[NAMES[name]], name, Paths(CHECKOUT, output=published))
    assert made == NAMES[name].read_text(encoding="utf-8"), "run `traincompute dev docs`"


def test_nothing_contradicts_itself() -> None:
    page = (CHECKOUT / "docs" / "quality.md").read_text(encoding="utf-8")
    answers = re.findall(r"^\| (?:a|one) .* \| (.*) \|$", page, re.MULTILINE)
    assert len(answers) >= 6
    assert set(answers) == {"0"}
