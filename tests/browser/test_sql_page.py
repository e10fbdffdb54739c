"""The SQL page: the published DuckDB file in the browser, from disk and from a host, compared with what the docs
print."""

from __future__ import annotations

import csv
import io
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

from pipeline.paths import CHECKOUT
from pipeline.present.site.schema import questions
from pipeline.site.printed import SHOWN

ANSWERED = "return document.querySelector('#stop').hidden && !document.querySelector('#result').hidden"
REFUSED = "return !document.querySelector('#failure').hidden && document.querySelector('#failure').textContent"
CLICK_QUESTION = """
const asked = (a) => new URLSearchParams(a.hash.slice(1)).get('q').trim();
[...document.querySelectorAll('#questions a')].find((a) => asked(a) === arguments[0]).click()"""
FIELD = "return document.querySelector('#query').value"
CELLS = (
    "return [...document.querySelectorAll('#rows tbody tr')].map((row) => [...row.cells].map((cell) =>"
    " cell.textContent))"
)


def ask(page: Browser, query: str) -> None:
    """Types the query and runs it by keyboard; the result before is taken away first."""
    page.run("document.querySelector('#result').hidden = true; document.querySelector('#query').value = ''")
    page.find("#query").send_keys(query, Keys.ESCAPE)
    page.find("#query").send_keys(Keys.CONTROL, Keys.ENTER)


class Start(NamedTuple):
    """What the page made of two links with queries until someone ran the second: what stood in the field, when its
    engine was started, whether a result was hidden, and what was asked for; and the first answer, which starts the
    engine, with all that the console and requests to others said."""

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
    for found in SHOWN.finditer(page):
        if found["kind"] != "sql":
            continue
        lines = found[0].split("```\n\n")[1].splitlines()[2:]
        tables.append([[re.sub(r"\\(.)", r"\1", cell) for cell in line[2:-2].split(" | ")] for line in lines])
    return tables


def test_the_questions_of_the_docs_get_the_printed_answers(sql: Browser) -> None:
    page = "".join((CHECKOUT / "docs" / name).read_text(encoding="utf-8") for name in ("examples.md", "queries.md"))
    asked = questions(page)
    links = "return document.querySelectorAll('#questions a').length"
    assert sql.run(links) == len(asked) > 30
    for question, answer in list(zip(asked, printed(page), strict=True))[::9]:
        sql.run("document.querySelector('#result').hidden = true")
        sql.run("history.replaceState(null, '', '#'); document.querySelector('#query').value = ''")
        sql.run(CLICK_QUESTION, question.query)
        sql.wait(ANSWERED)
        shown = [[" ".join(cell.split()) for cell in row] for row in sql.run(CELLS)]
        assert shown == answer, question.title


def test_the_first_answer_comes_from_disk_alone(started: Start) -> None:
    assert (started.errors, started.foreign) == ([], [])


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


EACH = """const [queries, done] = arguments;
Promise.all(queries.map(traincompute.runQuery)).then((all) => done(all.map((one) => one && one.rows.length)))"""


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
