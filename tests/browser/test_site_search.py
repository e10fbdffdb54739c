"""Search, organisations with their labs, and links that ask for what is not there."""

from __future__ import annotations

from browser import Browser
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
