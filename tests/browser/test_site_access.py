"""The explorer without a mouse, without colours, on a phone: what axe calls serious, keyboard, width, themes."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import AXE, Browser, grave_faults, needs_axe
from test_facts_pages import PAGES as FACTS
from test_static_pages import LONGEST
from test_static_pages import NAMES as STATIC

READY = "body[data-ready='1']"
DOCS = ("index", "figures", "frontier", "count-above-threshold", "table-models", "license-data")
# what others have, too: two seconds each for the long ones
LIKE = {
    (name, "")
    for name in (LONGEST, *(f"docs/{name}.html" for name in ("queries", "method", "license-data", "frontier")))
}
LIKE |= {("facts.html", FACTS[kind]) for kind in ("organization", "country", "source")}
# a page of every kind, what follows # in its address, and what shows that it is there
PAGES = [
    ("index.html", "intervals=1", f"{READY} #table tbody a"),
    ("index.html", "model=goat-7b", f"{READY} .estimates"),
    ("index.html", "model=claude-opus-5", f"{READY} #model[open] h2"),
    ("sql.html", "", READY),
    *(("facts.html", view, f"{READY} #content h1") for view in FACTS.values()),
    *((name, "", "main h1") for name in STATIC),
    *((f"docs/{name}.html", "", "main h1") for name in DOCS),
    *((f"docs/{name}.html", "", "main h1") for name in ("queries", "method")),
    (LONGEST, "", "main h1"),
]


@pytest.mark.parametrize(("width", "theme"), [(1440, "light")])
def test_no_serious_accessibility_fault(blank: Browser, theme: str, width: int) -> None:
    blank.resize(width, 900, prefers_color_scheme=theme)
    blank.open("intervals=1")
    blank.run("document.body.classList.add('filters-open')")
    blank.unfold()
    assert blank.faults(texts=150) == []
    blank.open("model=goat-7b")
    blank.wait("return document.querySelector('.estimates')")
    blank.run("for (const e of document.querySelectorAll('#model details')) e.open = true")
    blank.wait("return document.querySelector('#model').getAnimations().every((a) => a.playState === 'finished')")
    assert blank.faults("#model") == []


@needs_axe
def test_axe_sees_a_fault(page: Browser) -> None:
    page.run("document.documentElement.lang = ''")
    assert "html-has-lang" in [rule for rule, *_ in grave_faults(page, AXE)]


LOOKS = [("light", 1440), ("dark", 1440), ("light", 390)]
# every page but those that are like others, each in one look
LOOKED_AT = [(*LOOKS[number % len(LOOKS)], *page) for number, page in enumerate(PAGES) if page[:2] not in LIKE]


@needs_axe
@pytest.mark.parametrize(("theme", "width", "name", "view", "shown"), LOOKED_AT)
def test_axe_finds_no_serious_fault(
    blank: Browser, folder: Path, theme: str, width: int, name: str, view: str, shown: str
) -> None:
    blank.resize(width, 900, prefers_color_scheme=theme)
    blank.visit(f"{(folder / name).as_uri()}#{view}")
    blank.find(shown)
    blank.unfold()
    assert grave_faults(blank, AXE) == []
