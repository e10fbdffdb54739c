"""The explorer as its users drive it with the mouse, compared with SQL and with what `explain` knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from browser import NOTABLE, PATIENCE_S, Browser, ids

from traincompute.explain.collect import collect


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


@pytest.mark.parametrize("sort", ["constructor"])
def test_fault_63_an_order_that_no_column_has_is_ignored(blank: Browser, sort: str) -> None:
    blank.open(f"sort={sort}")
    assert len(blank.listed()) > 100
    assert blank.errors() == []


@pytest.mark.parametrize("model", ["gpt-3-175b"])
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
