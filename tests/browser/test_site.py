"""The explorer as its users drive it with the mouse, compared with SQL and with what `explain` knows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pandas as pd
import pytest
from browser import NOTABLE, OF_POINT, PATIENCE_S, Browser, ids, place
from selenium.webdriver.common.keys import Keys
from thorough import first

from traincompute.explain.collect import collect
from traincompute.show.values import exact


def test_filters_choose_what_sql_chooses(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    page.click("input[name='is_notable'][value='any']")
    assert page.count() == len(ids(database, "select model_id from models"))
    page.click("#facet-domains summary")
    page.click("#facet-domains input[value='Biology']")
    page.click("#facet-domains input[value='Vision']")
    page.click("input[name='open_weights'][value='yes']")
    page.click("[data-least='1e23']")
    wanted = """select model_id from models where list_has_any(domains, ['Biology', 'Vision']) and open_weights
    and training_compute_flop >= 1e23"""
    assert sorted(page.listed()) == sorted(ids(database, wanted))
    page.run("const e = document.querySelector('#from'); e.value = '2024-03-01'; e.dispatchEvent(new Event('change'))")
    assert sorted(page.listed()) == sorted(ids(database, wanted + " and publication_date >= '2024-03-01'"))
    page.click("#clear-filters")
    assert page.count() == len(ids(database, NOTABLE))


@pytest.mark.thorough
def test_the_page_measures_itself(blank: Browser) -> None:
    blank.open()
    blank.click("input[name='is_notable'][value='any']")
    timings = blank.run("return window.traincomputeTimings")
    assert timings["ready"] > 0
    assert len(timings["filter"]) == len(timings["first draw"]) == 1
    assert blank.run("return performance.getEntriesByName('traincompute filter').length") == 1


@pytest.mark.thorough
def test_a_choice_tells_how_many_models_it_would_give(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    page.click("#facet-countries summary")
    page.click("#facet-countries input[value='China']")
    page.click("#facet-training_compute_source summary")
    told = page.wait(
        "return document.querySelector('#facet-training_compute_source li') && [...document.querySelectorAll('#facet-training_compute_source li')].map("
        "(li) => [li.querySelector('input').value, parseInt(li.querySelector('.many').textContent)])"
    )
    counted = database.execute(
        "select coalesce(training_compute_source, '(none)'), count(*) from models "
        "where is_notable and list_contains(countries, 'China') group by 1"
    ).fetchall()
    assert {name: count for name, count in told if count} == dict(counted)


def test_search_finds_names_ids_and_further_names(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    page.type("#search", "2005.14165")
    assert sorted(page.listed()) == sorted(ids(database, NOTABLE + " and arxiv_id = '2005.14165'"))
    page.type("#search", "GOOGLE bert")
    assert page.count() > 0
    names = ids(database, "select lower(name) from models where model_id in (select unnest(?))", page.listed())
    assert any("bert" in name for name in names)
    record, model = database.execute(
        "select record, model_id from claims join models using (model_id) where record <> name and is_notable "
        "and lower(replace(record, '-', '')) not in (lower(replace(name, '-', ''))) order by 1 limit 1"
    ).fetchone() or ("", "")
    page.type("#search", record)
    assert model in page.listed()


@pytest.mark.thorough
def test_a_search_tells_of_models_that_the_filters_hide(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    hidden = ids(database, "select name from models where not is_notable and length(name) > 15 order by 1 limit 1")[0]
    page.type("#search", hidden)
    assert page.count() == 0
    page.click("#widen")
    assert page.count() >= 1


@pytest.mark.parametrize("sort", first(["constructor", "-__proto__", "toString", "nothing"]))
def test_fault_63_an_order_that_no_column_has_is_ignored(blank: Browser, sort: str) -> None:
    blank.open(f"sort={sort}")
    assert len(blank.listed()) > 100
    assert blank.errors() == []


@pytest.mark.thorough
def test_the_table_sorts_all_rows_and_holds_few(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    page.click("input[name='is_notable'][value='any']")
    page.click("th[data-column='parameters'] button")
    descending = [
        row[0] for row in database.execute("select parameters from models order by 1 desc nulls last").fetchall()
    ]
    value_of = dict(database.execute("select model_id, parameters from models").fetchall())
    assert [value_of[key] for key in page.listed()] == descending
    assert page.find("th[data-column='parameters']").get_attribute("aria-sort") == "descending"
    page.click("th[data-column='parameters'] button")
    filled = sorted(value for value in descending if value is not None)
    assert [value_of[key] for key in page.listed()][: len(filled)] == filled
    page.click("th[data-column='name'] button")
    assert page.find("#table").get_attribute("aria-rowcount") == str(len(descending) + 1)
    assert page.run("return document.querySelectorAll('#table tbody tr[data-row]').length") < 60
    page.run("document.querySelector('#table tbody a[tabindex=\"0\"]').focus()")
    page.keys(Keys.END)
    assert page.run("return document.activeElement.closest('tr').getAttribute('aria-rowindex')") == str(
        len(descending) + 1
    )
    page.keys(Keys.ENTER)
    page.wait("return document.querySelector('#model').open")


@pytest.mark.thorough
def test_hover_tells_value_interval_and_source_and_a_click_opens(
    page: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    model, name, low = database.execute(
        "select model_id, name, training_compute_low from models where is_notable and training_compute_low is not null "
        "and training_compute_high is not null and publication_date > '2012-01-01' order by training_compute_flop desc limit 1"
    ).fetchone() or ("", "", 0.0)
    x, y = place(page, model)
    page.mouse("mouseMoved", x, y)
    tip = page.text("#tooltip")
    assert tip.startswith(name)
    assert f"{low:.4g}".replace("e+", "e") in tip
    assert any(word in tip for word in ("reported", "third party", "our estimate"))
    page.press(x, y)
    page.wait("return document.querySelector('#model').open")
    assert page.text("#model-name") == name
    assert page.state()["model"] == model


@pytest.mark.thorough
def test_zoom_and_pan_move_the_view_and_fit_brings_it_back(page: Browser) -> None:
    before = page.run("return traincompute.chart.view")
    x, y = place(page, "gpt-3-175b")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
    page.wait("return traincompute.chart.view[1] - traincompute.chart.view[0] < arguments[0]", before[1] - before[0])
    assert place(page, "gpt-3-175b") == pytest.approx((x, y), abs=1.5)
    page.wait("return location.hash.includes('view=')")
    page.mouse("mousePressed", x, y + 40, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 60, y + 40, button="left")
    page.mouse("mouseReleased", x + 60, y + 40, button="left", clickCount=1)
    page.wait("return !document.querySelector('#model').open")
    moved = page.wait(
        "const p = (() => {" + OF_POINT + "})(); return p && Math.abs(p[0] - arguments[1]) > 30 && p", "gpt-3-175b", x
    )
    assert moved[0] == pytest.approx(x + 60, abs=2)
    page.click("#zoom-reset")
    assert page.run("return traincompute.chart.view") == before
    page.click("#options summary")
    page.click("#spans button:first-child")
    assert page.run("return traincompute.chart.visible.length === traincompute.chart.points.length")


@pytest.mark.parametrize("model", first(["gpt-3-175b", "goat-7b", "deepseek-v3"]))
def test_a_model_shows_what_explain_shows(blank: Browser, database: duckdb.DuckDBPyConnection, model: str) -> None:
    known = collect(database, model)
    blank.open(f"model={model}")
    blank.wait("return document.querySelector('.estimates, .sources')")
    shown = blank.text("#model-page")
    for claim in (claim for entry in known["fields"] for claim in entry["claims"]):
        if claim["reference"]:
            assert claim["reference"].removeprefix("https://").removeprefix("www.") in shown
        if claim["status"] == "conflicting":
            assert claim["reason"].removesuffix(entry_id(claim["reason"])) in shown
    for row in known["estimates"]:
        assert (row["formula"] if row["value"] else row["reason"]) in shown
    changes = {(row["field"], row["kind"], row["old_text"], row["new_text"]) for row in known["revisions"]}
    assert 0 < len(blank.run("return [...document.querySelectorAll('.revisions tbody tr')]")) <= len(changes)
    assert {row["source_id"] for row in known["revisions"]} <= set(
        blank.text(".revisions").replace("epoch_", " epoch_").split()
    )
    links = set(blank.run("return [...document.querySelectorAll('#model-page a')].map((a) => a.href)"))
    assert known["model"]["reference_url"] in links
    assert all(link.startswith(("https://", "http://", "file://")) for link in links)


def entry_id(reason: str) -> str:
    """The claim_id at the end of a reason, which the page replaces by the place of that claim."""
    last = reason.split(" ")[-1]
    return last if len(last) == 16 and set(last) <= set("0123456789abcdef") else ""


@pytest.mark.thorough
def test_a_copied_link_opens_the_same_view(page: Browser) -> None:
    page.driver.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    page.click("input[name='is_notable'][value='any']")
    page.click("#facet-organizations summary")
    page.click("#facet-organizations input[value='Google']")
    page.type("#search", "bert")
    page.choose("#y", "parameters")
    page.choose("#colour", "countries")
    page.click("th[data-column='publication_date'] button")
    page.click("#zoom-in")
    page.wait("return location.hash.includes('view=')")
    page.run("document.querySelector('#table tbody a').click()")
    page.wait("return document.querySelector('.sources')")
    before = (page.state(), page.listed(), page.text("#model-name"), page.run("return traincompute.chart.view"))
    page.run("history.back()")
    page.wait("return !document.querySelector('#model').open")
    page.run("history.forward()")
    page.wait("return document.querySelector('#model').open && document.querySelector('.sources')")
    page.run("window.focus(); document.querySelector('#copy-link').click()")
    page.wait("return document.querySelector('#toast').textContent")
    copied = page.driver.execute_async_script(
        "const done = arguments[arguments.length - 1]; navigator.clipboard.readText().then(done, (e) => done(String(e)))"
    )
    assert copied == page.run("return location.href")
    page.open(copied.split("#", 1)[1])
    page.wait("return document.querySelector('.sources')")
    after = (page.state(), page.listed(), page.text("#model-name"), page.run("return traincompute.chart.view"))
    assert after[:3] == before[:3]
    assert after[3] == pytest.approx(before[3], abs=0.001)


@pytest.mark.thorough
def test_the_downloads_hold_what_sql_gives(blank: Browser, database: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    blank.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    french = "from models where list_contains(countries, 'France') and training_compute_flop >="
    (least,) = database.execute(f"select min(training_compute_flop) {french} 1e22").fetchone() or (0.0,)
    blank.open(f"is_notable=any&countries=France&least={quote(str(least))}&sort=model_id")
    query = f"select * {french} {least}::double order by model_id"
    cursor = database.execute(query)
    names = [column[0] for column in cursor.description or []]
    rows = cursor.fetchall()
    assert len(rows) > 5
    filled = [i for i, name in enumerate(names) if _filled(database, name)]
    for button in ("download-csv", "download-json", "describe-csv"):
        blank.click(f"#{button}")
    forms = ("csv", "json", "datapackage.json")
    files = {form: wait_for(tmp_path / f"traincompute-{len(rows)}-models.{form}", blank) for form in forms}
    told = package_beside(files["csv"])
    assert ids(database, told["query"]) == sorted(row[0] for row in rows)
    assert len(pd.read_csv(files["csv"])) == len(rows)
    read = list(csv.reader(files["csv"].read_text(encoding="utf-8").splitlines()))
    assert (
        read[0] == [names[i] for i in filled] == [field["name"] for field in told["resources"][0]["schema"]["fields"]]
    )
    by_id = {line[0]: line for line in read[1:]}
    for line, row in ((by_id.pop(row[0]), row) for row in rows):
        for cell, value in zip(line, (row[i] for i in filled), strict=True):
            same = (
                float(cell) == value
                if isinstance(value, float)
                else cell.removeprefix("'") == exact(value).removeprefix("'")
            )
            assert same, (cell, value)
    assert by_id == {}
    records = json.loads(files["json"].read_text(encoding="utf-8"), parse_int=float)
    plain = [{names[i]: _plain(row[i]) for i in filled} for row in rows]
    for record, expected in zip(sorted(records, key=lambda one: str(one["model_id"])), plain, strict=True):
        assert record == expected


def package_beside(file: Path) -> dict[str, Any]:
    """What the page says of a CSV that it saved: the Data Package beside it, whose columns are those of the file."""
    told: dict[str, Any] = json.loads(file.with_suffix(".datapackage.json").read_text(encoding="utf-8"))
    (resource,) = told["resources"]
    assert resource["path"] == file.name
    assert [field["name"] for field in resource["schema"]["fields"]] == list(pd.read_csv(file).columns)
    return told


def _filled(database: duckdb.DuckDBPyConnection, name: str) -> bool:
    (count,) = database.execute(f'select count("{name}") from models').fetchone() or (0,)
    return bool(count)


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def wait_for(file: Path, page: Browser) -> Path:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(page.driver, PATIENCE_S, poll_frequency=0.05).until(lambda _: file.exists() and file.stat().st_size)
    return file


LEFT = {
    "document.getElementById('options').open = true": "document.getElementById('options').open = false",
    "document.body.classList.add('filters-open')": "document.body.removeAttribute('class')",
    "localStorage.setItem('a', 'b')": "localStorage.removeItem('a')",
}


@pytest.mark.thorough
def test_what_a_test_leaves_in_the_explorer_is_taken_back_or_seen(page: Browser) -> None:
    """Which the fixture `page` relies on: it loads the explorer only where something is left."""
    page.run("location.hash = 'least=1e25&sort=name&y=parameters'")
    assert page.state()["least"] == "1e25"
    assert page.taken_back()
    for leave, take_back in LEFT.items():
        page.run(leave)
        assert not page.taken_back(), leave
        page.run(take_back)
    assert page.taken_back()
