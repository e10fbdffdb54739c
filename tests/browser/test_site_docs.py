"""The docs of the site in a browser: from disk, without requests or refusals, in both themes and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser
from selenium.webdriver.common.keys import Keys


def open_page(page: Browser, folder: Path, name: str) -> None:
    page.errors()
    page.requests()
    page.driver.get((folder / "docs" / name).as_uri())
    there = "return location.pathname.endsWith(arguments[0]) && document.readyState === 'complete'"
    page.wait(there, f"/docs/{name}")


def test_the_explorer_leads_to_the_docs_and_back(page: Browser) -> None:
    page.click(".tools a[href='docs/index.html']")
    page.wait("return document.title === 'Documentation · traincompute'")
    page.click(".tools a")
    page.wait("return document.body?.dataset.ready === '1'")


def test_every_page_opens_from_disk_alone(page: Browser, folder: Path) -> None:
    names = sorted(file.name for file in (folder / "docs").glob("*.html"))
    assert len(names) > 10
    for name in names:
        open_page(page, folder, name)
        assert page.errors() == [], name
        assert [a for a in page.requests() if not a.startswith(("file://", "data:"))] == [], name
        broken = "return [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src)"
        assert page.run(broken) == [], name


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", ["index.html", "queries.html", "data-dictionary.html"])
def test_no_serious_accessibility_fault(page: Browser, folder: Path, name: str, width: int, theme: str) -> None:
    page.resize(width, 900, prefers_color_scheme=theme)
    open_page(page, folder, name)
    assert page.faults() == []


def test_a_phone_scrolls_tables_not_the_page(page: Browser, folder: Path) -> None:
    page.resize(360, 740)
    for name in ("queries.html", "data-dictionary.html", "sources.html", "readme.html", "first-hour.html"):
        open_page(page, folder, name)
        assert page.run("return document.documentElement.scrollWidth") <= 360, name
    widest = "return Math.max(...[...document.querySelectorAll('pre')].map((e) => e.scrollWidth - e.clientWidth))"
    assert page.run(widest) > 0


def test_the_keyboard_skips_the_navigation_and_the_theme_is_kept(page: Browser, folder: Path) -> None:
    open_page(page, folder, "method.html")
    page.keys(Keys.TAB)
    assert page.run("return document.activeElement.textContent") == "Skip to the text"
    page.keys(Keys.ENTER)
    assert page.run("return document.activeElement.id") == "content"
    page.click("#theme")
    ground = page.run("return [document.querySelector('#theme').textContent, document.documentElement.dataset.theme]")
    assert ground == ["Theme: light", "light"]
    page.run("traincompute.setTheme('auto')")


def test_the_search_box_is_used_by_keyboard_and_never_writes_markup(page: Browser, folder: Path) -> None:
    page.resize(1440, 900)
    open_page(page, folder, "index.html")
    page.keys("/", "doubling")
    page.wait("return document.querySelectorAll('#found a').length > 0")
    assert page.run(
        "return [...document.querySelectorAll('#found mark')].every((m) => /doubling/i.test(m.textContent))"
    )
    page.keys(Keys.ARROW_DOWN)
    assert page.run("return document.activeElement.matches('#found a')")
    page.keys(Keys.ESCAPE, "<img src=x>")
    page.wait("return document.querySelector('#found-said').textContent !== ''")
    assert page.run("return document.querySelectorAll('#search img').length") == 0
    page.keys(Keys.ESCAPE, "byte by byte", Keys.ENTER)
    page.wait("return !location.pathname.endsWith('/index.html')")
    assert page.errors() == []


def test_the_search_leads_to_what_is_about_the_words(page: Browser, folder: Path) -> None:
    page.resize(1440, 900)
    open_page(page, folder, "index.html")
    page.keys("/", "EU AI Act")
    page.wait("return document.querySelectorAll('#found a').length > 0")
    first = page.run(
        "return [...document.querySelectorAll('#found a')].slice(0, 3).map((a) => a.pathname.split('/').pop())"
    )
    assert "count-above-threshold.html" in first
    assert "errata.html" not in first
