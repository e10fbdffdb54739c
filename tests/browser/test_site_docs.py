"""The docs of the site in a browser: from disk, without requests or refusals, in both themes and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser
from selenium.webdriver.common.keys import Keys


def open_page(page: Browser, folder: Path, name: str) -> None:
    page.visit((folder / "docs" / name).as_uri())
    there = "return location.pathname.endsWith(arguments[0]) && document.readyState === 'complete'"
    page.wait(there, f"/docs/{name}")


@pytest.mark.thorough
def test_the_explorer_leads_to_the_docs_and_back(page: Browser) -> None:
    page.click(".tools a[href='docs/index.html']")
    page.wait("return document.title === 'Documentation · traincompute'")
    page.click(".tools a")
    page.wait("return document.body?.dataset.ready === '1'")


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.thorough)])
def test_every_page_opens_from_disk_alone(blank: Browser, folder: Path, step: int) -> None:
    names = sorted(file.name for file in (folder / "docs").glob("*.html"))
    assert len(names) > 50
    for name in names[::step]:
        open_page(blank, folder, name)
        assert blank.errors() == [], name
        assert [a for a in blank.requests() if not a.startswith(("file://", "data:"))] == [], name
        broken = "return [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src)"
        assert blank.run(broken) == [], name


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", ["index.html", "queries.html", "data-dictionary.html"])
def test_no_serious_accessibility_fault(blank: Browser, folder: Path, name: str, width: int, theme: str) -> None:
    blank.resize(width, 900, prefers_color_scheme=theme)
    open_page(blank, folder, name)
    assert blank.faults() == []


@pytest.mark.thorough
def test_a_phone_scrolls_tables_not_the_page(blank: Browser, folder: Path) -> None:
    blank.resize(360, 740)
    for name in ("queries.html", "data-dictionary.html", "sources.html", "readme.html", "first-hour.html"):
        open_page(blank, folder, name)
        assert blank.run("return document.documentElement.scrollWidth") <= 360, name
    widest = "return Math.max(...[...document.querySelectorAll('pre')].map((e) => e.scrollWidth - e.clientWidth))"
    assert blank.run(widest) > 0


def test_the_keyboard_skips_the_navigation_and_the_theme_is_kept(blank: Browser, folder: Path) -> None:
    open_page(blank, folder, "method.html")
    blank.keys(Keys.TAB)
    assert blank.run("return document.activeElement.textContent") == "Skip to the text"
    blank.keys(Keys.ENTER)
    assert blank.run("return document.activeElement.id") == "content"
    blank.click("#theme")
    ground = blank.run("return [document.querySelector('#theme').textContent, document.documentElement.dataset.theme]")
    assert ground == ["Theme: light", "light"]
    blank.run("traincompute.setTheme('auto')")


@pytest.mark.thorough
def test_the_search_box_is_used_by_keyboard_and_never_writes_markup(blank: Browser, folder: Path) -> None:
    blank.resize(1440, 900)
    open_page(blank, folder, "index.html")
    blank.keys("/", "doubling")
    blank.wait("return document.querySelectorAll('#found a').length > 0")
    assert blank.run(
        "return [...document.querySelectorAll('#found mark')].every((m) => /doubling/i.test(m.textContent))"
    )
    blank.keys(Keys.ARROW_DOWN)
    assert blank.run("return document.activeElement.matches('#found a')")
    blank.keys(Keys.ESCAPE, "<img src=x>")
    blank.wait("return document.querySelector('#found-said').textContent !== ''")
    assert blank.run("return document.querySelectorAll('#search img').length") == 0
    blank.keys(Keys.ESCAPE, "byte by byte", Keys.ENTER)
    blank.wait("return !location.pathname.endsWith('/index.html')")
    assert blank.errors() == []


def test_the_search_leads_to_what_is_about_the_words(blank: Browser, folder: Path) -> None:
    blank.resize(1440, 900)
    open_page(blank, folder, "index.html")
    blank.keys("/", "EU AI Act")
    blank.wait("return document.querySelectorAll('#found a').length > 0")
    first = blank.run(
        "return [...document.querySelectorAll('#found a')].slice(0, 3).map((a) => a.pathname.split('/').pop())"
    )
    assert "count-above-threshold.html" in first
    assert "errata.html" not in first
