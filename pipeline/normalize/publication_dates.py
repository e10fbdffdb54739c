"""The first public appearance of a model: no later than that of its paper on a preprint server.

Databases often give the day of a later version of a paper, or that of the conference. The number of a preprint tells
when its first version appeared: on arXiv the month, in a DOI of bioRxiv or medRxiv the day on which it was submitted. A
date after that is replaced by the earliest day within that time that is stated for any model of the paper, or else by
the month or the day itself. A model that came after its paper keeps its date: we entered or acknowledged such a date,
its name has a date of its own, or a model that it was made from came later.

Of early works a database knows less: the first of a month stands for the month, that of January for the year. Of the
models that only a database dates, 62 % before 1990 have the first of a month, 40 % in the nineties and 22 % in the ten
years after; 3 % would have it if the days were known."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import numpy as np
import pandas as pd

from pipeline.frames import is_in, mapped
from pipeline.normalize.columns import extracted
from pipeline.normalize.facts import Vintage
from traincompute.citation import OWN

FIELD = "publication_date"
BOUND_SINCE = date(2026, 11, 25)  # a vintage of an earlier day has the dates as they were then
ROUNDED_SINCE = date(2026, 11, 27)
ROUNDED_UNTIL = "2010"  # from then on most works are dated by a preprint or an announcement, to the day
ARXIV = r"(?:arxiv\.org/(?:abs|pdf|html)/|arXiv:)(?P<found>(?:0[7-9]|1[0-9]|2[0-9])(?:0[1-9]|1[0-2])\.[0-9]{4,5})"
BIORXIV = r"10\.1101/(?P<found>20[0-9]{2}\.(?:0[1-9]|1[0-2])\.[0-3][0-9]\.[0-9]{6,8})"
POSTED_WITHIN = pd.Timedelta(days=13)  # a preprint is screened before it is posted
# the date in a name: "(Jun 2023)", or four digits for month and day or for year and month
STAMP = (
    r"\((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* 20[0-9]{2}\)|[-_"
    r" ](?:0[1-9][0-3][0-9]|1[0-2][0-3][0-9]|2[3-9](?:0[1-9]|1[0-2]))$"
)


def shown_between(links: pd.Series) -> pd.DataFrame:
    """For each link the number of the preprint (`paper`), the days between which its first version appeared (`first`,
    `last`) and its `reference`; null where the link leads to none, and without days where the DOI has none that
    exists."""
    arxiv, biorxiv = extracted(links, ARXIV), extracted(links, BIORXIV)
    month = pd.to_datetime("20" + arxiv.str[:4], format="%Y%m", errors="coerce")
    day = pd.to_datetime(biorxiv.str[:10], format="%Y.%m.%d", errors="coerce")
    last = (month + pd.offsets.MonthEnd()).fillna(day + POSTED_WITHIN)
    reference = ("arXiv:" + arxiv).fillna("doi:10.1101/" + biorxiv)
    return pd.DataFrame(
        {"paper": arxiv.fillna(biorxiv), "first": month.fillna(day), "last": last, "reference": reference}
    )


def _is_ours(vintage: Vintage, since: date) -> bool:
    """Whether we say something of the dates: not in a ledger of others, nor in a vintage before that day."""
    return OWN in vintage.context.sources and not (vintage.as_of and vintage.as_of < since)


def later_than_paper(claims: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """The dates later than the time in which their paper appeared: `paper`, and what we state in the place of each
    (value_text, code, note, reference, since). Dates that an entry of corrections.yml acknowledges stay."""
    if not _is_ours(vintage, BOUND_SINCE):
        return claims.iloc[:0][["value_text"]]
    links = claims.loc[claims["field"] == "reference_url", ["model_id", "value_text"]]
    papers = shown_between(links["value_text"]).assign(model_id=links["model_id"]).dropna(subset=["first"])
    latest = papers.sort_values(["first", "paper"]).drop_duplicates("model_id", keep="last").set_index("model_id")
    dates = claims.loc[(claims["field"] == FIELD) & (claims["reason_code"] == "")]
    dates = dates[["model_id", "record", "source_id", "code", "note"]].join(latest, on="model_id")
    dates = dates.assign(day=pd.to_datetime(dates["code"]))
    late = dates[dates["day"] > dates["last"]]
    acknowledged = [fix["record"] for fix in vintage.fixes if (fix["action"], fix["field"]) == ("acknowledge", FIELD)]
    if len(late):
        late = late[~is_in(late["model_id"], _came_later(claims, dates, late, acknowledged))]
    if late.empty:
        return late
    is_inside = dates["day"].between(dates["first"], dates["last"]) & ~is_in(dates["note"], ["month", "year"])
    stated = mapped(late["paper"], dates[is_inside].groupby("paper")["code"].min().to_dict(), "str")
    is_day = stated.notna() | late["reference"].str.startswith("doi:")
    code = stated.fillna(late["first"].dt.strftime("%Y-%m-%d"))
    return late[["paper", "reference"]].assign(
        code=code,
        value_text=code.where(is_day, code.str[:7]),
        note=np.where(is_day, "day", "month"),
        since=pd.Timestamp(BOUND_SINCE),
    )


def _came_later(claims: pd.DataFrame, dates: pd.DataFrame, late: pd.DataFrame, acknowledged: Iterable[str]) -> set[str]:
    """The models among the `late` ones that came after their papers; `acknowledged` are records."""
    kept = (late["source_id"] == OWN) | late["record"].isin(list(acknowledged))
    later = set(late.loc[kept | late["record"].str.contains(STAMP, regex=True), "model_id"])
    stay = ~dates.index.isin(late.index) | is_in(dates["model_id"], later)
    shown = dates["day"].where(stay, dates["first"]).groupby(dates["model_id"]).max()
    ids = claims.loc[claims["field"] == "name"].drop_duplicates("code").set_index("code")["model_id"]
    bases = claims.loc[(claims["field"] == "base_model") & is_in(claims["model_id"], late["model_id"])]
    bases = bases.assign(name=bases["code"].astype("str").str.split(r"[,;]")).explode("name")
    day = bases["name"].str.strip().map(ids).map(shown)
    first = bases["model_id"].map(late.drop_duplicates("model_id").set_index("model_id")["first"])
    return {*later, *bases.loc[day > first, "model_id"]}


def early_precision(dates: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """As `note` the precision (month or year) of each early date that a database gives as the first of a month, from
    the source_id, code and note of claims about publication dates."""
    theirs = (dates["source_id"] != OWN) & (dates["note"] == "day")
    days = dates.loc[theirs, "code"].astype("str")
    rounded = days[(days < ROUNDED_UNTIL) & days.str.endswith("-01") & _is_ours(vintage, ROUNDED_SINCE)]
    note = np.where(rounded.str.endswith("-01-01"), "year", "month")
    return pd.DataFrame({"note": note}, index=rounded.index, dtype="str")
