"""What the number of a preprint says of a date, on claims as the steps before leave them."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from plain_source import source

from pipeline.normalize.first_shown import bound_by_paper, shown_between

DAY = pd.Timestamp("2026-07-19")
USUAL: dict[str, Any] = {
    **dict.fromkeys(("value", "low", "high"), np.nan),
    **dict.fromkeys(("locator", "reference", "reason_code", "reason", "correction", "evidence", "unit", "note"), ""),
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


def dates(*models: list[dict[str, Any]], as_of: date | None = None, fixes: Any = ()) -> dict[str, list[str]]:
    """The dates that stand in the end, of each record, with their precision."""
    found = bound_by_paper(claims(*models), as_of, SOURCES, fixes)
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
    found = bound_by_paper(claims(model("Late", "2022-08-08", ARXIV)), None, SOURCES, ())
    theirs, own = (
        found[(found["source_id"] == name) & (found["field"] == "publication_date")].iloc[0] for name in SOURCES
    )
    assert (theirs["reason_code"], theirs["reason"]) == ("replaced", "its paper has the number 2006.04558")
    columns = ["value_text", "code", "note", "reference", "publisher", "voice", "evidence", "correction", "reason_code"]
    assert own[columns].tolist() == [
        "2020-06",
        "2020-06-01",
        "month",
        "arXiv:2006.04558",
        "traincompute",
        "traincompute",
        "",
        "",
        "",
    ]
    assert own["since"] == pd.Timestamp("2026-11-25")
    assert own[["value", "low", "high"]].isna().all()


@pytest.mark.parametrize(
    ("day", "stands"),
    [
        ("2020-07-01", "2020-06-01 month"),
        ("2020-06-30", "2020-06-30 day"),
        ("2020-06-01", "2020-06-01 day"),
        ("2020-05-31", "2020-05-31 day"),
        ("2020", "2020-01-01 year"),
    ],
)
def test_a_date_within_the_month_or_before_it_stays(day: str, stands: str) -> None:
    assert dates(model("M", day, ARXIV)) == {"M": [stands]}


def test_the_earliest_day_that_is_known_within_the_month_is_that_of_all_models_of_the_paper() -> None:
    of_the_paper = [model("Second", "2020-06-22", ARXIV), model("First", "2020-06-10", ARXIV)]
    rough = [model("Rough", "2020-06", ARXIV), model("Older", "2020-05-01", ARXIV), model("Other", "2020-06-02", "")]
    found = dates(model("Late", "2022-08-08", ARXIV), *of_the_paper, *rough)
    assert found.pop("Late") == ["2020-06-10 day"]
    assert found.pop("Rough") == ["2020-06-01 month"]
    assert found == {
        "Second": ["2020-06-22 day"],
        "First": ["2020-06-10 day"],
        "Older": ["2020-05-01 day"],
        "Other": ["2020-06-02 day"],
    }


def test_a_date_after_the_day_in_a_doi_is_replaced_by_that_day() -> None:
    assert dates(model("M", "2021-11-17", BIORXIV)) == {"M": ["2021-07-09 day"]}
    assert dates(model("M", "2021-07-22", BIORXIV)) == {"M": ["2021-07-22 day"]}
    assert dates(model("M", "2021-07-23", BIORXIV)) == {"M": ["2021-07-09 day"]}


def test_of_several_papers_the_latest_counts() -> None:
    links = [stated("M", "reference_url", link) for link in (ARXIV, "https://arxiv.org/abs/2009.00001")]
    assert dates([*links, stated("M", "publication_date", "2020-09-15")]) == {"M": ["2020-09-15 day"]}
    assert dates([*links, stated("M", "publication_date", "2020-10-15")]) == {"M": ["2020-09-01 month"]}


@pytest.mark.parametrize("record", ["DeepSeek-V3 (Mar 2025)", "Model-0813", "Qwen3-2507"])
def test_a_model_with_a_date_in_its_name_came_later(record: str) -> None:
    assert dates(model(record, "2022-08-08", ARXIV)) == {record: ["2022-08-08 day"]}


def test_a_date_that_a_person_entered_or_acknowledged_holds_for_all_that_is_stated_of_the_model() -> None:
    late = model("Late", "2022-08-08", ARXIV)
    entered = stated("Late", "publication_date", "2022-08-09", source_id="curated")
    assert dates([*late, entered]) == {"Late": ["2022-08-08 day", "2022-08-09 day"]}
    fix = {"source": "epoch_all", "record": "Late", "field": "publication_date", "value_text": date(2022, 8, 8)}
    known = [fix | {"action": "acknowledge"}]
    assert dates(late, fixes=known) == {"Late": ["2022-08-08 day"]}
    for other in ({"record": "Later"}, {"field": "knowledge_cutoff"}, {"action": "drop"}):
        assert dates(late, fixes=[known[0] | other]) == {"Late": ["2020-06-01 month"]}, other


def test_a_model_came_after_its_paper_where_a_base_of_it_did() -> None:
    base, bounded = model("Base", "2022-01-01", ""), model("Base", "2022-01-01", "https://arxiv.org/abs/2005.00001")
    derived = model("Derived", "2022-08-08", ARXIV, "Unknown, Base")
    assert dates(base, derived)["Derived"] == ["2022-08-08 day"]
    assert dates(bounded, derived)["Derived"] == ["2020-06-01 month"], "the base itself is of May 2020"
    assert dates(model("Base", "2020-06-01", ""), derived)["Derived"] == ["2020-06-01 month"]
    assert dates(model("Base", "2020-06-02", ""), derived)["Derived"] == ["2022-08-08 day"]


def test_a_base_whose_late_date_holds_comes_later() -> None:
    base = model("Base-0813", "2022-01-01", "https://arxiv.org/abs/2005.00001")
    assert dates(base, model("Derived", "2022-08-08", ARXIV, "Base-0813"))["Derived"] == ["2022-08-08 day"]


def test_what_is_unreadable_is_left_alone() -> None:
    late = model("Late", "2022-08-08", ARXIV, reason_code="zero")
    assert bound_by_paper(claims(late), None, SOURCES, ())["reason_code"].tolist() == ["", "", "zero"]


def test_a_vintage_has_the_dates_as_they_were_and_a_ledger_of_others_is_left_alone() -> None:
    late = model("Late", "2022-08-08", ARXIV)
    assert dates(late, as_of=date(2026, 11, 24)) == {"Late": ["2022-08-08 day"]}
    assert dates(late, as_of=date(2026, 11, 25)) == {"Late": ["2020-06-01 month"]}
    theirs = {"epoch_all": SOURCES["epoch_all"]}
    assert len(bound_by_paper(claims(late), None, theirs, ())) == 3
