"""The docs of the site in a browser: from disk, without requests or refusals, in both themes and on a phone."""

from __future__ import annotations

from pathlib import Path

from browser import Browser
from selenium.webdriver.common.keys import Keys


def open_page(page: Browser, folder: Path, name: str) -> None:
    page.visit((folder / "docs" / name).as_uri())
    there = "return location.pathname.endsWith(arguments[0]) && document.readyState === 'complete'"
    page.wait(there, f"/docs/{name}")


def test_every_page_opens_from_disk_alone(blank: Browser, folder: Path) -> None:
    names = sorted(file.name for file in (folder / "docs").glob("*.html"))
    assert len(names) > 50
    for name in names[::9]:
        open_page(blank, folder, name)
        assert blank.errors() == [], name
        assert [a for a in blank.requests() if not a.startswith(("file://", "data:"))] == [], name
        broken = "return [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src)"
        assert blank.run(broken) == [], name


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


def test_the_search_leads_to_what_is_about_the_words(blank: Browser, folder: Path) -> None:
    blank.resize(1440, 900)
    open_page(blank, folder, "index.html")
    blank.keys("/", "EU AI Act")
    blank.wait("return document.querySelectorAll('#found a').length > 0")
    first = blank.run(
        "return [...document.querySelectorAll('#found a')].slice(0, 3).map((a) => a.pathname.split('/').pop())"
    )
    assert "count-above-threshold.html" in first
