"""Precision is kept; day and month are never guessed."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.normalize.text import DateError, PartialDate, parse_date
from pipeline.paths import Paths
from pipeline.vocabularies import load_vocabularies

KINDS = load_vocabularies(Paths())["reasons"].codes
READ = {  # text → the date and its precision; with a slash as a source that writes the day first has it
    "2024-02-29": ("2024-02-29", "day"), "2024-05": ("2024-05-01", "month"), "2024": ("2024-01-01", "year"),
    "2023-11-21 01:39": ("2023-11-21", "day"), "2023-11-21T01:39:05Z": ("2023-11-21", "day"),
    "May 2024": ("2024-05-01", "month"), "Sept. 2024": ("2024-09-01", "month"), "June 13, 2024": ("2024-06-13", "day"),
    "13 June 2024": ("2024-06-13", "day"), " 13 JUN 2024\n": ("2024-06-13", "day"),
    "25/11/2019": ("2019-11-25", "day"), "01/02/2024": ("2024-02-01", "day"), "05/2019": ("2019-05-01", "month"),
}  # fmt: skip
REFUSED = {  # text → what is said of it
    "25/11/2019": "the order of day and month is not known", "05/2019": "the order of day and month is not known",
    "2024-02-30": "no day 30 in February 2024, which has 29", "2023-02-29": "no day 29 in February 2023",
    "2024-05-00": "no day 0 in May", "2024-13": "no month 13; check whether day and month are swapped",
    "31 April 2024": "no day 31 in April", "2124-01-01": "not between 1940 and", "1939": "not between 1940 and 2100",
    "Forthcoming": "no date stated", "N/A": "no date stated", "": "empty", "2" * 5000: "longer than 60 characters",
    "2024-5-3": "is not a date", "Q2 2024": "is not a date", "2023-11-21 25:00": "is not a date",
    "20240513": "is not a date", "٢٠٢٤": "is not a date", "13 Jnue 2024": 'did you mean "13 June 2024"?',
    "2026-07-20": "later than 2026-07-19",
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_date_keeps_its_precision(text: str) -> None:
    date, precision = READ[text]
    assert parse_date(text, day_first="/" in text) == PartialDate(dt.date.fromisoformat(date), precision)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_date_is_refused_with_its_reason(text: str) -> None:
    with pytest.raises(DateError) as caught:
        parse_date(text, latest=dt.date(2026, 7, 19))
    assert REFUSED[text] in f"{caught.value.reason}; {caught.value.remedy}"
    assert caught.value.code in KINDS


@given(st.dates(dt.date(1940, 1, 1), dt.date(2100, 12, 31)))
def test_every_day_month_and_year_comes_back_from_its_forms(day: dt.date) -> None:
    month, year = PartialDate(day.replace(day=1), "month"), PartialDate(dt.date(day.year, 1, 1), "year")
    for text in (day.isoformat(), f"{day:%d %B %Y}", f"{day:%B %d, %Y}", f"{day:%d %b %Y}", f"{day:%d/%m/%Y}"):
        assert parse_date(text, day_first=True) == PartialDate(day, "day")
    for text in (f"{day:%Y-%m}", f"{day:%B %Y}", f"{day:%b. %Y}", f"{day:%m/%Y}"):
        assert parse_date(text, day_first=True) == month
    assert parse_date(f"{day:%Y}") == year


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
