"""The project's own words are explained where a page first uses them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.base.paths import CHECKOUT

WORDS = ("claim", "vintage", "witness", "tier", "voice", "physical", "dex")
# the glossary, lists, and pages whose sentences are shown elsewhere, too
EXEMPT = {"README.md", "data-dictionary.md", "examples.md", "figures.md", "first-hour.md", "glossary.md", "queries.md"}
PAGES = [file for file in sorted((CHECKOUT / "docs").glob("*.md")) if file.name not in EXEMPT]
LEFT_OUT = re.compile(r"```.*?```|<!--.*?-->|^#.*?$|^ {4,}\S.*?$|^\|.*?$|(?<!\[)`[^`]*`", re.DOTALL | re.MULTILINE)


def prose(page: Path) -> str:
    """The text of a page without code, headings, tables and comments."""
    return LEFT_OUT.sub("", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_word_of_our_own_is_linked_where_a_page_first_uses_it(page: Path) -> None:
    text = prose(page)
    first = {word: re.search(rf"(?i)\b{word}(?:e?s)?\b.{{0,30}}", text, re.DOTALL) for word in WORDS}
    missing = [use[0] for word, use in first.items() if use and f"glossary.md#{word}" not in use[0]]
    assert missing == []
