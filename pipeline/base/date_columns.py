"""Parses columns of dates with the grammar of dates.py; full ISO dates, nearly all of them, are parsed in one step."""

from __future__ import annotations

import datetime as dt

import pandas as pd

from pipeline.base.dates import FIRST_YEAR, LAST_YEAR, DateError, parse_date

COLUMNS = {"date": "datetime64[s]", "precision": "str", "reason": "str", "remedy": "str"}
PLAIN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


def parse_dates(
    texts: pd.Series[str], *, day_first: pd.Series[bool] | bool = False, latest: dt.date | None = None
) -> pd.DataFrame:
    """parse_date for a whole column: date (datetime64[s]), precision, reason, remedy, on the index of texts.

    An unreadable text has no date or precision, but a reason and a remedy, which are empty for all others.
    """
    filled = texts.astype("str").fillna("").reset_index(drop=True)
    first = pd.Series(day_first if isinstance(day_first, bool) else list(day_first), index=filled.index, dtype="bool")
    dates = _plain_dates(filled, latest)
    rest = pd.DataFrame({"text": filled, "day_first": first})[dates.isna()]
    read = {(t, f): _row(t, f, latest) for t, f in rest.drop_duplicates().itertuples(index=False)}
    rows = [read[text, by_day] for text, by_day in rest.itertuples(index=False)]
    leftover = pd.DataFrame(rows, columns=list(COLUMNS), index=rest.index).astype(COLUMNS)
    plain = pd.DataFrame({"date": dates, "precision": "day", "reason": "", "remedy": ""})[dates.notna()]
    return pd.concat([plain.astype(COLUMNS), leftover]).sort_index().set_axis(texts.index)


def _plain_dates(texts: pd.Series[str], latest: dt.date | None) -> pd.Series[pd.Timestamp]:
    """Full ISO dates within the accepted years; missing for any other text."""
    dates = pd.to_datetime(texts.where(texts.str.match(PLAIN)), format="%Y-%m-%d", errors="coerce")
    end = dt.date(LAST_YEAR, 12, 31) if latest is None else min(latest, dt.date(LAST_YEAR, 12, 31))
    known = dates.between(pd.Timestamp(FIRST_YEAR, 1, 1), pd.Timestamp(end))
    return dates.where(known).astype("datetime64[s]")


def _row(text: str, day_first: bool, latest: dt.date | None) -> tuple[dt.date | None, str, str, str]:
    try:
        return (*parse_date(text, day_first=day_first, latest=latest), "", "")
    except DateError as error:
        return None, "", error.reason, error.remedy
