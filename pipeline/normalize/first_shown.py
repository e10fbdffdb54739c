"""The first public appearance of a model: no later than the month in the number of its paper on arXiv.

Databases often give the day of a later version of a paper, or that of the conference. The number of a paper tells the
month of its first version, so a date after that month is replaced by the earliest day within it that is stated for any
model of the paper, or else by the month. A model that came after its paper keeps its date: we entered or acknowledged
such a date, its name has a date of its own, or a model that it was made from came later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import pandas as pd

from pipeline.base.columnar import extracted, is_in
from pipeline.normalize.corrections import of_our_own
from pipeline.normalize.quarantine import acknowledged
from pipeline.registry.reasons import REPLACED
from pipeline.registry.sources import Source
from traincompute.base.sources import OWN

ENTERED = date(2026, 11, 25)  # a vintage of an earlier day has the dates as they were then
FIELD = "publication_date"
NUMBER = r"arxiv\.org/(?:abs|pdf|html)/(?P<found>(?:0[7-9]|1[0-9]|2[0-9])(?:0[1-9]|1[0-2])\.[0-9]{4,5})"
# the date in a name: "(Jun 2023)", or four digits for month and day or for year and month
STAMP = r"\((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* 20[0-9]{2}\)|[-_ ](?:0[1-9][0-3][0-9]|1[0-2][0-3][0-9]|2[3-9](?:0[1-9]|1[0-2]))$"


def first_of_month(numbers: pd.Series) -> pd.Series:
    """The first day of the month that each arXiv number tells; NaT where there is none of the present form."""
    months = numbers.astype("str").str.extract(r"^([0-9]{2})([0-9]{2})\.[0-9]")
    return pd.to_datetime("20" + months[0] + "-" + months[1], format="%Y-%m", errors="coerce")


def bound_by_paper(
    claims: pd.DataFrame, as_of: date | None, sources: Mapping[str, Source], fixes: Iterable[Mapping[str, Any]]
) -> pd.DataFrame:
    """The judged claims, with one of ours in the place of each date that is later than the month of the paper, unless an
    entry of corrections.yml (`fixes`) acknowledges that date of the record."""
    if OWN not in sources or (as_of and as_of < ENTERED):
        return claims  # a ledger of others, of which we say nothing, or what was said before
    known = {f"{record}\n{text}" for _, record, field, text in acknowledged(fixes) if field == FIELD}
    dates = _with_papers(claims)
    inside = dates[_is_inside(dates)].groupby("paper")["code"].min()
    late = dates[(dates["day"] > dates["month"]) & ~_is_inside(dates)]
    if len(late):
        late = late[~is_in(late["model_id"], _came_later(claims, late, dates, known))]
    if late.empty:
        return claims
    own = of_our_own(claims, _in_their_place(late, inside), sources)
    claims.loc[late.index, "reason_code"] = REPLACED
    claims.loc[late.index, "reason"] = ("its paper has the number " + late["paper"]).astype(claims["reason"].dtype)
    return pd.concat([claims, own]).sort_values("claim_id", ignore_index=True)


def _with_papers(claims: pd.DataFrame) -> pd.DataFrame:
    """The dates that are stated, each with its day and, of the latest paper that the model is linked with, the number
    (`paper`) and the first day of its month (`month`)."""
    links = claims.loc[claims["field"] == "reference_url", ["model_id", "value_text"]]
    papers = extracted(links["value_text"], NUMBER).groupby(links["model_id"]).max()
    dates = claims.loc[(claims["field"] == FIELD) & (claims["reason_code"] == "")]
    dates = dates[["model_id", "record", "source_id", "code", "value_text", "publisher"]]
    dates = dates.assign(paper=dates["model_id"].map(papers), day=pd.to_datetime(dates["code"]))
    return dates.assign(month=first_of_month(dates["paper"]))


def _is_inside(dates: pd.DataFrame) -> Any:
    return dates["day"].dt.to_period("M").eq(dates["month"].dt.to_period("M"))


def _came_later(claims: pd.DataFrame, late: pd.DataFrame, dates: pd.DataFrame, known: set[str]) -> set[str]:
    """The models that came after their papers; `known` has the records and dates that are acknowledged."""
    kept = (late["source_id"] == OWN) | (late["record"] + "\n" + late["value_text"]).isin(known)
    said = set(late.loc[kept | late["record"].str.contains(STAMP, regex=True), "model_id"])
    stay = ~dates.index.isin(late.index) | is_in(dates["model_id"], said)
    shown = dates["day"].where(stay, dates["month"]).groupby(dates["model_id"]).max()
    named = claims.loc[claims["field"] == "name"].drop_duplicates("code").set_index("code")["model_id"]
    bases = claims.loc[(claims["field"] == "base_model") & is_in(claims["model_id"], late["model_id"])]
    bases = bases.assign(name=bases["code"].astype("str").str.split(r"[,;]")).explode("name")
    day = bases["name"].str.strip().map(named).map(shown)
    month = bases["model_id"].map(late.drop_duplicates("model_id").set_index("model_id")["month"])
    return {*said, *bases.loc[day > month, "model_id"]}


def _in_their_place(late: pd.DataFrame, inside: pd.Series) -> list[dict[Any, Any]]:
    """What is different in our claims: the day or the month, and the paper."""
    same = {"since": pd.Timestamp(ENTERED), "correction": ""} | dict.fromkeys(("value", "low", "high"), float("nan"))
    made = []
    for place, paper, month in zip(late.index, late["paper"], late["month"], strict=True):
        day = inside.get(paper)
        text, note = (day, "day") if day else (f"{month:%Y-%m}", "month")
        code = day or f"{month:%Y-%m-%d}"
        made.append(
            same | {"place": place, "value_text": text, "note": note, "code": code, "reference": f"arXiv:{paper}"}
        )
    return made
