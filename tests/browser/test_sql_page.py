"""The SQL page: the published DuckDB file in the browser, from disk and from a host, compared with what the docs print."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb
import pandas as pd
import pytest
from browser import Browser, grave_faults, saved_by
from selenium.webdriver.common.keys import Keys
from test_site_access import AXE, needs_axe

from pipeline.base.paths import CHECKOUT
from pipeline.present.docs.queries import QUERY, questions

ANSWERED = "return document.querySelector('#stop').hidden && !document.querySelector('#result').hidden"
REFUSED = "return !document.querySelector('#failure').hidden && document.querySelector('#failure').textContent"
CLICK_QUESTION = """
const asked = (a) => new URLSearchParams(a.hash.slice(1)).get('q').trim();
[...document.querySelectorAll('#questions a')].find((a) => asked(a) === arguments[0]).click()"""
FIELD = "return document.querySelector('#query').value"
CELLS = "return [...document.querySelectorAll('#rows tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"


def ask(page: Browser, query: str) -> None:
    """Types the query and runs it by keyboard; the result before is taken away first."""
    page.run("document.querySelector('#result').hidden = true; document.querySelector('#query').value = ''")
    page.find("#query").send_keys(query, Keys.ESCAPE)
    page.find("#query").send_keys(Keys.CONTROL, Keys.ENTER)


class Start(NamedTuple):
    """What the page made of two links with queries until someone ran the second: what stood in the field, when its engine was
    started, whether a result was hidden, and what was asked for; and the first answer, which starts the engine, with all that
    the console and requests to others said."""

    filled: list[str]
    idle: tuple[float | None, bool]
    asked: list[str]
    cells: list[list[str]]
    errors: list[str]
    foreign: list[str]


def start(page: Browser, home: str) -> Start:
    page.open("q=select+7+as+seven", home=home)
    filled = [page.run(FIELD)]
    page.run("location.hash = '#q=select+count(*)+from+models'")
    page.wait(f"{FIELD} !== arguments[0]", *filled)
    filled.append(page.run(FIELD))
    engine, is_hidden = page.run("return [window.traincomputeTimings.engine, document.querySelector('#result').hidden]")
    asked = page.requests()
    page.click("#run")
    page.wait(ANSWERED)
    return Start(
        filled, (engine, is_hidden), asked, page.run(CELLS), page.errors(), page.foreign(home, "blob:", before=asked)
    )


@pytest.fixture(scope="module")
def started(chromium: Browser, folder: Path) -> Start:
    """How the engine of the page from disk was started."""
    chromium.resize(1440, 900)
    chromium.home = (folder / "sql.html").as_uri()
    return start(chromium, chromium.home)


@pytest.fixture
def sql(chromium: Browser, started: object) -> Iterator[Browser]:
    """The page from disk with its engine running. A test fails on any error that the console shows."""
    chromium.resize(1440, 900)
    chromium.errors()
    yield chromium
    assert chromium.errors() == []


def printed(page: str) -> list[list[list[str]]]:
    """The tables of a page of questions, one for each query: rows of cells."""
    tables = []
    for found in QUERY.finditer(page):
        lines = found[0].split("```\n\n")[1].splitlines()[2:]
        tables.append([[re.sub(r"\\(.)", r"\1", cell) for cell in line[2:-2].split(" | ")] for line in lines])
    return tables


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.thorough)])
def test_the_questions_of_the_docs_get_the_printed_answers(sql: Browser, step: int) -> None:
    page = "".join((CHECKOUT / "docs" / name).read_text(encoding="utf-8") for name in ("examples.md", "queries.md"))
    asked = questions(page)
    links = "return document.querySelectorAll('#questions a').length"
    assert sql.run(links) == len(asked) > 30
    for question, answer in list(zip(asked, printed(page), strict=True))[::step]:
        sql.run("document.querySelector('#result').hidden = true")
        sql.run("history.replaceState(null, '', '#'); document.querySelector('#query').value = ''")
        sql.run(CLICK_QUESTION, question.query)
        sql.wait(ANSWERED)
        shown = [[" ".join(cell.split()) for cell in row] for row in sql.run(CELLS)]
        assert shown == answer, question.title


def test_the_first_answer_comes_from_disk_alone(started: Start) -> None:
    assert (started.errors, started.foreign) == ([], [])


@pytest.mark.thorough
def test_completion_offers_columns_with_units_and_takes_one(sql: Browser) -> None:
    sql.run("document.querySelector('#query').value = ''")
    sql.find("#query").send_keys("select training_co")
    assert "training_compute_flopFLOP" in sql.text("#completions")
    sql.keys(Keys.ESCAPE)
    assert not sql.find("#completions").is_displayed()
    sql.run("document.querySelector('#query').value = ''")
    sql.find("#query").send_keys("select m.name from models m where m.parameters is not null and m.training_p")
    offered = sql.run("return [...document.querySelectorAll('#completions strong')].map((e) => e.textContent)")
    assert offered == ["training_power_w", "training_power_w_low", "training_power_w_high", "training_power_source"]
    sql.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert sql.find("#query").get_attribute("aria-activedescendant") == "completion-1"
    sql.keys(Keys.ENTER)
    assert sql.run("return document.querySelector('#query').value").endswith("and m.training_power_w_low")
    sql.find("#query").send_keys(" from hardware_u", Keys.TAB)
    assert sql.run("return document.querySelector('#query').value").endswith(" from hardware_use")


def test_a_result_is_the_same_in_table_csv_address_and_duckdb(
    sql: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    query = """select model_id, organizations, publication_date, training_compute_flop, is_notable, dataset_size
    from models where training_compute_flop > 1e25 order by all"""
    ask(sql, query)
    sql.wait(ANSWERED)
    wanted = database.execute(query).fetchall()
    assert sql.text("#status").startswith(f"{len(wanted)} rows in ")
    assert [row[0] for row in sql.run(CELLS)] == [row[0] for row in wanted]
    assert sql.run("return document.querySelectorAll('#rows .unit')[0].textContent") == " FLOP"
    link = sql.run("return location.hash")
    saved = saved_by(sql, "#download-csv")
    rows = list(csv.DictReader(io.StringIO(saved)))
    assert len(pd.read_csv(io.StringIO(saved))) == len(wanted)
    beside = json.loads(saved_by(sql, "#describe-csv"))
    assert (beside["query"], beside["licenses"][0]["name"]) == (query, "CC-BY-4.0")
    fields = {field["name"]: field for field in beside["resources"][0]["schema"]["fields"]}
    assert list(fields) == list(rows[0])
    assert fields["training_compute_flop"]["unit"] == "FLOP"
    assert [(row["model_id"], float(row["training_compute_flop"])) for row in rows] == [(r[0], r[3]) for r in wanted]
    assert [row["organizations"] for row in rows] == [";".join(r[1] or []) for r in wanted]
    assert [row["publication_date"] for row in rows] == [r[2].isoformat() if r[2] else "" for r in wanted]
    sql.run("location.hash = ''")
    sql.wait("return document.querySelector('#result').hidden")
    sql.run("location.hash = arguments[0]", link)
    sql.wait("return document.querySelector('#query').value.includes('1e25')")
    sql.click("#run")
    sql.wait(ANSWERED)
    assert len(sql.run(CELLS)) == len(wanted)


@pytest.mark.thorough
def test_a_chart_draws_every_row(sql: Browser) -> None:
    ask(sql, "select publication_date, training_compute_flop from models where training_compute_flop > 1e25")
    sql.wait(ANSWERED)
    assert sql.run("return document.querySelectorAll('#chart circle').length") == len(sql.run(CELLS)) > 10
    ask(sql, "select count(*) from models")
    sql.wait(ANSWERED)
    assert not sql.find("#chart").is_displayed()


TICKS = "return [...document.querySelectorAll('#chart .tick')].map((text) => text.textContent)"


@pytest.mark.thorough
def test_a_chart_of_names_has_an_axis_also_in_powers_of_ten(sql: Browser) -> None:
    ask(sql, "select name, training_compute_flop from models where training_compute_flop > 0 order by 2 limit 20")
    sql.wait(ANSWERED)
    powers = sql.run(TICKS)
    assert len(powers) > 3
    assert all(power.startswith("10") for power in powers)
    assert sql.run("return document.querySelectorAll('#chart rect').length") == 0  # a bar would begin nowhere
    assert sql.run("return document.querySelectorAll('#chart circle').length") == 20
    ask(sql, "select organization, count(*) as models from models group by 1 order by 2 desc limit 5")
    sql.wait(ANSWERED)
    assert sql.run(TICKS)[0] == "0"
    assert sql.run("return document.querySelectorAll('#chart rect').length") == 5


def test_a_name_in_several_rows_has_one_line_with_all_its_values(
    sql: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    query = "select year, country, models from country_shares where country in ('China', 'France') order by year"
    ask(sql, query)
    sql.wait(ANSWERED)
    rows = database.execute(query).fetchall()
    shown = sql.run("return [...document.querySelectorAll('#chart circle title')].map((dot) => dot.textContent)")
    assert sorted(shown) == sorted(f"{year} · {country} · {models:.4g}" for year, country, models in rows)
    names = sql.run("return [...document.querySelectorAll('#chart [text-anchor=end]')].map((text) => text.textContent)")
    assert sorted(names) == ["China", "France"]


@pytest.mark.thorough
def test_years_along_an_axis_are_written_as_years(sql: Browser) -> None:
    words = "return [...document.querySelectorAll('#chart [text-anchor=middle]')].map((text) => text.textContent)"
    for first, last in ((1950, 2026), (2014, 2026), (2024, 2026)):
        ask(sql, f"select range as year, range * range as square from range({first}, {last + 1})")
        sql.wait(ANSWERED)
        years = [int(year) for year in sql.run(words)]
        assert len(years) == len(set(years)) > 1
        assert first <= years[0] < years[-1] <= last


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("selec 1", 'Parser Error: syntax error at or near "selec"'),
        ("select nothing_of_the_kind from models", "nothing_of_the_kind"),
        ("delete from models", "read-only"),
        ("select * from 'https://example.org/a.csv'", "disabled"),
        ("load spatial", "disabled"),
        ("set enable_external_access = true", "locked"),
    ],
)
def test_what_the_engine_refuses_is_told_and_the_next_query_runs(sql: Browser, query: str, message: str) -> None:
    ask(sql, query)
    assert message in sql.wait(REFUSED)
    assert not sql.find("#result").is_displayed()
    ask(sql, "select 1 as one")
    sql.wait(ANSWERED)
    assert sql.run(CELLS) == [["1"]]
    assert not sql.find("#failure").is_displayed()


def test_markup_and_scripts_in_values_are_texts(sql: Browser) -> None:
    values = ["<img src=x onerror=window.hit=1>", "javascript:window.hit=1", "</script><script>"]
    ask(sql, 'select {} as "<b>a", {} as b, {} as c'.format(*(f"'{value}'" for value in values)))
    sql.wait(ANSWERED)
    assert sql.run(CELLS) == [values]
    assert sql.run("return [document.querySelectorAll('#rows :is(a, img, b, script)').length, window.hit]") == [0, None]


@pytest.mark.thorough
def test_stop_ends_a_query_and_the_next_one_starts_the_engine_again(sql: Browser) -> None:
    ask(sql, "select count(*) from range(100000000) a, range(100000) b where a.range % 7 = b.range % 11")
    sql.wait("return !document.querySelector('#stop').hidden")
    sql.click("#stop")
    assert "Stopped" in sql.text("#status")
    ask(sql, "select 2 as two")
    sql.wait(ANSWERED)
    assert sql.run(CELLS) == [["2"]]


BURST = """const run = document.querySelector("#run");
for (const query of arguments[0]) { document.querySelector("#query").value = query; run.click(); }"""
EACH = """const [queries, done] = arguments;
Promise.all(queries.map(traincompute.runQuery)).then((all) => done(all.map((one) => one && one.rows.length)))"""


@pytest.mark.thorough
def test_queries_that_do_not_wait_for_each_other_get_whole_answers(
    sql: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    """Those that another one follows are cancelled, and none loses rows."""
    queries = [
        "select claim_id from claims",
        "select model_id from models",
        "select name from models",
        "select nothing",
        "select field from claims",
    ]
    whole = {query: len(database.execute(query).fetchall()) for query in queries if query != "select nothing"}
    sizes, sent = itertools.cycle((2, 3, 4, 5)), 0
    while sent < 200:
        burst = [queries[(7 * sent + number) % len(queries)] for number in range(next(sizes))]
        burst += [] if burst[-1] in whole else [queries[1]]
        *others, last = zip(burst, sql.driver.execute_async_script(EACH, burst), strict=True)
        assert last == (burst[-1], whole[burst[-1]])
        assert all(found in (None, whole.get(query)) for query, found in others)
        sent += len(burst)
    sql.run(BURST, [queries[0], queries[3], queries[1]])
    sql.wait(f"return document.querySelector('#status').textContent.startsWith('{whole[queries[1]]:,} rows')")
    assert not sql.find("#failure").is_displayed()


@pytest.mark.thorough
def test_a_query_right_after_loading_is_whole(sql: Browser, database: duckdb.DuckDBPyConnection) -> None:
    sql.open("q=from+claims")
    sql.run(BURST, ["from claims", "select count(*) from models"])
    sql.wait(ANSWERED)
    assert sql.text("#status").startswith("1 row in")
    assert sql.run(CELLS) == [
        [str(count) for count in database.execute("select count(*) from models").fetchone() or ()]
    ]


@pytest.mark.thorough
def test_stop_while_queries_wait_leaves_the_next_one_whole(sql: Browser) -> None:
    sql.run(BURST + "document.querySelector('#stop').click()", ["from claims", "select nothing", "from models"])
    assert "Stopped" in sql.text("#status")
    ask(sql, "from range(2500)")
    sql.wait(ANSWERED)
    assert sql.text("#status").startswith("2,500 rows, ")


def test_fault_96_a_link_with_a_query_fills_the_field_and_runs_nothing(
    started: Start, database: duckdb.DuckDBPyConnection
) -> None:
    assert started.filled == ["select 7 as seven", "select count(*) from models"]
    assert started.idle == (None, True)
    assert started.asked
    assert not [address for address in started.asked if "database" in address]
    assert started.cells == [[str(count) for count in database.execute(started.filled[1]).fetchone() or ()]]


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("select * from range(1000000)", id="long"),
        pytest.param("select repeat('x', 10000) from range(1000000)", id="wide", marks=pytest.mark.thorough),
    ],
)
def test_fault_96_a_result_has_an_end(sql: Browser, query: str) -> None:
    ask(sql, query)
    sql.wait(ANSWERED)
    assert re.match(r"the first [\d,]+ rows of more; add a LIMIT", sql.text("#status"))
    assert (
        0 < len(sql.run("return [...document.querySelectorAll('#rows tbody tr')].map((row) => row.rowIndex)")) <= 1000
    )
    ask(sql, "select 1 as one")
    sql.wait(ANSWERED)
    assert sql.run(CELLS) == [["1"]]


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_no_serious_accessibility_fault_and_no_scrolling_sideways(sql: Browser, theme: str, width: int) -> None:
    sql.resize(width, 900, prefers_color_scheme=theme)
    ask(sql, "select name, training_compute_flop, reference_url from models limit 10")
    sql.wait(ANSWERED)
    sql.unfold()
    sql.find("#query").send_keys(" -- x\nselect mod")
    assert sql.faults(texts=100) == []
    assert sql.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.thorough
def test_the_first_answer_comes_from_a_host_alone(chromium: Browser, hosted: str) -> None:
    there = start(chromium, f"{hosted}/sql.html")
    assert (there.errors, there.foreign) == ([], [])


@needs_axe
def test_axe_finds_no_serious_fault_in_an_answer(sql: Browser) -> None:
    ask(sql, "select name, training_compute_flop, reference_url from models limit 10")
    sql.wait(ANSWERED)
    sql.unfold()
    assert grave_faults(sql, AXE) == []


def test_without_an_engine_the_page_says_why_and_how_else(chromium: Browser, folder: Path) -> None:
    made = chromium.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.DecompressionStream"}
    )
    chromium.open("q=select+'a'", home=(folder / "sql.html").as_uri())
    chromium.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", made)
    chromium.click("#run")
    told = chromium.wait(REFUSED)
    assert "cannot inflate gzip" in told
    assert r"traincompute sql 'select '\''a'\'''" in told
    assert chromium.errors() == []
