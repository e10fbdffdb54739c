"""Publication dates: preprint numbers and early dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from plain_source import source

from pipeline.normalize.exclude import OF_CLAIMS, exclude
from pipeline.normalize.facts import Vintage
from pipeline.normalize.publication_dates import early_precision, shown_between

DAY = pd.Timestamp("2026-07-19")
USUAL: dict[str, Any] = {
    **dict.fromkeys(("value", "low", "high"), np.nan),
    **dict.fromkeys(
        ("locator", "reference", "reason_code", "reason", "remedy", "correction", "evidence", "unit", "note"), ""
    ),
    "source_id": "epoch_all",
    "publisher": "Epoch AI",
    "voice": "Epoch AI",
    "rank": 1,
    "changed": 0,
    "place": 0,
    "snapshot": DAY,
    "since": DAY,
}


SOURCES = {"epoch_all": source(id="epoch_all"), "curated": source(id="curated", publisher="traincompute")}


def stated(record: str, field: str, text: str, **others: Any) -> dict[str, Any]:
    """A claim of a model that is named after its record."""
    code = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text) if field == "publication_date" else text
    note = {4: "year", 7: "month"}.get(len(text), "day") if field == "publication_date" else ""
    told = {
        "record": record,
        "model_id": record.lower(),
        "field": field,
        "value_text": text,
        "code": code,
        "note": note,
    }
    return USUAL | told | others


def model(record: str, day: str, link: str, base: str = "", **others: Any) -> list[dict[str, Any]]:
    cells = {"name": record, "reference_url": link, "base_model": base}
    made = [stated(record, field, text) for field, text in cells.items() if text]
    return [*made, stated(record, "publication_date", day, **others)]


def claims(*models: list[dict[str, Any]]) -> pd.DataFrame:
    rows = [row | {"hash": n, "claim_id": f"{n:016x}"} for n, row in enumerate(row for one in models for row in one)]
    days = dict.fromkeys(("snapshot", "since"), "datetime64[s]")
    return pd.DataFrame(rows).astype({"hash": "uint64", **days})


def excluded(
    models: Sequence[list[dict[str, Any]]], as_of: date | None = None, sources: Any = SOURCES, fixes: Any = ()
) -> pd.DataFrame:
    context: Any = SimpleNamespace(sources=sources, components=())
    return exclude(claims(*models), OF_CLAIMS, Vintage(context, as_of, fixes=fixes))


def dates(*models: list[dict[str, Any]], as_of: date | None = None, fixes: Any = ()) -> dict[str, list[str]]:
    """The dates that count in the end, with their precision."""
    found = excluded(models, as_of, fixes=fixes)
    assert found["claim_id"].is_monotonic_increasing
    standing = found[(found["field"] == "publication_date") & (found["reason_code"] == "")]
    told = standing["code"] + " " + standing["note"]
    return {record: sorted(told[standing["record"] == record]) for record in standing["record"].unique()}


ARXIV = "https://arxiv.org/abs/2006.04558"
BIORXIV = "https://www.biorxiv.org/content/10.1101/2021.07.09.450648v2"


@pytest.mark.parametrize(
    ("link", "paper", "first", "last", "reference"),
    [
        (ARXIV, "2006.04558", "2020-06-01", "2020-06-30", "arXiv:2006.04558"),
        ("see arXiv:0704.0001", "0704.0001", "2007-04-01", "2007-04-30", "arXiv:0704.0001"),
        # handed in on the ninth, screened for up to thirteen days
        (BIORXIV, "2021.07.09.450648", "2021-07-09", "2021-07-22", "doi:10.1101/2021.07.09.450648"),
        ("https://doi.org/10.1101/2022.02.31.450648", "2022.02.31.450648", "", "", "doi:10.1101/2022.02.31.450648"),
        (f"{ARXIV} {BIORXIV}", "2006.04558", "2020-06-01", "2020-06-30", "arXiv:2006.04558"),
        ("https://arxiv.org/abs/hep-th/9901001", "", "", "", ""),
        ("https://example.org/2006.04558", "", "", "", ""),
    ],
)
def test_the_number_of_a_preprint_tells_between_which_days_it_appeared(
    link: str, paper: str, first: str, last: str, reference: str
) -> None:
    found = shown_between(pd.Series([link], dtype="str"))
    days = found[["first", "last"]].apply(lambda column: column.dt.strftime("%Y-%m-%d"))
    assert found.assign(**days).fillna("").iloc[0].tolist() == [paper, first, last, reference]


def test_a_date_after_the_month_of_the_paper_is_replaced_by_a_claim_of_ours_that_cites_it() -> None:
    found = excluded([model("Late", "2022-08-08", ARXIV)])
    theirs, own = (
        found[(found["source_id"] == name) & (found["field"] == "publication_date")].iloc[0] for name in SOURCES
    )
    assert (theirs["reason_code"], theirs["reason"]) == ("replaced", "its paper has the number 2006.04558")
    said = own[["value_text", "code", "note", "reference", "publisher", "voice"]].tolist()
    assert said == ["2020-06", "2020-06-01", "month", "arXiv:2006.04558", "traincompute", "traincompute"]
    assert set(own[["evidence", "correction", "reason_code", "reason"]].tolist()) == {""}
    assert own["since"] == pd.Timestamp("2026-11-25")
    assert own[["value", "low", "high"]].isna().all()


ARXIV_2, DATE = "https://arxiv.org/abs/2009.00001", "publication_date"
LATE, OWN_MONTH = "2022-08-08", "2020-06-01 month"
OF_MAY = "https://arxiv.org/abs/2005.00001"
DERIVED = model("Derived", LATE, ARXIV, "Unknown, Base")
KEPT = {"source": "epoch_all", "record": "M", "field": DATE, "value_text": date(2022, 8, 8), "action": "acknowledge"}
# models, entries of corrections.yml, and the date of the first model that stands in the end
DATES: list[tuple[list[list[dict[str, Any]]], list[dict[str, Any]], str]] = [
    ([model("M", "2020-07-01", ARXIV)], [], OWN_MONTH),
    ([model("M", "2020-06-30", ARXIV)], [], "2020-06-30 day"),
    ([model("M", "2020-05-31", ARXIV)], [], "2020-05-31 day"),
    ([model("M", "2020", ARXIV)], [], "2020-01-01 year"),
    ([model("M", LATE, "https://example.org/2006.04558")], [], f"{LATE} day"),
    ([model("M", LATE, ARXIV, reason_code="zero")], [], ""),
    # the earliest day within the month that is known of any model of the paper
    ([model("M", LATE, ARXIV), model("B", "2020-06-22", ARXIV), model("C", "2020-06-10", ARXIV)], [], "2020-06-10 day"),
    ([model("M", LATE, ARXIV), model("B", "2020-06", ARXIV), model("C", "2020-05-01", ARXIV)], [], OWN_MONTH),
    ([model("M", LATE, ARXIV), model("B", "2020-06-02", "")], [], OWN_MONTH),
    # the day in a DOI
    ([model("M", "2021-11-17", BIORXIV)], [], "2021-07-09 day"),
    ([model("M", "2021-07-22", BIORXIV)], [], "2021-07-22 day"),
    ([model("M", "2021-07-23", BIORXIV)], [], "2021-07-09 day"),
    # of several papers the latest
    ([[stated("M", "reference_url", ARXIV), *model("M", "2020-09-15", ARXIV_2)]], [], "2020-09-15 day"),
    ([[stated("M", "reference_url", ARXIV), *model("M", "2020-10-15", ARXIV_2)]], [], "2020-09-01 month"),
    # a date in the name, other digits in it
    *(([model(name, LATE, ARXIV)], [], f"{LATE} day") for name in ("V3 (Mar 2025)", "Model-0813", "Qwen3-2507")),
    *(([model(name, LATE, ARXIV)], [], OWN_MONTH) for name in ("Yi-1.5-34B", "DGX 2048", "DLRM-2022")),
    # a date that a person entered or acknowledged
    ([[*model("M", LATE, ARXIV), stated("M", DATE, LATE, source_id="curated")]], [], f"{LATE} day"),
    ([model("M", LATE, ARXIV)], [KEPT], f"{LATE} day"),
    *(
        ([model("M", LATE, ARXIV)], [KEPT | other], OWN_MONTH)
        for other in ({"record": "Later"}, {"field": "knowledge_cutoff"}, {"action": "drop"})
    ),
    # a base that came after the paper, whose own date holds
    ([DERIVED, model("Base", "2022-01-01", "")], [], f"{LATE} day"),
    ([DERIVED, model("Base", "2020-06-02", "")], [], f"{LATE} day"),
    ([DERIVED, model("Base", "2020-06-01", "")], [], OWN_MONTH),
    ([DERIVED, model("Base", "2022-01-01", OF_MAY)], [], OWN_MONTH),  # the base itself is of May 2020
    ([model("M", LATE, ARXIV, "Base-0813"), model("Base-0813", "2022-01-01", OF_MAY)], [], f"{LATE} day"),
]


@pytest.mark.parametrize(("models", "fixes", "stands"), DATES)
def test_a_model_did_not_appear_after_its_paper_unless_something_says_so(
    models: list[list[dict[str, Any]]], fixes: list[dict[str, Any]], stands: str
) -> None:
    found = dates(*models, fixes=fixes).get(models[0][0]["record"], [])
    assert set(found) == ({stands} if stands else set())


def test_a_vintage_has_the_dates_as_they_were_and_a_ledger_of_others_is_left_alone() -> None:
    late = model("Late", LATE, ARXIV)
    assert dates(late, as_of=date(2026, 11, 24)) == {"Late": [f"{LATE} day"]}
    assert dates(late, as_of=date(2026, 11, 25)) == {"Late": [OWN_MONTH]}
    theirs = {"epoch_all": SOURCES["epoch_all"]}
    assert len(excluded([late], sources=theirs)) == 3


CASES = [
    ("1986-10-01", "a_database", "day", "month"),
    ("1989-01-01", "a_database", "day", "year"),
    ("1986-10-09", "a_database", "day", "day"),
    ("2010-03-01", "a_database", "day", "day"),
    ("1986-10-01", "curated", "day", "day"),
    ("1957-01-01", "a_database", "month", "month"),
]


def precision_of(code: str, source_id: str, note: str, as_of: date | None = None) -> str:
    line = pd.DataFrame([{"source_id": source_id, "note": note, "code": code}])
    context: Any = SimpleNamespace(sources=SOURCES)
    return str(early_precision(line, Vintage(context, as_of))["note"].get(0, note))


@pytest.mark.parametrize(("code", "source_id", "before", "after"), CASES)
def test_an_early_first_of_the_month_of_a_database_tells_no_day(
    code: str, source_id: str, before: str, after: str
) -> None:
    assert precision_of(code, source_id, before) == after


def test_an_earlier_vintage_stays_as_it_was() -> None:
    assert precision_of("1986-10-01", "a_database", "day", date(2026, 11, 26)) == "day"
    assert precision_of("1986-10-01", "a_database", "day", date(2026, 11, 27)) == "month"
