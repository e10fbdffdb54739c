"""The same tests in Firefox, but for those that ask Chromium for more than WebDriver has: the mouse at a place, paper,
themes of the system, the console. Without Firefox and its geckodriver all of them are skipped as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Firefox, grave_faults
from machine import needs_firefox
from test_facts_pages import test_a_model_page_shows_all_that_is_said
from test_site import (
    test_a_choice_tells_how_many_models_it_would_give,
    test_filters_choose_what_sql_chooses,
    test_search_finds_names_ids_and_further_names,
    test_the_table_sorts_all_rows_and_holds_few,
)
from test_site_access import AXE, PAGES, needs_axe
from test_site_search import (
    test_a_link_to_what_is_not_there_says_so,
    test_a_name_is_found_without_the_sign_before_its_number,
)
from test_site_story import (
    test_every_number_of_the_headline_is_that_of_sql,
    test_the_frontier_has_a_line_of_its_own_as_the_table_trends_has_it,
    test_the_line_through_everything_is_that_of_the_table_trends,
)
from test_sql_page import (
    ANSWERED,
    test_a_query_right_after_loading_is_whole,
    test_markup_and_scripts_in_values_are_texts,
    test_queries_that_do_not_wait_for_each_other_get_whole_answers,
    test_stop_ends_a_query_and_the_next_one_starts_the_engine_again,
)
from test_static_pages import test_it_leads_to_the_live_page_of_the_same_model

if needs_firefox.args[0]:
    pytest.skip(needs_firefox.kwargs["reason"], allow_module_level=True)

__all__ = [
    "test_a_choice_tells_how_many_models_it_would_give",
    "test_a_link_to_what_is_not_there_says_so",
    "test_a_model_page_shows_all_that_is_said",
    "test_a_name_is_found_without_the_sign_before_its_number",
    "test_a_query_right_after_loading_is_whole",
    "test_every_number_of_the_headline_is_that_of_sql",
    "test_filters_choose_what_sql_chooses",
    "test_it_leads_to_the_live_page_of_the_same_model",
    "test_markup_and_scripts_in_values_are_texts",
    "test_queries_that_do_not_wait_for_each_other_get_whole_answers",
    "test_search_finds_names_ids_and_further_names",
    "test_stop_ends_a_query_and_the_next_one_starts_the_engine_again",
    "test_the_frontier_has_a_line_of_its_own_as_the_table_trends_has_it",
    "test_the_line_through_everything_is_that_of_the_table_trends",
    "test_the_table_sorts_all_rows_and_holds_few",
]


def opened(firefox: Firefox, folder: Path, name: str) -> Firefox:
    firefox.home = (folder / name).as_uri()
    firefox.resize(1440, 900)
    firefox.open()
    return firefox


@pytest.fixture
def page(firefox: Firefox, folder: Path) -> Firefox:
    return opened(firefox, folder, "index.html")


@pytest.fixture
def facts(firefox: Firefox, folder: Path) -> Firefox:
    return opened(firefox, folder, "facts.html")


@pytest.fixture
def sql(firefox: Firefox, folder: Path) -> Firefox:
    """The page from disk, with its engine running."""
    opened(firefox, folder, "sql.html")
    firefox.click("#run")
    firefox.wait(ANSWERED)
    return firefox


@needs_axe
@pytest.mark.parametrize(("name", "view", "shown"), PAGES)
def test_a_page_of_every_kind_opens_and_can_be_used_by_all(
    firefox: Firefox, folder: Path, name: str, view: str, shown: str
) -> None:
    firefox.driver.get("about:blank")
    firefox.driver.get(f"{(folder / name).as_uri()}#{view}")
    firefox.find(shown)
    assert firefox.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert grave_faults(firefox, AXE) == []
