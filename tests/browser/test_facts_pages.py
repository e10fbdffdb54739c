"""The pages of models, organisations, chips, countries and sources, and models side by side, compared with SQL."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from browser import Browser, ids

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
    listed = (
        "return [...document.querySelectorAll('#content tbody th a')].map((a) => new"
        " URLSearchParams(a.hash.slice(1)).get('model'))"
    )
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


def test_an_unknown_id_is_told_with_what_is_like_it(facts: Browser) -> None:
    show(facts, "model=gpt-3")
    assert "has no model “gpt-3”" in facts.text("#content .notice")
    assert "gpt-3-xl" in facts.run(LINKS)
    for kind in ("organization", "chip", "country", "source"):
        show_next(facts, f"{kind}=%3Cimg src=x%3E")
        assert "<img src=x>" in facts.text("#content .notice")


@pytest.mark.parametrize("kind", ["model", "index"])
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
