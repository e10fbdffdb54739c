"""The pages of things in a real browser, from disk: nothing is fetched, nothing is refused, everybody can use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import AXE, Browser, grave_faults, needs_axe

PAGES = [
    "model/gpt-4.html",
    "organization/openai.html",
    "chip/nvidia-h100-sxm5-80gb.html",
    "source/meta_cards.html",
    "country/index.html",
    "estimate.html",
    "figures.html",
    "docs/method.html",
    "404.html",
]
SHIFT = """
const done = arguments[0];
let shift = 0;
new PerformanceObserver((list) => list.getEntries().forEach((entry) => { shift += entry.value; })).observe(
  { type: "layout-shift", buffered: true });
setTimeout(() => done(shift), 200);"""
PAPER = "return getComputedStyle(document.body).backgroundColor"


def show(opened: Browser, folder: Path, name: str) -> None:
    opened.visit((folder / name).as_uri())
    opened.wait("return document.readyState === 'complete'")


@pytest.mark.parametrize("name", PAGES)
def test_it_opens_from_disk_alone_and_fits_a_phone(opened: Browser, folder: Path, name: str) -> None:
    show(opened, folder, name)
    assert [address for address in opened.requests() if not address.startswith(("file://", "data:"))] == []
    assert opened.driver.execute_async_script(SHIFT) < 0.1
    assert (
        opened.run("""return [...document.images].filter((one) => one.complete
        && !one.naturalWidth).length""")
        == 0
    )
    for width in (1440, 390):
        opened.resize(width, 844)
        assert opened.run("return document.documentElement.scrollWidth") <= width


@needs_axe
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(opened: Browser, folder: Path, name: str, width: int, theme: str) -> None:
    opened.resize(width, 844, prefers_color_scheme=theme)
    show(opened, folder, name)
    opened.unfold()
    assert grave_faults(opened, AXE) == []


def test_the_theme_is_chosen_and_kept(opened: Browser, folder: Path) -> None:
    opened.resize(1440, 900, prefers_color_scheme="light")
    show(opened, folder, PAGES[0])
    light = opened.run(PAPER)
    for text in ("Theme: light", "Theme: dark"):
        opened.click("#theme")
        assert opened.text("#theme") == text
    assert opened.run(PAPER) != light
    show(opened, folder, PAGES[2])
    assert opened.text("#theme") == "Theme: dark"
    assert opened.run(PAPER) != light
    opened.click("#theme")
    assert opened.run(PAPER) == light


def test_the_header_can_be_skipped_with_the_keyboard(opened: Browser, folder: Path) -> None:
    show(opened, folder, "country/china.html")
    opened.keys("\ue004", "\ue007")  # Tab, Enter
    assert opened.run("return document.activeElement.id") == "content"


def test_without_scripts_a_page_has_its_numbers_and_no_dead_button(opened: Browser, folder: Path) -> None:
    opened.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened.driver.get((folder / "model/gpt-4.html").as_uri())
        body = opened.driver.find_element("tag name", "main")
        assert "2.1e25 FLOP" in body.text
        assert "epoch_notable" in body.text
        assert [one for one in opened.driver.find_elements("tag name", "button") if one.is_displayed()] == []
    finally:
        opened.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
