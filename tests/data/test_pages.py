"""The pages of docs/ print what the dataset says now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT, Paths
from pipeline.site.printed import HIDDEN, RUN, pages, renewed

DOCS = CHECKOUT / "docs"
# tests/data/test_reproductions.py compares that page with the results that it looks at anyway; the others take long
ELSEWHERE = {"reproductions.md", "audit-a-number.md", "count-above-threshold.md", "frontier.md"}
PAGES = {file.name: text for file, text in pages(Paths(CHECKOUT)).items() if RUN.search(text) or HIDDEN.search(text)}


@pytest.mark.parametrize("name", sorted(PAGES.keys() - ELSEWHERE))
def test_a_page_is_current(name: str, published: Path) -> None:
    made = renewed(PAGES[name], name, Paths(CHECKOUT, output=published))
    assert made == (DOCS / name).read_text(encoding="utf-8"), "run `traincompute dev docs`"


def test_pages_that_print_are_run() -> None:
    assert PAGES.keys() >= {"first-hour.md", "queries.md", "fit-growth.md", "data-dictionary.md", *ELSEWHERE}


def test_nothing_contradicts_itself() -> None:
    page = (DOCS / "quality.md").read_text(encoding="utf-8")
    answers = re.findall(r"^\| n \|\n\|---:\|\n\| (.*) \|$", page, re.MULTILINE)
    assert len(answers) >= 11
    assert set(answers) == {"0"}
