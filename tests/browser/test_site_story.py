"""The headline and the trend line: what the page works out for everything is what the published tables say."""

from __future__ import annotations

import re

import duckdb
import pytest
from browser import Browser

QUANTITIES = ("training_compute_flop", "parameters", "training_tokens", "training_cost_usd", "training_power_w")
FIGURES = """
const flags = { is_notable: arguments[0] === "notable" ? "yes" : "any" };
const state = { ...traincompute.defaults(), flags };
const found = traincompute.figuresOf(traincompute.select(state).rows, state);
return { ...found, largest: traincompute.data.column.model_id.values[found.largest] };"""


def test_the_headline_quotes_the_tables_and_changes_with_the_selection(
    page: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    growth, low, high = database.execute(
        "select growth_per_year, growth_low, growth_high from trends where trend_id ="
        " 'training_compute_flop:notable:2010'"
    ).fetchone() or (0, 0, 0)
    said = page.text("#story")
    assert f"{growth:.1f}× a year (90 %: {low:.1f}–{high:.1f})" in said
    assert "all notable models: GPT-6 Astra" in said
    for level, runs, least, most in database.execute(
        "select threshold_flop, runs, low_90, high_90 from thresholds where scope = 'notable' and threshold_flop >="
        " 1e25 and published_until = (select max(published_until) from thresholds)"
    ).fetchall():
        assert f"{runs} run{'s' * (runs != 1)} at or above 10{'²⁵' if level == 1e25 else '²⁶'}" in said
        assert f"({least}–{most} expected" in said
    given = database.execute(
        "select count(training_compute_flop), count(*) from models where is_notable group by"
        " rollup(year(publication_date)) order by year(publication_date) desc nulls first limit 3"
    ).fetchall()
    whole, *recent = [f"{known:,} of {all_of_them:,}" for known, all_of_them in given]
    assert f"{whole} have a value (" in said
    assert all(f"{part} in 202" in said for part in recent)
    assert f"{growth:.1f}× a year" in page.text("#legend")
    page.click("[data-least='1e25']")
    assert page.text("#story") != said
    assert page.text("#story").startswith(f"Largest training run of {page.count()} models: ")
    assert "No trend: a filter on training compute picks the values themselves" in page.text("#story")
    assert "a year" not in page.text("#legend"), "a line through them would have the slope of the filter"
    page.click("[data-least='1e25']")
    assert "a year" in page.text("#legend")
    for search, doubles in (("openai", True), ("bert", False)):
        page.type("#search", search)
        least = re.search(r"a year \(90 %: ([0-9.]+)–", page.text("#story"))
        assert least
        assert (float(least[1]) > 1) == doubles == ("doubling" in page.text("#story"))
    page.type("#search", "")
    page.click("[data-least='1e25']")
    page.type("#search", "grok-4-heavy")
    assert page.text("#count").startswith("1 of")
    assert page.text("#chart-note") == "1 model in view"
    assert page.text("#story").endswith("5e26 FLOP by our estimate. ")
    page.type("#search", "grok-4")
    assert "Too few" in page.text("#story")


HEADLINE = r"""
with scope as (select * from models where is_notable or $1 = 'all'),
largest as (select * from scope order by training_compute_flop desc nulls last, publication_date limit 1),
counted as (select coalesce(year(publication_date)::varchar, '') as year, count(*) as n,
count(training_compute_flop) as known
    from scope group by rollup(year(publication_date)) having year(publication_date) in (2025, 2026) or
grouping(year(publication_date)) = 1),
levels as (select * from thresholds where scope = $1 and published_until = (select max(published_until) from
thresholds)),
line as (select * from trends where trend_id = 'training_compute_flop:' || $1 || ':2010')
select format('{} ({}, {}), {} FLOP', name, organizations[1], strftime(publication_date, '%Y-%m'),
        replace(format('{:.4g}', training_compute_flop), 'e+', 'e')) from largest
union all select format('Since 2010 compute grew {:.1f}× a year (90 %: {:.1f}–{:.1f}), doubling in {:.1f} months',
        growth_per_year, growth_low, growth_high, doubling_months) from line
union all select format('({} % of the runs since 2024)', round(100 * valued_share_since_2024)::int) from line where
selection_warning is not null
union all select format('{} run{} at or above 10{}', runs, if(runs = 1, '', 's'), if(threshold_flop = 1e25, '²⁵', '²⁶'))
        from levels where threshold_flop in (1e25, 1e26)
union all select format('({}–{} expected', low_90, high_90) from levels where threshold_flop in (1e25, 1e26)
union all select format('{:,} of {:,}{}', known, n, if(year = '', '', ' in ' || year)) from counted
union all select format('{} % of the {:,} values', round(100 * count(*) filter (training_compute_source = 'reported')
        / count(training_compute_flop))::int, count(training_compute_flop)) from scope"""


@pytest.mark.parametrize("scope", ["notable", "all"])
def test_every_number_of_the_headline_is_that_of_sql(
    page: Browser, database: duckdb.DuckDBPyConnection, scope: str
) -> None:
    if scope == "all":
        page.click("input[name='is_notable'][value='any']")
    left = page.text("#story")
    for (told,) in database.execute(HEADLINE, [scope]).fetchall():
        assert told in left
        left = left.replace(told, "", 1)
    assert re.findall(r"[0-9]+", left) == []


YEARS = """return [...document.querySelectorAll("#years tbody tr")].map((row) => [...row.cells].map((c) =>
c.textContent))"""
