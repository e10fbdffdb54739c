"""The SQL page from disk: answers as the docs print them, links that run, what the engine refuses, and charts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import duckdb
import pytest
from browser import AXE, Browser, grave_faults, needs_axe, saved_by
from selenium.webdriver.common.keys import Keys

ANSWERED = """return document.querySelector('#stop').hidden && !document.querySelector('#result').hidden
    && document.querySelector('#status').textContent.includes('row')"""
REFUSED = """return document.querySelector('#stop').hidden
    && document.querySelector('#failure').textContent"""
CELLS = """return [...document.querySelectorAll('#rows tbody tr')].map((row) => [...row.cells].map(
    (cell) => cell.textContent))"""


@pytest.fixture(scope="module")
def page(chromium: Browser, folder: Path) -> Browser:
    """The page with its engine running, started by a link."""
    chromium.home = (folder / "sql.html").as_uri()
    chromium.resize(1440, 900)
    chromium.open("q=select+7+as+seven")
    chromium.wait(ANSWERED)
    assert chromium.run(CELLS) == [["7"]]
    assert chromium.foreign(chromium.home, "blob:") == []
    return chromium


@pytest.fixture
def sql(page: Browser) -> Iterator[Browser]:
    """A test fails on an error of the console; what a query says is no error."""
    page.errors()
    yield page
    assert [error for error in page.errors() if " Error: " not in error] == []


def ask(page: Browser, query: str) -> None:
    """Follows a link to a query."""
    page.run("document.querySelector('#status').textContent = document.querySelector('#failure').textContent = ''")
    page.run("location.hash = `#${arguments[0]}`", urlencode({"q": query}))


def test_questions_have_as_many_rows_as_duckdb_answers(sql: Browser, database: duckdb.DuckDBPyConnection) -> None:
    links = sql.run("""return [...document.querySelectorAll('.questions a')]
        .map((link) => link.hash.slice(1))""")
    assert len(links) > 30
    for link in links[::12]:
        [query] = parse_qs(link)["q"]
        ask(sql, query)
        sql.wait(ANSWERED)
        rows = len(database.execute(query).fetchall())
        assert sql.text("#status").startswith(f"{rows} row"), query


def test_the_csv_has_what_duckdb_answers(sql: Browser, database: duckdb.DuckDBPyConnection) -> None:
    query = """select model_id, organizations, publication_date, training_compute_flop, is_notable, dataset_size
    from models where training_compute_flop > 1e25 order by all"""
    ask(sql, query)
    sql.wait(ANSWERED)
    wanted = database.execute(query).fetchall()
    assert sql.text("#status").startswith(f"{len(wanted)} rows, ")
    rows = list(csv.reader(io.StringIO(saved_by(sql, "#csv"))))[1:]
    for row, (model, organizations, date, flop, *_) in zip(rows, wanted, strict=True):
        assert row[:3] == [model, ";".join(organizations or []), str(date)]
        assert float(row[3]) == flop


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("selec 1", 'syntax error at or near "selec"'),
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


def test_a_typed_query_is_completed_runs_by_key_and_is_in_the_address(sql: Browser) -> None:
    sql.run("history.replaceState(null, '', '#')")
    editor = sql.find(".cm-content")
    editor.send_keys(Keys.CONTROL, "a", Keys.NULL, "select count(*) as n from mod")
    sql.wait("""return [...document.querySelectorAll('.cm-completionLabel')]
        .some((one) => one.textContent === 'models')""")
    editor.send_keys(Keys.ESCAPE, "els", Keys.CONTROL, Keys.ENTER)
    sql.wait("return location.hash.includes('count')")
    sql.wait(ANSWERED)
    assert len(sql.run(CELLS)) == 1


def test_a_link_draws_the_chart_that_was_chosen(sql: Browser) -> None:
    query = """select year, country, models from country_shares
        where country in ('China', 'France') order by year"""
    view = urlencode({"q": query, "x": "year", "y": "models", "mark": "line"})
    sql.run(
        """document.querySelector('#status').textContent = '';
        location.hash = `#${arguments[0]}`""",
        view,
    )
    sql.wait(ANSWERED)
    assert sql.wait("return document.querySelectorAll('#picture [aria-label=line]').length") == 1
    sql.run("""const mark = document.querySelector('#mark');
        mark.value = 'dot'; mark.dispatchEvent(new Event('change'))""")
    assert "mark=dot" in sql.run("return location.hash")
    ask(
        sql,
        """select organization, models
        from organizations order by 2 desc limit 9""",
    )
    sql.wait("""return document.querySelectorAll('#picture [aria-label=bar] rect').length
        === 9""")


def test_markup_in_values_stays_text(sql: Browser) -> None:
    ask(sql, """select '<img src=x onerror=window.hit=1>' as "<b>a", 3 as n union all select '</script>', 4""")
    sql.wait(ANSWERED)
    assert "<img src=x onerror=window.hit=1>" in [row[0] for row in sql.run(CELLS)]
    assert sql.run("""return [window.hit ?? null,
        document.querySelectorAll('#result img').length]""") == [None, 0]


def test_a_query_without_end_can_be_stopped(sql: Browser) -> None:
    ask(sql, "select count(*) from range(100000000000) a, range(100000) b")
    sql.wait("""return document.querySelector('#status')
        .textContent.startsWith('Running')""")
    sql.click("#stop")
    sql.wait("""return document.querySelector('#status')
        .textContent.startsWith('Stopped')""")
    ask(sql, "select 2 as two")
    sql.wait(ANSWERED)
    assert sql.run(CELLS) == [["2"]]


@needs_axe
def test_axe_finds_nothing_serious(sql: Browser) -> None:
    sql.resize(390, 844, prefers_color_scheme="dark")
    ask(
        sql,
        """select organization, models
        from organizations order by 2 desc limit 5""",
    )
    sql.wait(ANSWERED)
    assert grave_faults(sql, AXE) == []
    sql.resize(1440, 900)
