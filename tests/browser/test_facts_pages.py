"""The pages of models, organisations, chips, countries and sources, and models side by side, compared with SQL."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from browser import Browser, ids
from selenium.webdriver.common.keys import Keys

SCREENS = 4
PAGES = {
    "model": "model=gpt-3-175b",
    "organization": "organization=Google+DeepMind",
    "chip": "chip=nvidia-a100",
    "country": "country=France",
    "source": "source=epoch_notable",
    "compare": "compare=gpt-3-175b,palm-540b,gpt-4,deepseek-v3",
    "index": "",
}
LARGEST = "country=United+States"  # of no page has more to show
OF_GPT_3 = "model_id = 'gpt-3-175b' and field = 'training_compute_flop'"
LINKS = "return [...document.querySelectorAll('#content a')].map((a) => decodeURIComponent(a.hash.split('=')[1] ?? ''))"


@pytest.fixture
def facts(chromium: Browser, folder: Path) -> Iterator[Browser]:
    """A test fails on any error that the console shows."""
    chromium.home = (folder / "facts.html").as_uri()
    chromium.resize(1440, 900)
    yield chromium
    assert chromium.errors() == []


def show(page: Browser, view: str, home: str | None = None) -> None:
    page.open(view, home)
    page.wait("return document.querySelector('#content h1')")


SHOW_NEXT = """
const before = location.hash;
delete document.querySelector("#content").dataset.shown;
location.hash = arguments[0];
if (location.hash === before) window.dispatchEvent(new Event("hashchange"));"""


def show_next(page: Browser, view: str) -> None:
    """As a link on the page before does; the same page is drawn anew. Nothing is loaded but what that page lacks."""
    page.run(SHOW_NEXT, view)
    page.wait("return document.querySelector('#content').dataset.shown === location.hash")


def pictured(page: Browser) -> str:
    return str(page.run("return document.querySelector('#content svg').getAttribute('aria-label')"))


def test_a_model_page_shows_all_that_is_said(facts: Browser, database: duckdb.DuckDBPyConnection) -> None:
    show(facts, PAGES["model"])
    assert facts.text("#content h1") == ids(database, "select name from models where model_id = 'gpt-3-175b'")[0]
    assert "arXiv:2005.14165" in facts.text(".cards")
    label = pictured(facts)
    for table in ("claims", "estimates"):
        for value in ids(database, f"select format('{{:.4g}}', value) from {table} where {OF_GPT_3} and value > 0"):
            assert value.replace("e+", "e") in label
    values = "count(*) filter (new_value > 0) + count(distinct source_id) filter (old_value > 0)"
    (drawn,) = database.execute(f"select {values} from revisions where {OF_GPT_3}").fetchone() or (0,)
    assert facts.run("return document.querySelectorAll('#content circle.mark[class*=step]').length") == drawn > 2
    derived = ids(database, "select model_id from models where base_model_id = 'gpt-3-175b'")
    assert set(derived) <= set(facts.run(LINKS))


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1440, 390])
def test_no_word_of_a_picture_is_cut_off(facts: Browser, width: int) -> None:
    facts.resize(width, 900)
    show(facts, "")
    for view in ("model=gpt-4", "model=deepseek-v3", "model=grok-4", "compare=gpt-4,deepseek-v3,llama-3.1-405b"):
        show_next(facts, view)
        cut = """return [...document.querySelectorAll('#content svg')].flatMap((svg) => [...svg.querySelectorAll('text')].filter((text) => {
          const box = text.getBBox();
          return box.x < 0 || box.x + box.width > svg.viewBox.baseVal.width;
        }).map((text) => text.textContent))"""
        assert facts.run(cut) == [], view


def test_corrections_stand_on_the_page(facts: Browser, database: duckdb.DuckDBPyConnection) -> None:
    model, reason = database.execute(
        "select model_id, reason from corrections join models using (model_id) order by 1 limit 1"
    ).fetchone() or ("", "")
    show(facts, f"model={model}")
    assert reason in facts.text("#content")


@pytest.mark.parametrize(
    ("view", "query"),
    [
        (PAGES["organization"], "select model_id from models where list_contains(organizations, 'Google DeepMind')"),
        (LARGEST, "select model_id from models where list_contains(countries, 'United States')"),
        (PAGES["chip"], "select distinct model_id from model_hardware where hardware_id = 'nvidia-a100'"),
    ],
)
def test_a_group_lists_its_models(facts: Browser, database: duckdb.DuckDBPyConnection, view: str, query: str) -> None:
    show(facts, view)
    listed = "return [...document.querySelectorAll('#content tbody th a')].map((a) => new URLSearchParams(a.hash.slice(1)).get('model'))"
    assert sorted(facts.run(listed)) == sorted(ids(database, query))


def test_a_source_tells_its_claims_and_snapshots(facts: Browser, database: duckdb.DuckDBPyConnection) -> None:
    show(facts, PAGES["source"])
    (claims,) = database.execute("select count(*) from claims where source_id = 'epoch_notable'").fetchone() or (0,)
    assert f"{claims:,}" in facts.text(".cards")
    days = ids(
        database, "select strftime(snapshot, '%Y-%m-%d') from snapshots where source_id = 'epoch_notable' order by 1"
    )
    assert (
        facts.run("return [...document.querySelectorAll('#content tbody td:first-child')].map((e) => e.textContent)")
        == days
    )


@pytest.mark.thorough
def test_models_stand_side_by_side_and_others_join(facts: Browser) -> None:
    show(facts, "compare=gpt-3-175b,nothing-of-that-name")
    assert "no model with the id nothing-of-that-name" in facts.text("[role=alert].notice:not(#failure)")
    facts.find("#find").send_keys("palm (540b)", Keys.ENTER)
    facts.wait("return document.querySelectorAll('.compared thead th').length === 2")
    assert facts.run("return location.hash") == "#compare=gpt-3-175b%2Cpalm-540b"
    facts.click(".remove")
    facts.wait("return document.querySelectorAll('.compared thead th').length === 1")
    show_next(facts, PAGES["compare"])
    assert len(facts.run("return [...document.querySelectorAll('.compared thead th')]")) == 4
    assert pictured(facts).count("; ") == 3


def test_an_unknown_id_is_told_with_what_is_like_it(facts: Browser) -> None:
    show(facts, "model=gpt-3")
    assert "has no model “gpt-3”" in facts.text("#content .notice")
    assert "gpt-3-xl" in facts.run(LINKS)
    for kind in ("organization", "chip", "country", "source"):
        show_next(facts, f"{kind}=%3Cimg src=x%3E")
        assert "<img src=x>" in facts.text("#content .notice")


@pytest.mark.thorough
def test_the_explorer_and_the_finder_lead_to_a_page(facts: Browser, folder: Path) -> None:
    facts.open("model=gpt-3-175b", (folder / "index.html").as_uri())
    facts.click(".page-link")
    facts.wait("return document.querySelector('#content h1')?.textContent.startsWith('GPT-3 175B')")
    facts.find("#find").send_keys("nvidia a100", Keys.ENTER)
    facts.wait("return document.querySelector('#content .kind').textContent === 'chip'")
    assert facts.run("return document.querySelector('#found').hidden")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in ("model", "index") else pytest.mark.thorough) for kind in PAGES]
)
def test_a_page_is_short_accessible_and_fits_a_phone(facts: Browser, kind: str) -> None:
    show(facts, PAGES[kind])
    for width, theme in ((1440, "light"), (390, "dark")):
        facts.resize(width, 900, prefers_color_scheme=theme)
        show_next(facts, PAGES[kind])
        assert facts.run("return document.documentElement.scrollWidth") <= width
        if width == 1440:
            assert facts.run("return document.documentElement.scrollHeight") <= SCREENS * 900
        facts.unfold()
        assert facts.faults() == []


@pytest.mark.thorough
def test_the_largest_page_is_short_and_fits_a_phone(facts: Browser) -> None:
    show(facts, LARGEST)
    assert facts.run("return document.documentElement.scrollHeight") <= SCREENS * 900
    facts.resize(390, 900)
    show_next(facts, LARGEST)
    assert facts.run("return document.documentElement.scrollWidth") <= 390


def test_markup_and_scripts_in_names_and_links_stay_harmless(facts: Browser, folder: Path, tmp_path: Path) -> None:
    unread = shutil.ignore_patterns("*.html", "docs", "api", "tables", "engine.js", "database.js")
    shutil.copytree(folder, tmp_path / "site", ignore=unread)
    shutil.copy(folder / "facts.html", tmp_path / "site")
    data = tmp_path / "site" / "data"
    for file in (data / "models.js", data / "records.js", data / "models" / "39.js"):
        text = file.read_text(encoding="utf-8")
        planted = json.dumps("<img src=x onerror=window.hit=1></script><script>window.hit=1</script>")
        text = text.replace('"GPT-3 175B (davinci)"', planted).replace(
            '"https://arxiv.org/abs/2005.14165"', '"javascript:window.hit=1"'
        )
        file.write_text(text.replace('"NVIDIA A100"', planted), encoding="utf-8")
    home = (tmp_path / "site" / "facts.html").as_uri()
    for view in (PAGES["model"], PAGES["chip"], PAGES["compare"]):
        show(facts, view, home)
        assert facts.run(
            "return [window.hit, document.querySelectorAll('#content :is(img, script), [href^=javascript]').length]"
        ) == [None, 0]
    show(facts, PAGES["model"], home)
    assert facts.text("#content h1").startswith("<img src=x")


@pytest.mark.thorough
def test_every_page_comes_from_its_folder_alone(facts: Browser, folder: Path, hosted: str) -> None:
    on_disk, on_host = (folder / "facts.html").as_uri(), f"{hosted}/facts.html"
    for home, view in [*((on_disk, view) for view in PAGES.values()), (on_host, PAGES["model"]), (on_host, "")]:
        show(facts, view, home)
        assert facts.foreign(home) == []
        assert facts.errors() == []


@pytest.mark.thorough
def test_every_chip_leads_to_its_source(facts: Browser, database: duckdb.DuckDBPyConnection) -> None:
    query = "select source_id, min(hardware_id) from hardware group by 1"
    show(facts, "")
    for source, chip in database.execute(query).fetchall():
        show_next(facts, f"chip={chip}")
        assert source in facts.run(LINKS)
        show_next(facts, f"source={source}")
        assert facts.text("#content h1") == ids(database, "select title from sources where source_id = ?", source)[0]


@pytest.mark.thorough
def test_the_finder_knows_a_name_without_the_sign_before_its_number(facts: Browser) -> None:
    show(facts, "")
    for typed, name in (("gpt5", "GPT-5"), ("grok4", "Grok 4")):
        facts.type("#find", typed)
        assert facts.wait("return document.querySelector('#found a')?.textContent") == name


@pytest.mark.thorough
def test_one_search_finds_models_makers_chips_figures_and_docs(facts: Browser) -> None:
    show(facts, "")
    wanted = {
        "grok 4": "facts.html#model=grok-4",
        "openai": "facts.html#organization=OpenAI",
        "nvidia h100 sxm5": "facts.html#chip=nvidia-h100-sxm5-80gb",
        "tokens per parameter": "docs/figures.html#tokens-per-parameter",
        "EU AI Act": "docs/count-above-threshold.html#",
    }
    for typed, address in wanted.items():
        facts.type("#find", typed)
        first = "return document.querySelector('#found a')?.getAttribute('href').startsWith(arguments[0])"
        assert facts.wait(first, address), typed
