"""The pages of things in a real browser, from disk: nothing is fetched, nothing is refused, everybody can use them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser

from pipeline.frames import Tables
from pipeline.paths import Paths
from pipeline.site.write import write_site

PAGES = [
    "model/gpt-4.html",
    "model/claude-opus-5.html",
    "organization/openai.html",
    "country/china.html",
    "chip/nvidia-h100-sxm5-80gb.html",
    "source/epoch_notable.html",
    "organization/index.html",
]
SHIFT = """
const done = arguments[0];
let shift = 0;
new PerformanceObserver((list) => list.getEntries().forEach((entry) => { shift += entry.value; })).observe(
  { type: "layout-shift", buffered: true });
setTimeout(() => done(shift), 200);"""
PAPER = "return getComputedStyle(document.body).backgroundColor"
ASKED = """
window.copied = [];
Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => window.copied.push(text) } });"""


@pytest.fixture(scope="module")
def written(_real_once: tuple[Paths, Tables], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    write_site(_real_once[0].processed, folder)
    return folder


@pytest.fixture
def page(chromium: Browser, written: Path) -> Iterator[Browser]:
    """The browser at desktop size; a test fails on any error that the console shows."""
    chromium.resize(1440, 900)
    chromium.errors()
    yield chromium
    assert chromium.errors() == []


def show(page: Browser, folder: Path, name: str) -> None:
    page.visit((folder / name).as_uri())
    page.wait("return document.readyState === 'complete'")


@pytest.mark.parametrize("name", PAGES)
def test_it_opens_from_disk_alone_and_can_be_used_by_all(page: Browser, written: Path, name: str) -> None:
    show(page, written, name)
    assert [address for address in page.requests() if not address.startswith(("file://", "data:"))] == []
    assert page.driver.execute_async_script(SHIFT) < 0.1
    for width, theme in ((1440, "light"), (1440, "dark"), (390, "light")):
        page.resize(width, 844, prefers_color_scheme=theme)
        assert page.faults() == []
        assert page.run("return document.documentElement.scrollWidth") <= width


def test_the_theme_is_chosen_and_kept(page: Browser, written: Path) -> None:
    page.resize(1440, 900, prefers_color_scheme="light")
    show(page, written, PAGES[0])
    light = page.run(PAPER)
    for text in ("Theme: light", "Theme: dark"):
        page.click("#theme")
        assert page.text("#theme") == text
    assert page.run(PAPER) != light
    show(page, written, PAGES[2])
    assert page.text("#theme") == "Theme: dark"
    assert page.run(PAPER) != light
    page.click("#theme")
    assert page.run(PAPER) == light


def test_the_command_can_be_copied(page: Browser, written: Path) -> None:
    show(page, written, "model/gpt-4.html")
    page.run(ASKED)
    page.click("[data-copy]")
    page.wait("return document.querySelector('[data-copy]').textContent === 'Copied'")
    assert page.run("return window.copied") == ["traincompute explain gpt-4"]


def test_the_header_can_be_skipped_with_the_keyboard(page: Browser, written: Path) -> None:
    show(page, written, "country/china.html")
    page.keys("\ue004", "\ue007")  # Tab, Enter
    assert page.run("return document.activeElement.id") == "content"


def test_without_scripts_a_page_has_its_numbers_and_no_dead_button(page: Browser, written: Path) -> None:
    page.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.driver.get((written / "model/gpt-4.html").as_uri())
        body = page.driver.find_element("tag name", "main")
        assert "2.1e25 FLOP" in body.text
        assert "epoch_notable" in body.text
        assert [one for one in page.driver.find_elements("tag name", "button") if one.is_displayed()] == []
    finally:
        page.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
