"""The explorer without a mouse, without colours, on a phone: what axe calls serious, keyboard, width, themes."""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path

import pytest
from browser import Browser, grave_faults
from selenium.webdriver.common.keys import Keys
from test_facts_pages import PAGES as FACTS
from test_static_pages import LONGEST
from test_static_pages import NAMES as STATIC
from thorough import first

from pipeline.base.paths import CHECKOUT

AXE = Path(os.environ.get("AXE_CORE") or CHECKOUT / "pipeline/present/site/node_modules/axe-core/axe.min.js")
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


@pytest.mark.parametrize(("width", "theme"), first([(1440, "light"), (390, "dark")]))
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


needs_axe = pytest.mark.skipif(
    not AXE.exists(), reason="no axe-core: `npm ci` in pipeline/present/site, or AXE_CORE=…/axe.min.js"
)


@needs_axe
def test_axe_sees_a_fault(page: Browser) -> None:
    page.run("document.documentElement.lang = ''")
    assert "html-has-lang" in [rule for rule, *_ in grave_faults(page, AXE)]


LOOKS = [("light", 1440), ("dark", 1440), ("light", 390)]
# every page but those that are like others in one look, all pages of a kind in several; --thorough shows each in all
LOOKED_AT = [
    pytest.param(
        *look, *page, marks=() if number % len(LOOKS) == place and page[:2] not in LIKE else pytest.mark.thorough
    )
    for number, page in enumerate(PAGES)
    for place, look in enumerate(LOOKS)
]


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


# what gets the focus, one after the other: its place in the page, its name, and whether it has a ring; null at the first again
NOTE_FOCUS = """
window.reached = [];
document.addEventListener("focusin", ({ target: e }) => {
  const s = getComputedStyle(e.matches(".segments input") ? e.nextSibling : e);
  const ringed = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2;
  const place = [...document.querySelectorAll("*")].indexOf(e);
  window.reached.push(e.matches(".skip") ? null : [place, e.id || e.name || e.textContent, ringed]);
});"""


@pytest.mark.thorough
def test_tab_reaches_every_control_in_the_order_of_the_page(blank: Browser) -> None:
    blank.open()  # a page that was clicked on goes on from there
    blank.keys(Keys.TAB)
    assert blank.run("return document.activeElement.textContent") == "Skip to the table"
    assert blank.run("return document.activeElement.getBoundingClientRect().top >= 0")
    blank.run(NOTE_FOCUS)
    blank.keys(Keys.TAB * 120)
    round_trip = blank.run("return window.reached")
    reached = round_trip[: round_trip.index(None)]
    assert [name for _, name, ringed in reached if not ringed] == []
    assert [at for at, *_ in reached] == sorted(at for at, *_ in reached)
    names = {name for _, name, _ in reached}
    assert {
        "theme",
        "clear-filters",
        "search",
        "is_notable",
        "least",
        "from",
        "x",
        "y",
        "colour",
        "area",
        "time-open",
    } <= names
    assert {"zoom-in", "zoom-reset", "surface", "download-csv", "download-json"} <= names
    assert blank.run(
        "return [...document.querySelectorAll('summary')].filter((e) => e.checkVisibility()).length"
    ) == sum(
        blank.run("return document.querySelectorAll('*')[arguments[0]].matches('summary')", at) for at, *_ in reached
    )
    assert any(
        blank.run("return document.querySelectorAll('*')[arguments[0]].matches('#table tbody a')", at)
        for at, *_ in reached
    )


WINDOWS = ((390, 844), (820, 1180), (1000, 700), (1440, 900), (2560, 1440))


@pytest.mark.thorough
def test_the_plot_has_near_half_of_every_window_and_more_in_a_larger_one(blank: Browser) -> None:
    heights = []
    for width, height in WINDOWS:
        blank.resize(width, height)
        blank.open()
        box = blank.run(
            "const box = document.querySelector('#plot').getBoundingClientRect(); return [box.top, box.height]"
        )
        assert box[1] >= 0.45 * height, (width, height)
        assert blank.run("return document.documentElement.scrollWidth") <= width, (width, height)
        assert blank.run("return document.querySelector('#table-box').clientHeight") >= 120, (width, height)
        heights.append((height, box[1]))
    assert [plot for _, plot in sorted(heights)] == sorted(plot for _, plot in heights)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [320, *(pytest.param(w, marks=pytest.mark.thorough) for w in (820, 1440))])
def test_a_menu_stays_on_the_screen(blank: Browser, width: int) -> None:
    blank.resize(width, 844)
    blank.open()
    for menu in ("#options", "#share"):
        blank.click(f"{menu} summary")
        box = blank.run(
            "const b = document.querySelector(`${arguments[0]} > div`).getBoundingClientRect(); return [b.left, b.right]",
            menu,
        )
        blank.click(f"{menu} summary")
        assert 0 <= box[0] < box[1] <= width, menu


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_holds_what_is_shown_in_dark_ink(page: Browser, folder: Path, theme: str) -> None:
    page.run("traincompute.setTheme(arguments[0])", theme)
    for name, seen in (("index.html", "#story"), ("facts.html#model=gpt-4", "#content h1"), ("sql.html", "#query")):
        page.driver.get((folder / "index.html").as_uri().replace("index.html", name))
        page.wait(
            "return document.body?.dataset.ready === '1' && document.querySelector(arguments[0])?.checkVisibility()",
            seen,
        )
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        hidden = "return [...document.querySelectorAll('.tools, aside.side, .chart .bar, .finder')].filter((e) => e.checkVisibility()).length"
        assert page.run(hidden) == 0
        assert page.run("return document.querySelector(arguments[0]).checkVisibility()", seen)
        ink = page.run("return getComputedStyle(document.body).color.match(/\\d+/g).map(Number)")
        assert max(ink) < 60
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    page.run("traincompute.setTheme('auto')")


@pytest.mark.thorough
@pytest.mark.parametrize("paper", [(8.27, 11.69), (8.5, 11)], ids=["A4", "letter"])
def test_the_first_view_is_one_sheet_of_paper(page: Browser, paper: tuple[float, float]) -> None:
    size = {"paperWidth": paper[0], "paperHeight": paper[1], "printBackground": True}
    printed = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", size)["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


@pytest.mark.thorough
def test_paper_cuts_no_code_and_no_table(blank: Browser, folder: Path) -> None:
    blank.resize(720, 1000)  # as wide as paper
    for name in ("docs/queries.html", "docs/figures.html", "models/gpt-4.html", "chips/index.html"):
        blank.driver.get((folder / name).as_uri())
        blank.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        wide = "return [...document.querySelectorAll('pre, main, main > p')].filter((e) => e.scrollWidth > e.clientWidth + 1).length"
        assert blank.run(wide) == 0, name
        blank.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.thorough
def test_the_chart_works_by_keyboard_and_gives_the_focus_back(page: Browser) -> None:
    page.run("document.querySelector('#surface').focus()")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    said = page.text("#point-said")
    assert "Training compute: " in said
    page.keys(Keys.ENTER)
    page.wait("return document.querySelector('#model').open")
    assert said.startswith(page.text("#model-name"))
    assert page.run("return document.querySelector('#model').contains(document.activeElement)")
    page.keys(Keys.ESCAPE)
    page.wait("return !document.querySelector('#model').open")
    assert page.run("return document.activeElement.id") == "surface"
    page.wait("return traincompute.current.state.model === ''")
    assert page.state()["model"] == ""


@pytest.mark.thorough
def test_menus_open_and_close_by_keyboard(page: Browser) -> None:
    page.run("document.querySelector('#options summary').focus()")
    page.keys(Keys.ENTER, Keys.TAB)
    assert page.run("return document.activeElement.closest('#options > div') !== null")
    page.run("document.querySelector('#trend').focus()")
    page.keys(Keys.SPACE)
    assert page.state()["trend"] is False
    assert page.run("return document.querySelector('.key-trend')") is None
    page.keys(Keys.ESCAPE)
    assert page.run("return [document.querySelector('#options').open, document.activeElement.tagName]") == [
        False,
        "SUMMARY",
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), [(640, 360), (720, 450)])
def test_at_twice_the_size_nothing_leaves_the_window(blank: Browser, width: int, height: int) -> None:
    """A browser that enlarges by 200 % leaves a page half the width and height of the window."""
    blank.resize(width, height)
    blank.open()
    assert blank.run("return document.documentElement.scrollWidth") <= width
    assert blank.run("return document.querySelector('#plot').getBoundingClientRect().height") >= 0.45 * height
    for reached in ("#search", "#options summary", "#table-box"):
        if not blank.find(reached).is_displayed():
            blank.click("#toggle-filters")
        blank.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", reached)
        box = blank.run("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", reached)
        assert 0 <= box["left"] < box["right"] <= width, reached
        assert box["top"] < height, reached
        assert box["bottom"] > 0, reached
    assert blank.faults() == []


@pytest.mark.thorough
def test_a_phone_shows_all_in_its_width(blank: Browser) -> None:
    blank.resize(360, 740)
    blank.open()
    assert blank.run("return document.documentElement.scrollWidth") <= 360
    assert not blank.find("#search").is_displayed()
    blank.click("#toggle-filters")
    assert blank.find("#search").is_displayed()
    assert blank.find("#toggle-filters").get_attribute("aria-expanded") == "true"
    blank.open("model=gpt-3-175b")
    blank.wait("return document.querySelector('.sources')")
    assert blank.run("return document.querySelector('#model').scrollWidth") <= 360


@pytest.mark.thorough
def test_themes_follow_the_system_or_the_button(page: Browser) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(ground)
    page.resize(1440, 900, prefers_color_scheme="dark", prefers_reduced_motion="reduce")
    dark = page.run(ground)
    assert dark != light
    page.click("#theme")
    assert (page.text("#theme"), page.run(ground)) == ("Theme: light", light)
    page.open("model=gpt-3-175b")
    assert page.run(ground) == light
    assert page.run("return getComputedStyle(document.querySelector('#model')).animationName") == "none"
    page.run("traincompute.setTheme('auto')")
