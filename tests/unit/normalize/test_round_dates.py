"""What of an early date a database knows, on a table of claims as the step before leaves it."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from pipeline.normalize.round_dates import told_as_far_as_known

SOURCES = dict.fromkeys(("curated", "a_database"))
CASES = [
    ("1986-10-01", "a_database", "day", "month"),
    ("1989-01-01", "a_database", "day", "year"),
    ("1986-10-09", "a_database", "day", "day"),
    ("2010-03-01", "a_database", "day", "day"),
    ("1986-10-01", "curated", "day", "day"),
    ("1957-01-01", "a_database", "month", "month"),
]


def precision_of(
    code: str, source_id: str, note: str, as_of: date | None = None, field: str = "publication_date"
) -> str:
    line = {"field": field, "source_id": source_id, "note": note, "code": code}
    return str(told_as_far_as_known(pd.DataFrame([line]), as_of, SOURCES)["note"].item())


@pytest.mark.parametrize(("code", "source_id", "before", "after"), CASES)
def test_an_early_first_of_the_month_of_a_database_tells_no_day(
    code: str, source_id: str, before: str, after: str
) -> None:
    assert precision_of(code, source_id, before) == after


def test_an_earlier_vintage_and_another_field_stay_as_they_are() -> None:
    assert precision_of("1986-10-01", "a_database", "day", date(2026, 11, 26)) == "day"
    assert precision_of("1986-10-01", "a_database", "day", date(2026, 11, 27)) == "month"
    assert precision_of("1986-10-01", "a_database", "day", field="name") == "day"
