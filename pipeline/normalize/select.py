"""Claims: what sources state of each model, and the one claim per model and field that is selected.

The order is total: values before bounds, rank of source and evidence (data/raw/selection.yml), plain column before
note, the file that last changed the cell, the source named first, a model's own record before a duplicate, locator,
claim_id. Every claim says why it has its status, as a code and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Selection, Source
from pipeline.frames import is_in, iso_days, mapped
from pipeline.normalize.columns import hex_digits, row_codes

AGREEMENT = 0.05  # two numbers within 5 % support each other
WHY = ["reason_code", "reason"]
WON = {"status": "selected", "reason_code": "first", "reason": "first in the order of selection"}
# claims with these reasons simply lose; others are quarantined
SILENT = ["states_nothing", "component", "withdrawn", "replaced"]
COMPARED = [
    *("value", "code", "publisher", "voice", "source_id", "since", "changed", "rank", "place", "claim_id"),
    *("correction", "is_bound"),
]
JUDGED = ["model_id", "field", "record", "locator", "evidence", "hash", *COMPARED]
GONE = {"status": "quarantined", "reason_code": "no_model", "reason": "no source has the model any more",
        "remedy": "enter its new name in data/raw/curated/identities.csv, or end its lines with `until`"}  # fmt: skip


def make_claims(facts: pd.DataFrame, sources: Mapping[str, Source], selection: Selection) -> pd.DataFrame:
    """The parsed facts about models of one vintage, with claim_id, publisher, voice (the independent publisher who
    first made the statement, or ""), rank (lowest first), `place` (the source's among those of its rank) and an empty
    correction; they stand since the day on which the cell got the value, in whatever spelling."""
    publisher = mapped(facts["source_id"], {name: source.publisher for name, source in sources.items()}, "str")
    origins = {name: sources[source.derived_from or name].publisher for name, source in sources.items()}
    files = {url: origins[name] for name, source in sources.items() for url in source.urls}
    # a fact at second hand from the notes of a source's file is that publisher's; what nobody saw is nobody's
    cited = mapped(facts["reference"], files, "str").fillna("")
    voice = mapped(facts["source_id"], origins, "str").where(facts["evidence"].isin(["", "seen"]), cited)
    whole = is_in(facts["source_id"], selection.default)
    ranked_as = facts["source_id"].where(whole, facts["source_id"] + "/" + facts["evidence"])
    rank = mapped(ranked_as, selection.default, "int64")
    for field, ranks in selection.fields.items():
        rank = rank.mask(facts["field"] == field, mapped(ranked_as, ranks, "int64"))
    return facts.assign(
        claim_id=hex_digits(facts["hash"].to_numpy(), facts.index),
        publisher=publisher,
        voice=voice,
        rank=rank,
        place=mapped(ranked_as, {name: place for place, name in enumerate(selection.default)}, "int64"),
        correction=pd.Series("", index=facts.index, dtype="str"),
    )


def select(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims with status, reason_code, reason and supporting_publishers; at most one per model and field is
    selected."""
    is_bound = claims["value"].isna() & (claims["low"].notna() | claims["high"].notna())  # a limit or a range, no value
    readable = claims.assign(is_bound=is_bound).loc[claims["reason_code"] == "", JUDGED]
    group, winner = _winners(readable)
    lost = np.flatnonzero(winner != np.arange(len(readable)))
    compared = readable[COMPARED]
    losers, winners = (compared.iloc[rows].reset_index(drop=True) for rows in (lost, winner[lost]))
    judged = _judge(losers, winners, group[lost])
    others = judged[judged["is_support"]].drop_duplicates(["group", "voice"])["group"].value_counts()
    support = pd.Series(pd.Series(group).map(others).fillna(0).to_numpy("int64") + 1, readable.index, dtype="Int64")
    won = support.drop(readable.index[lost]).to_frame("supporting_publishers").assign(**WON)
    excluded = claims.loc[claims["reason_code"] != "", WHY]
    excluded = excluded.assign(status=np.where(is_in(excluded["reason_code"], SILENT), "superseded", "quarantined"))
    verdict = pd.concat([won, judged.set_axis(readable.index[lost])[list(WON)], excluded])
    return claims.drop(columns=WHY).join(verdict.astype(dict.fromkeys(WON, "str")))


def _winners(readable: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """For each claim, its group (model and field) and the position of the claim that wins the group."""
    group = row_codes(readable, ["model_id", "field"])
    where = row_codes(readable, ["locator"])
    noted = readable["locator"].ne("") & readable["evidence"].eq("")  # a plain column comes before any note
    of_file = [group, row_codes(readable, ["source_id"])]
    age = -readable["changed"].groupby(of_file).transform("max").to_numpy()
    doubled = readable["record"].str.contains(" @ ", regex=False)  # the model's own record comes before its duplicate
    order = np.lexsort(
        (readable["hash"], where, doubled, readable["place"], age, noted, readable["rank"], readable["is_bound"], group)
    )
    first = np.append(True, np.diff(group[order]) != 0)
    winner = np.empty(len(readable), dtype="int64")
    winner[order] = order[first][np.cumsum(first) - 1]
    return group, winner


def _judge(losers: pd.DataFrame, winners: pd.DataFrame, group: np.ndarray) -> pd.DataFrame:
    """Each loser, beside its winner, with its status, the reason the winner was preferred, and whether it supports that
    one: an independent publisher agrees with it. A source that copied the value is none, and a fact that was recalled
    has none."""
    close = (losers["value"] - winners["value"]).abs() <= AGREEMENT * winners["value"].abs()
    no_number = losers["value"].isna() & winners["value"].isna()
    agrees = close | (no_number & (losers["code"] == winners["code"]))
    winner = winners["source_id"].mask(winners["correction"] != "", "correction " + winners["correction"])
    as_old = (losers["rank"] == winners["rank"]) & (losers["changed"] == winners["changed"])
    later = as_old & (losers["place"] > winners["place"])
    older = (losers["changed"] < winners["changed"]) & (losers["place"] != winners["place"])
    day = iso_days(winners["since"])
    verdicts: dict[str, tuple[pd.Series, Any]] = {
        "bound": (losers["is_bound"] & ~winners["is_bound"], "a bound, not a value"),
        "lower_priority": ((losers["rank"] > winners["rank"]) | later, "lower priority than " + winner),
        "older_snapshot": (older, "older than the value that " + winner + " has since " + day),
    }
    code = pd.Series("later_locator", index=losers.index, dtype="str")
    words = "later in the order of locators than " + winners["claim_id"]
    for name, (when, text) in reversed(verdicts.items()):  # the first that holds counts
        code, words = code.mask(when, name), words.mask(when, text)
    status = np.where((losers["publisher"] == winners["publisher"]) | agrees, "superseded", "conflicting")
    is_support = agrees & (losers["voice"] != winners["voice"]) & (losers["voice"] != "")
    verdict = {"status": status, "reason_code": code, "reason": words, "voice": losers["voice"]}
    return pd.DataFrame(verdict | {"is_support": is_support, "group": group})


def without_lost_models(judged: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The judged claims about models of which a source has the name, and the others, as quarantined: what is known of a
    model that no source has any more, or only records that are held."""
    named = judged.loc[(judged["field"] == "name") & (judged["status"] == "selected"), "model_id"]
    is_named = is_in(judged["model_id"], named.unique())
    lost = judged[~is_named]
    is_held = lost["reason_code"] == "held"
    return judged[is_named], pd.concat([lost[is_held], lost[~is_held].assign(**GONE)])


def who_says(claims: pd.DataFrame, links: pd.Series, stated: pd.Series | None = None) -> pd.Series:
    """By model_id whose value each claim (of `claims`, which are about one field) gives: `corrected` if it is ours in
    the place of a source's; `reported` if it was seen in the text of the model's developers, cites one of the model's
    own `links` (by model_id: arXiv:id, doi:id or a URL), or is `stated` (by model_id); else third_party."""
    cited = claims["reference"].astype("str").fillna("").str.replace("^(?:arXiv|doi):", "", regex=True)
    own_links = claims["model_id"].map(links).astype("str").fillna("")
    linked = np.array([bool(text) and text in link for text, link in zip(cited, own_links, strict=True)], dtype=bool)
    reported = (claims["evidence"] == "seen") | linked
    if stated is not None:
        reported |= claims["model_id"].map(stated).eq(True)
    corrected = claims["correction"].astype("str").fillna("") != ""
    who = np.select([corrected, reported], ["corrected", "reported"], "third_party")
    return pd.Series(who, index=claims["model_id"], dtype="str")
