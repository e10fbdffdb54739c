"""The explorer in a real browser, from disk: what it says equals what SQL says, and every control acts on all parts."""

from __future__ import annotations

import csv
import gzip
import io
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from browser import AXE, Browser, grave_faults, ids, needs_axe, saved_by
from selenium.webdriver.common.keys import Keys

SHOWN = """return [...document.querySelectorAll('#figures div')]
    .map((box) => box.textContent)"""
ROWS = "return traincompute.points().map((model) => model.model_id)"
HITS = """return [...document.querySelectorAll('#hits a')]
    .map((link) => link.firstChild.textContent)"""
SAID = "return document.querySelector('#said').textContent"
TABLE = """document.querySelector('#table').scrollIntoView();
return window.Tabulator?.findTable('#table')[0]?.getDataCount() === arguments[0]"""  # made once it is seen
CHANGE = """
const control = document.querySelector(arguments[0]);
control[control.type === "checkbox" ? "checked" : "value"] = arguments[1];
control.dispatchEvent(new Event("change", { bubbles: true }));"""
BASE = """from models where is_notable
    and publication_date >= '2010-01-01'"""


def count_of(page: Browser) -> int:
    return int(page.text("#count").split(" model")[0].replace(",", ""))


def change(page: Browser, selector: str, value: object) -> None:
    """Chooses a value in a control, which tells the page."""
    page.run(CHANGE, selector, value)


def one(database: duckdb.DuckDBPyConnection, query: str, *values: str) -> tuple[Any, ...]:
    row = database.execute(query, list(values)).fetchone()
    assert row is not None
    return row


def test_the_headline_says_what_sql_says(opened: Browser, database: duckdb.DuckDBPyConnection) -> None:
    opened.open()
    numbers = [int(text.replace(",", "")) for text in re.findall(r"\b\d[\d,]*\b", opened.text("#sentence"))]
    wanted = f"""select count(*), 2010, count(training_compute_flop) filter (training_compute_source <> 'imputed'),
        count(*) filter (training_compute_source = 'imputed'),
        (select count(*) from predictions join models m using (model_id) where m.training_compute_flop is null and
         flop_50 is not null and is_notable and publication_date >= '2010-01-01') {BASE}"""
    assert numbers == list(one(database, wanted))
    growth, largest, above = opened.run(SHOWN)
    trend = """select growth_per_year, growth_low, growth_high, n
        from trends where trend_id = $1"""
    rate, low, high, runs = one(database, trend, "training_compute_flop:notable:2010")
    assert f"{rate:.1f}×90 % interval: {low:.1f}–{high:.1f}. Fitted to {runs} runs" in growth
    name, flop = one(
        database, f"select name, training_compute_flop {BASE} order by 2 desc nulls last, publication_date limit 1"
    )
    assert name in largest
    assert float(re.findall(r"([0-9.e]+) FLOP", largest)[0]) == pytest.approx(flop, rel=5e-3)
    known, expected, least, most = one(
        database,
        """select runs, expected_runs, low_90, high_90 from thresholds where threshold_flop = 1e25 and scope = 'notable'
        order by published_until desc limit 1""",
    )
    assert f"{known} known" in above
    assert f"{expected:.0f} including undisclosed models" in above
    assert f"(90 % interval: {least}–{most})" in above


def test_the_browser_has_the_exact_numbers(opened: Browser, database: duckdb.DuckDBPyConnection) -> None:
    opened.open()
    names = ["flop", "low", "high"]
    columns = [*(f"training_compute_{name}" for name in names), "flop_05", "flop_50", "flop_95"]
    script = """return traincompute.models.map((model) => [model.model_id, model.training_run_id, ...arguments[0].map(
        (name) => model[name])]).sort((a, b) => (a[0] < b[0] ? -1 : 1))"""
    quantiles = ", ".join(f"if(training_compute_flop is null, {name}, null)" for name in columns[3:])
    wanted = database.execute(
        f"""select model_id, training_run_id, {", ".join(columns[:3])}, {quantiles}
        from models left join predictions using (model_id) order by model_id collate c"""
    ).fetchall()
    assert opened.run(script, columns) == [list(row) for row in wanted]


def test_recent_closed_models_are_drawn(opened: Browser, database: duckdb.DuckDBPyConnection) -> None:
    opened.open()
    recent = ids(
        database,
        """select model_id from models join predictions using (model_id) where list_contains(organizations, 'Anthropic')
        and is_notable and publication_date >= '2025-05-01' and flop_50 is not null""",
    )
    assert recent
    assert set(recent) <= set(opened.run(ROWS))
    change(opened, "[data-key=estimates]", False)
    assert not set(recent) & set(opened.run(ROWS))
    assert "without value" in opened.text("#note")


@pytest.mark.parametrize(
    ("view", "where"),
    [
        ("is_notable=no", "not is_notable"),
        ("is_notable=&open_weights=unknown", "open_weights is null"),
        ("domains=Vision", "is_notable and list_contains(domains, 'Vision')"),
        ("training_compute_source=none", "is_notable and training_compute_source is null"),
        ("is_notable=&accessibility=api_access", "accessibility = 'api_access'"),
        ("training_compute_flop=1e25..&estimates=", "is_notable and training_compute_flop >= 1e25"),
        ("publication_date=2024-01-01..2024-12-31", "is_notable and year(publication_date) = 2024"),
    ],
)
def test_a_filter_acts_on_count_table_and_download(
    opened: Browser, database: duckdb.DuckDBPyConnection, view: str, where: str
) -> None:
    opened.open(view)
    wanted = set(ids(database, f"select model_id from models where {where} and publication_date >= '2010-01-01'"))
    saved = list(csv.DictReader(io.StringIO(saved_by(opened, "[data-save=csv]"))))
    assert {row["model_id"] for row in saved} == wanted
    assert count_of(opened) == len(wanted) > 0
    opened.wait(TABLE, len(wanted))


def test_the_csv_is_the_table_models(opened: Browser, database: duckdb.DuckDBPyConnection) -> None:
    opened.open("q=gpt-4")
    saved = csv.DictReader(io.StringIO(saved_by(opened, "[data-save=csv]")))
    rows = {row["model_id"]: row for row in saved}
    names = ["training_compute_flop", "parameters", "hardware_quantity", "training_cost_usd"]
    query = f"select {', '.join(names)}, organizations, publication_date from models where model_id = $1"
    *numbers, organizations, day = one(database, query, "gpt-4")
    assert [float(rows["gpt-4"][name]) for name in names] == numbers
    assert rows["gpt-4"]["organizations"].split(";") == organizations
    assert rows["gpt-4"]["publication_date"] == str(day)


def test_legend_brush_and_back_are_one_selection(opened: Browser) -> None:
    opened.open()
    before = count_of(opened)
    opened.click("#legend li:nth-child(1) button")
    first = count_of(opened)
    opened.click("#legend li:nth-child(2) button")
    both = count_of(opened)
    assert 0 < first < both < before
    box = opened.run("""const { x, y } = document.querySelector('#canvas').getBoundingClientRect();
        return [x, y]""")
    opened.mouse("mousePressed", box[0] + 300, box[1] + 60, button="left", clickCount=1)
    opened.mouse("mouseMoved", box[0] + 600, box[1] + 300, button="left")
    opened.mouse("mouseReleased", box[0] + 600, box[1] + 300, button="left", clickCount=1)
    opened.wait("""return location.hash.includes('publication_date')
        && location.hash.includes('group')""")
    assert 0 < count_of(opened) < both
    assert len(opened.driver.find_elements("css selector", "#chips li")) == 4  # two ranges, the groups, and all of them
    for wanted in (both, first, before):
        opened.driver.back()
        opened.wait(
            """return document.querySelector('#count')
            .textContent.startsWith(arguments[0])""",
            f"{wanted:,} ",
        )
    assert opened.run("return location.hash") == ""


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("claude opus 5", "Claude Opus 5"),
        ("gpt4", "GPT-4 (Mar 2023)"),
        ("openai", "OpenAI"),
        ("llama 3.1 405b", "Llama 3.1-405B"),
        ("chinchila", "Chinchilla"),
        ("h100 sxm", "NVIDIA H100 SXM5 80GB"),
    ],
)
def test_the_search_ranks_names_first(opened: Browser, typed: str, first: str) -> None:
    opened.open()
    opened.type("#search", typed)
    assert opened.wait(HITS)[0] == first


def test_two_models_stand_side_by_side_after_four_actions(opened: Browser) -> None:
    opened.open()
    opened.type("#search", "claude opus 5")
    opened.keys(Keys.ENTER)
    opened.wait("return document.querySelector('#dialog').open")
    opened.type("#dialog input", "gpt-5.5")
    opened.wait("""return document.querySelector('#offers a')
        ?.textContent.startsWith('GPT-5.5 ')""")
    opened.keys(Keys.ENTER)
    opened.wait("""return document.querySelector('#dialog h2').textContent
        === 'Claude Opus 5 and GPT-5.5'""")
    assert opened.run("return new URLSearchParams(location.hash.slice(1)).get('model')") == "claude-opus-5|gpt-5.5"
    opened.keys(Keys.ESCAPE)
    opened.wait("""return !document.querySelector('#dialog').open
        && !location.hash.includes('model')""")


def test_the_dialog_shows_the_page_of_the_model(opened: Browser) -> None:
    opened.open("model=gpt-4")
    frame = opened.find("#dialog iframe")
    opened.driver.switch_to.frame(frame)
    try:
        opened.wait("""return document.querySelector('#amount')
            ?.textContent.startsWith('2.1e25 FLOP')""")
        assert not opened.find("header").is_displayed()
        opened.click("main a[href$='openai.html']")
    finally:
        opened.driver.switch_to.default_content()
    opened.wait("return location.pathname.endsWith('/organization/openai.html')")


def test_arrow_keys_go_from_model_to_model(opened: Browser) -> None:
    opened.open("is_notable=yes&domains=Games")
    opened.run("document.querySelector('#plot').focus()")
    opened.keys(Keys.ARROW_RIGHT)
    first = opened.run(SAID)
    opened.keys(Keys.ARROW_RIGHT)
    assert first
    assert opened.run(SAID) != first
    assert opened.run(SAID).split(", ")[0] in opened.text("#canvas [aria-label=tip]")
    opened.keys(Keys.ENTER)
    opened.wait("return document.querySelector('#dialog').open")


def test_a_tap_opens_a_model_on_a_phone(opened: Browser) -> None:
    opened.resize(390, 844)
    opened.open("model=&publication_date=2024-01-01..")
    x, y = opened.run(
        """document.querySelector('#canvas').scrollIntoView();
        const box = document.querySelector('#canvas').getBoundingClientRect();
        const [left, top] = traincompute.placeOf(traincompute.points()[0]);
        return [box.x + left, box.y + top]"""
    )
    touch = {"x": x, "y": y}
    for kind, points in (("touchStart", [touch]), ("touchEnd", [])):
        opened.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    opened.wait("return document.querySelector('#dialog').open")
    assert opened.run("return document.documentElement.scrollWidth") <= 390


def test_time_travel_shows_the_list_of_that_day(opened: Browser, database: duckdb.DuckDBPyConnection) -> None:
    day, model, old = one(
        database,
        """select from_snapshot::varchar, model_id, old_value from revisions join models using (model_id)
        where source_id = 'epoch_notable' and field = 'training_compute_flop' and kind = 'value_changed' and is_notable
        and training_compute_flop <> old_value order by to_snapshot desc, model_id limit 1""",
    )
    opened.open(f"day={day}")
    assert opened.run("return traincompute.byId.get(arguments[0]).training_compute_flop", model) == old
    assert str(day) in opened.text("#note")


def test_any_axis_can_be_drawn_and_saved_as_a_picture(opened: Browser) -> None:
    opened.open("y=training_cost_usd&x=training_compute_flop&colour=organizations&intervals=1&theme=")
    assert len(opened.run(ROWS)) > 100
    saved = saved_by(opened, "[data-save=svg]")
    assert saved.startswith("<svg")
    assert "var(--" not in saved
    assert "light-dark" not in saved


def test_names_that_are_markup_stay_text(opened: Browser) -> None:
    opened.open()
    opened.run(
        """for (const model of traincompute.models.filter((one) => one.is_notable)) {
            model.name = "<img src=x onerror=window.hit=1>"; model.organizations = model.countries = [model.name];
        }
        traincompute.set({ colour: "organizations", publication_date: "2024-01-01..", model: "gpt-4" })"""
    )
    opened.wait(
        """document.querySelector('#table').scrollIntoView();
        return document.querySelector('.tabulator-row')?.textContent.startsWith('<img')"""
    )
    assert "<img" in opened.text("#dialog h2") + opened.text("#legend")
    found = opened.run("""return [window.hit ?? null,
        document.querySelectorAll('main img, dialog img').length]""")
    assert found == [None, 0]


@needs_axe
@pytest.mark.parametrize(
    ("width", "theme", "view"), [(1440, "light", ""), (1440, "dark", "model=gpt-4"), (390, "dark", "")]
)
def test_axe_finds_nothing_serious(opened: Browser, width: int, theme: str, view: str) -> None:
    opened.resize(width, 844, prefers_color_scheme=theme)
    opened.open(view)
    assert grave_faults(opened, AXE) == []


def test_the_first_view_is_small_and_needs_nothing_else(opened: Browser, folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    names = re.findall(r'(?:src|href)="?([\w/.]+\.(?:js|css))', page)
    assert "data/core.js" in names
    assert sum(len(gzip.compress((folder / name).read_bytes(), 6)) for name in ["index.html", *names]) < 300_000
    assert len(gzip.compress((folder / "data/core.js").read_bytes(), 6)) < 140_000
    assert page.count("<tr>") > 50  # for readers without JavaScript
    opened.open()
    opened.type("#search", "gpt")
    opened.wait(HITS)
    assert opened.foreign(opened.home) == []
