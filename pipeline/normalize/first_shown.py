"""The first public appearance of a model: no later than that of its paper on a preprint server.

Databases often give the day of a later version of a paper, or that of the conference. The number of a preprint tells
when its first version appeared: on arXiv the month, in a DOI of bioRxiv or medRxiv the day on which it was submitted. A
date after that is replaced by the earliest day within that time that is stated for any model of the paper, or else by
the month or the day itself. A model that came after its paper keeps its date: we entered or acknowledged such a date,
its name has a date of its own, or a model that it was made from came later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import pandas as pd

from pipeline.config import Source
from pipeline.frames import is_in
from pipeline.normalize.columns import extracted
from pipeline.normalize.corrections import of_our_own
from pipeline.normalize.reasons import REPLACED
from traincompute.base.sources import OWN

ENTERED = date(2026, 11, 25)  # a vintage of an earlier day has the dates as they were then
FIELD = "publication_date"
ARXIV = r"(?:arxiv\.org/(?:abs|pdf|html)/|arXiv:)(?P<found>(?:0[7-9]|1[0-9]|2[0-9])(?:0[1-9]|1[0-2])\.[0-9]{4,5})"
BIORXIV = r"10\.1101/(?P<found>20[0-9]{2}\.(?:0[1-9]|1[0-2])\.[0-3][0-9]\.[0-9]{6,8})"
POSTED_WITHIN = pd.Timedelta(days=13)  # a preprint is screened before it is posted
# the date in a name: "(Jun 2023)", or four digits for month and day or for year and month
STAMP = (
    r"\((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* 20[0-9]{2}\)|[-_"
    r" ](?:0[1-9][0-3][0-9]|1[0-2][0-3][0-9]|2[3-9](?:0[1-9]|1[0-2]))$"
)


def first_of_month(numbers: pd.Series) -> pd.Series:
    """The first day of the month that each arXiv number tells; NaT where there is none of the present form."""
    months = numbers.astype("str").str.extract(r"^([0-9]{2})([0-9]{2})\.[0-9]")
    return pd.to_datetime("20" + months[0] + "-" + months[1], format="%Y-%m", errors="coerce")


def shown_between(links: pd.Series) -> pd.DataFrame:
    """For each link the number of the preprint (`paper`), the days between which its first version appeared (`first`,
    `last`) and its `reference`; null where the link leads to none, and without days where the DOI has none that
    exists."""
    arxiv, biorxiv = extracted(links, ARXIV), extracted(links, BIORXIV)
    month, day = first_of_month(arxiv), pd.to_datetime(biorxiv.str[:10], format="%Y.%m.%d", errors="coerce")
    last = (month + pd.offsets.MonthEnd()).fillna(day + POSTED_WITHIN)
    reference = ("arXiv:" + arxiv).fillna("doi:10.1101/" + biorxiv)
    return pd.DataFrame(
        {"paper": arxiv.fillna(biorxiv), "first": month.fillna(day), "last": last, "reference": reference}
    )


def bound_by_paper(
    claims: pd.DataFrame, as_of: date | None, sources: Mapping[str, Source], fixes: Iterable[Mapping[str, Any]]
) -> pd.DataFrame:
    """The judged claims, with one of ours in the place of each date that is later than the month of the paper, unless
    an entry of corrections.yml (`fixes`) acknowledges the date of the record."""
    if OWN not in sources or (as_of and as_of < ENTERED):
        return claims  # a ledger of others, of which we say nothing, or what was said before
    known = {fix["record"] for fix in fixes if fix["action"] == "acknowledge" and fix["field"] == FIELD}
    dates = _with_papers(claims)
    is_inside = dates["day"].between(dates["first"], dates["last"]) & ~is_in(dates["note"], ["month", "year"])
    inside = dates[is_inside].groupby("paper")["code"].min()
    late = dates[dates["day"] > dates["last"]]
    if len(late):
        late = late[~is_in(late["model_id"], _came_later(claims, late, dates, known))]
    if late.empty:
        return claims
    own = of_our_own(claims, _in_their_place(late, inside), sources)
    claims.loc[late.index, "reason_code"] = REPLACED
    claims.loc[late.index, "reason"] = ("its paper has the number " + late["paper"]).astype(claims["reason"].dtype)
    return pd.concat([claims, own]).sort_values("claim_id", ignore_index=True)


def _with_papers(claims: pd.DataFrame) -> pd.DataFrame:
    """The dates that are stated, each with its day and, of the latest preprint that the model is linked with, what
    shown_between tells."""
    links = claims.loc[claims["field"] == "reference_url", ["model_id", "value_text"]]
    papers = shown_between(links["value_text"]).assign(model_id=links["model_id"]).dropna(subset=["first"])
    latest = papers.sort_values(["first", "paper"]).drop_duplicates("model_id", keep="last").set_index("model_id")
    dates = claims.loc[(claims["field"] == FIELD) & (claims["reason_code"] == "")]
    dates = dates[["model_id", "record", "source_id", "code", "value_text", "note", "publisher"]]
    return dates.assign(day=pd.to_datetime(dates["code"])).join(latest, on="model_id")


def _came_later(claims: pd.DataFrame, late: pd.DataFrame, dates: pd.DataFrame, known: set[str]) -> set[str]:
    """The models that came after their papers; `known` has the records whose date is acknowledged."""
    kept = (late["source_id"] == OWN) | late["record"].isin(known)
    said = set(late.loc[kept | late["record"].str.contains(STAMP, regex=True), "model_id"])
    stay = ~dates.index.isin(late.index) | is_in(dates["model_id"], said)
    shown = dates["day"].where(stay, dates["first"]).groupby(dates["model_id"]).max()
    named = claims.loc[claims["field"] == "name"].drop_duplicates("code").set_index("code")["model_id"]
    bases = claims.loc[(claims["field"] == "base_model") & is_in(claims["model_id"], late["model_id"])]
    bases = bases.assign(name=bases["code"].astype("str").str.split(r"[,;]")).explode("name")
    day = bases["name"].str.strip().map(named).map(shown)
    first = bases["model_id"].map(late.drop_duplicates("model_id").set_index("model_id")["first"])
    return {*said, *bases.loc[day > first, "model_id"]}


def _in_their_place(late: pd.DataFrame, inside: pd.Series) -> list[dict[Any, Any]]:
    """What is different in our claims: the day or the month, and the paper."""
    same = {"since": pd.Timestamp(ENTERED), "correction": ""} | dict.fromkeys(("value", "low", "high"), float("nan"))
    made = []
    for place, line in late.to_dict("index").items():
        paper, reference = line["paper"], line["reference"]
        precision = "day" if paper in inside or reference.startswith("doi:") else "month"
        code = inside.get(paper, f"{line['first']:%Y-%m-%d}")
        text = code if precision == "day" else code[:7]
        made.append(
            same | {"place": place, "value_text": text, "note": precision, "code": code, "reference": reference}
        )
    return made
