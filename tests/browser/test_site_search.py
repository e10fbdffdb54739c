"""Search, organisations with their labs, and links that ask for what is not there."""

from __future__ import annotations

import duckdb
import pytest
from browser import NOTABLE, Browser, ids
from selenium.webdriver.common.keys import Keys


def test_a_search_marks_what_it_found_and_keeps_the_rest_in_sight(page: Browser) -> None:
    before = page.run("return traincompute.chart.view")
    page.keys("/")
    page.keys(*"llama")
    assert 0 < page.count() < 40
    marks = page.run("return [...document.querySelectorAll('#table tbody th mark')].map((m) => m.textContent)")
    assert {mark.lower() for mark in marks} == {"llama"}
    assert page.run("return traincompute.chart.view") == before
    assert page.run("return traincompute.chart.context.length") > 500
    assert "not found by the search" in page.text("#legend")
    page.keys(Keys.ARROW_DOWN)
    assert page.run("return document.activeElement.closest('#table tbody tr') !== null")
    page.run("document.querySelector('#search').focus()")
    page.keys(Keys.ESCAPE)
    assert page.find("#search").get_attribute("value") == ""
    page.keys("gpt-4.5", Keys.ENTER)
    page.wait("return document.querySelector('#model').open")


@pytest.mark.thorough
def test_marks_stand_on_the_letters_that_match(page: Browser) -> None:
    pieces = "return traincompute.marked(...arguments).map((p) => (p.textContent ? [p.textContent] : p))"
    assert page.run(pieces, "Médgpt ﬁne", "med fi") == [["Méd"], "gpt ", ["ﬁ"], "ne"]
    assert page.run(pieces, "<b>bold</b>", "b") == ["<", ["b"], ">", ["b"], "old</", ["b"], ">"]


@pytest.mark.thorough
def test_references_and_owners_are_searched(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    reference, model = database.execute(
        "select c.reference, model_id from claims c join models using (model_id) where is_notable and c.status = 'selected' "
        "and c.field = 'parameters' and c.reference like 'arXiv:%' and not contains(coalesce(reference_url, ''), c.reference[7:]) "
        "order by 1 limit 1"
    ).fetchone() or ("", "")
    page.type("#search", reference)
    assert model in page.listed()


@pytest.mark.thorough
def test_an_organisation_stands_for_those_that_belong_to_it(
    blank: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    labs = "select 'Google' union all select organization from organizations where parent = 'Google'"
    query = f"{NOTABLE} and list_has_any(organizations, array({labs}))"
    blank.open("organizations=Google")
    assert sorted(blank.listed()) == sorted(ids(database, query))
    blank.click("#facet-organizations summary")
    blank.click("#facet-organizations .labs[value='labs of Google']")
    assert blank.run("return document.activeElement.value") == "labs of Google"
    blank.click("#facet-organizations .lab input[value='DeepMind']")
    blank.click("#facet-organizations input[value='Google']")
    assert sorted(blank.listed()) == sorted(ids(database, f"{NOTABLE} and list_contains(organizations, 'DeepMind')"))


@pytest.mark.thorough
def test_a_link_to_what_is_not_there_says_so(page: Browser) -> None:
    assert not page.find("#unknown").is_displayed()
    page.open("model=no-such-model&y=constructor&organizations=Nobody&asof=1999-01-01&sort=nothing")
    page.wait("return document.querySelector('#unknown').textContent.includes('1999')")
    said = page.text("#unknown")
    assert all(name in said for name in ("no-such-model", "constructor", "Nobody", "nothing"))
    assert page.state()["model"] == ""


@pytest.mark.thorough
def test_a_name_is_found_without_the_sign_before_its_number(page: Browser) -> None:
    for typed, model in (("gpt5", "gpt-5"), ("grok4", "grok-4"), ("openai gpt5", "gpt-5")):
        page.type("#search", typed)
        assert model in page.listed()
    page.type("#search", "t5")
    assert not {"gpt-5", "gpt-5-pro"} & set(page.listed())


@pytest.mark.thorough
def test_an_unknown_day_is_told_once(page: Browser) -> None:
    page.run("location.hash = 'asof=1999-01-01'")
    page.wait("return document.querySelector('#unknown').textContent.includes('1999')")
    page.run("return Promise.all([traincompute.loadVintages(), new Promise((done) => setTimeout(done, 300))])")
    assert page.text("#unknown").startswith("This link asks for the vintage of 1999-01-01; the dataset")
