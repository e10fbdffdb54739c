"""Dates: precision is kept, the order of day and month is never guessed."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.normalize.text import DateError, PartialDate, parse_date
from pipeline.paths import Paths
from pipeline.vocabularies import load_vocabularies

KINDS = load_vocabularies(Paths())["reasons"].codes


def refusal(text: str, **options: object) -> DateError:
    with pytest.raises(DateError) as caught:
        parse_date(text, **options)  # type: ignore[arg-type]
    assert caught.value.code in KINDS
    return caught.value


@pytest.mark.parametrize(
    ("text", "date", "precision"),
    [
        ("2024-05-13", "2024-05-13", "day"),
        ("2024-02-29", "2024-02-29", "day"),
        ("2024-05", "2024-05-01", "month"),
        ("2024", "2024-01-01", "year"),
        ("2023-11-21 01:39", "2023-11-21", "day"),
        ("2023-11-21T01:39:05Z", "2023-11-21", "day"),
        ("May 2024", "2024-05-01", "month"),
        ("Sept. 2024", "2024-09-01", "month"),
        ("June 13, 2024", "2024-06-13", "day"),
        ("13 June 2024", "2024-06-13", "day"),
        (" 13 JUN 2024\n", "2024-06-13", "day"),
    ],
)
def test_date_keeps_its_precision(text: str, date: str, precision: str) -> None:
    assert parse_date(text) == PartialDate(dt.date.fromisoformat(date), precision)


@pytest.mark.parametrize(
    ("text", "date", "precision"),
    [  # forms of the sheet of 2022-05-03
        ("25/11/2019", "2019-11-25", "day"),
        ("01/02/2024", "2024-02-01", "day"),
        ("9/9/2019", "2019-09-09", "day"),
        ("05/2019", "2019-05-01", "month"),
        ("2019", "2019-01-01", "year"),
    ],
)
def test_slashes_are_read_where_the_source_writes_the_day_first(text: str, date: str, precision: str) -> None:
    assert parse_date(text, day_first=True) == PartialDate(dt.date.fromisoformat(date), precision)


@pytest.mark.parametrize("text", ["25/11/2019", "01/02/2024", "05/2019"])
def test_slashes_are_refused_elsewhere(text: str) -> None:
    error = refusal(text)
    assert error.reason == "the order of day and month is not known"
    assert "YYYY-MM-DD" in error.remedy


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2024-02-30", "the calendar has no day 30 in February 2024, which has 29"),
        ("2023-02-29", "the calendar has no day 29 in February 2023, which has 28"),
        ("2024-05-00", "the calendar has no day 0 in May 2024, which has 31"),
        ("2024-13", "the calendar has no month 13"),
        ("31 April 2024", "the calendar has no day 31 in April 2024, which has 30"),
        ("2124-01-01", "the year 2124 is not between 1940 and 2100"),
        ("1939", "the year 1939 is not between 1940 and 2100"),
        ("Forthcoming", "no date stated"),
        ("N/A", "no date stated"),
        ("", "empty"),
        ("2024-5-3", '"2024-5-3" is not a date'),
        ("Q2 2024", '"Q2 2024" is not a date'),
        ("2023-11-21 25:00", '"2023-11-21 25:00" is not a date'),
        ("20240513", '"20240513" is not a date'),
        ("٢٠٢٤", '"٢٠٢٤" is not a date'),
        ("2" * 5000, "longer than 60 characters"),
    ],
)
def test_what_is_no_date_is_refused_with_its_reason(text: str, reason: str) -> None:
    error = refusal(text)
    assert error.reason == reason
    assert error.remedy


def test_swapped_day_and_month_are_not_swapped_back() -> None:
    assert "swapped" in refusal("11/25/2019", day_first=True).remedy


def test_misspelt_month_is_shown_corrected() -> None:
    assert refusal("13 Jnue 2024").remedy == 'did you mean "13 June 2024"?'


def test_date_after_the_latest_is_refused() -> None:
    latest = dt.date(2026, 7, 19)
    assert parse_date("2026-07-19", latest=latest).date == latest
    assert refusal("2026-07-20", latest=latest).reason == "2026-07-20 is later than 2026-07-19"


@given(st.dates(dt.date(1940, 1, 1), dt.date(2100, 12, 31)))
def test_every_day_comes_back_from_its_forms(day: dt.date) -> None:
    for text in (day.isoformat(), f"{day:%d %B %Y}", f"{day:%B %d, %Y}", f"{day:%d %b %Y}"):
        assert parse_date(text) == PartialDate(day, "day")
    assert parse_date(f"{day:%d/%m/%Y}", day_first=True) == PartialDate(day, "day")


@given(st.dates(dt.date(1940, 1, 1), dt.date(2100, 12, 31)), st.booleans())
def test_a_month_or_a_year_comes_back_as_its_first_day(day: dt.date, day_first: bool) -> None:
    month, year = PartialDate(day.replace(day=1), "month"), PartialDate(dt.date(day.year, 1, 1), "year")
    for text in (f"{day:%Y-%m}", f"{day:%B %Y}", f"{day:%b. %Y}"):
        assert parse_date(text, day_first=day_first) == month
    assert parse_date(f"{day:%m/%Y}", day_first=True) == month
    assert parse_date(f"{day:%Y}", day_first=day_first) == year


@given(st.dates(dt.date(1940, 1, 1), dt.date(2100, 12, 31)), st.dates(dt.date(1940, 1, 1), dt.date(2100, 12, 31)))
def test_a_day_is_refused_where_it_is_later_than_the_latest_and_only_there(day: dt.date, latest: dt.date) -> None:
    if day <= latest:
        assert parse_date(day.isoformat(), latest=latest).date == day
    else:
        assert refusal(day.isoformat(), latest=latest).code == "out_of_range"


TEXTS = (
    st.text(max_size=70)
    | st.dates().map(str)
    | st.lists(st.sampled_from([*"0123456789-/ ,.:TZ", "2024", "May", "June"]), max_size=12).map("".join)
)


@given(TEXTS, st.booleans())
def test_any_text_is_a_date_or_refused(text: str, day_first: bool) -> None:
    try:
        read = parse_date(text, day_first=day_first)
    except DateError as error:
        explained = bool(error.reason and error.remedy) and error.code in KINDS
    else:
        explained = 1940 <= read.date.year <= 2100 and read.precision in {"day", "month", "year"}
    assert explained
