"""Claims: which model each typed fact is about, and the one claim per model and field that is selected.

The order is total: rank of source and evidence (data/raw/selection.yml), plain column before note, the file that last
changed the cell, the source named first, a model's own record before a duplicate, claim_id. Every claim says why it has
its status, as a code and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Selection, Source
from pipeline.frames import is_in, iso_days, mapped
from pipeline.normalize.columns import hex_digits, row_codes
from pipeline.normalize.reasons import (
    BOUND,
    COMPONENT,
    FIRST,
    LATER_LOCATOR,
    LOWER_PRIORITY,
    OLDER_SNAPSHOT,
    REPLACED,
    STATES_NOTHING,
    WITHDRAWN,
)

AGREEMENT = 0.05  # two numbers within 5 % support each other
WHY = ["reason_code", "reason"]
WON = {"status": "selected", "reason_code": FIRST, "reason": "first in the order of selection"}
VERDICT = dict.fromkeys(WON, "str")
CHOSEN = ["model_id", "field", "value", "code", "value_text", "note", "reference", "evidence", "correction"]
PIVOTED = [*CHOSEN, "source_id", "record", "publisher", "status"]  # what tables about models are made of
PAIRED = [
    "value",
    "low",
    "high",
    "code",
    "publisher",
    "voice",
    "evidence",
    "source_id",
    "since",
    "changed",
    "rank",
    "place",
    "claim_id",
    "correction",
]
JUDGED = ["model_id", "field", "record", "locator", "hash", *PAIRED]


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


def make_claims(normalized: pd.DataFrame, sources: Mapping[str, Source], selection: Selection) -> pd.DataFrame:
    """The normalised facts of one vintage, with claim_id, publisher, voice (the publisher who first made the
    statement, or ""), rank (lowest first), `place` (the source's among those of its rank) and an empty correction; they
    stand since the day on which the cell got the value, in whatever spelling."""
    publishers = {name: source.publisher for name, source in sources.items()}
    return normalized.assign(
        claim_id=hex_digits(normalized["hash"].to_numpy(), normalized.index),
        publisher=mapped(normalized["source_id"], publishers, "str"),
        voice=_voices(normalized, sources),
        rank=_ranks(normalized, selection),
        place=mapped(_who(normalized, selection), {name: n for n, name in enumerate(selection.default)}, "int64"),
        since=normalized["begun"],
        correction=_texts("", normalized),
    )


def _voices(facts: pd.DataFrame, sources: Mapping[str, Source]) -> pd.Series:
    """The publisher who first made each statement. A fact entered at second hand from the notes of a source's own file
    is that publisher's; any other that nobody saw in the developers' text has no voice."""
    publishers = {name: sources[source.derived_from or name].publisher for name, source in sources.items()}
    files = {url: publishers[name] for name, source in sources.items() for url in source.urls}
    cited = mapped(facts["reference"], files, "str").fillna("")
    return mapped(facts["source_id"], publishers, "str").where(facts["evidence"].isin(["", "seen"]), cited)


def _ranks(facts: pd.DataFrame, selection: Selection) -> pd.Series:
    """The rank of each fact by its field, source and, where people enter the facts, evidence."""
    who = _who(facts, selection)
    rank = mapped(who, selection.default, "int64")
    for field, ranks in selection.fields.items():
        rank = rank.mask(facts["field"] == field, mapped(who, ranks, "int64"))
    return rank


def _who(facts: pd.DataFrame, selection: Selection) -> pd.Series:
    """Each fact's name in the lists of selection.yml."""
    whole = is_in(facts["source_id"], selection.default)
    return facts["source_id"].where(whole, facts["source_id"] + "/" + facts["evidence"])


def select(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims with status, reason_code, reason and supporting_publishers; at most one per model and field is
    selected."""
    readable = claims.loc[claims["reason_code"] == "", JUDGED]
    group, winner = _winners(readable)
    lost = np.flatnonzero(winner != np.arange(len(readable)))
    losers, winners = (readable[PAIRED].iloc[at].reset_index(drop=True) for at in (lost, winner[lost]))
    judged = _judge(losers.join(winners.add_prefix("w_")))
    support = pd.Series(_support(group, lost, judged), index=readable.index, dtype="Int64")
    won = support.drop(readable.index[lost]).to_frame("supporting_publishers").assign(**WON).astype(VERDICT)
    unread = _unread(claims.loc[claims["reason_code"] != "", WHY])
    verdict = pd.concat([won, judged.set_axis(readable.index[lost])[list(VERDICT)], unread])
    return claims.drop(columns=WHY).join(verdict)


def winners(claims: pd.DataFrame) -> pd.DataFrame:
    """Those that `select` selects."""
    readable = claims[claims["reason_code"] == ""]
    won: pd.DataFrame = readable[_winners(readable)[1] == np.arange(len(readable))]
    return won


def _winners(readable: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """For each claim, its group (model and field) and the position of the claim that wins the group."""
    group = row_codes(readable, ["model_id", "field"])
    place = row_codes(readable, ["locator"])
    noted = readable["locator"].ne("") & (
        readable["evidence"] == ""
    )  # a plain column comes before an older or newer note
    of_file = [group, row_codes(readable, ["source_id"])]
    age = -readable["changed"].groupby(of_file).transform("max").to_numpy()
    doubled = readable["record"].str.contains(" @ ", regex=False)  # the model's own record comes before its duplicate
    order = np.lexsort(
        (readable["hash"], place, doubled, readable["place"], age, noted, readable["rank"], _is_bound(readable), group)
    )
    first = np.append(True, np.diff(group[order]) != 0)
    winner = np.empty(len(readable), dtype="int64")
    winner[order] = order[first][np.cumsum(first) - 1]
    return group, winner


def _is_bound(claims: pd.DataFrame, prefix: str = "") -> pd.Series:
    """Whether a claim gives a limit or a range but no value."""
    return claims[f"{prefix}value"].isna() & (claims[f"{prefix}low"].notna() | claims[f"{prefix}high"].notna())


def _support(group: np.ndarray, lost: np.ndarray, judged: pd.DataFrame) -> np.ndarray:
    """How many voices agree with the winner of each claim's group, including the winner's own. A source that copied
    the value is no other voice, and a fact that was recalled has none."""
    voices = judged["agrees"] & (judged["voice"] != judged["w_voice"]) & (judged["voice"] != "")
    others = judged.assign(group=group[lost])[voices]
    count = others.drop_duplicates(["group", "voice"])["group"].value_counts()
    found: np.ndarray = pd.Series(group).map(count).fillna(0).to_numpy(dtype="int64") + 1
    return found


def _unread(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims that no one stands by, that say nothing, that name a component, or in whose place a correction stands
    simply lose; those that could not be read are quarantined."""
    silent = claims["reason_code"].isin([STATES_NOTHING, COMPONENT, WITHDRAWN, REPLACED])
    return claims.assign(status=_texts("superseded", claims).where(silent, "quarantined"))


def _judge(pairs: pd.DataFrame) -> pd.DataFrame:
    """Each loser (alongside its winner, prefixed w_) with its status and the reason the winner was preferred."""
    close = (pairs["value"] - pairs["w_value"]).abs() <= AGREEMENT * pairs["w_value"].abs()
    agrees = close | (pairs["value"].isna() & pairs["w_value"].isna() & (pairs["code"] == pairs["w_code"]))
    day = iso_days(pairs["w_since"])
    winner = pairs["w_source_id"].mask(pairs["w_correction"] != "", "correction " + pairs["w_correction"])
    as_old = (pairs["rank"] == pairs["w_rank"]) & (pairs["changed"] == pairs["w_changed"])
    reasons: dict[str, tuple[pd.Series, Any]] = {
        BOUND: (_is_bound(pairs) & ~_is_bound(pairs, "w_"), "a bound, not a value"),
        LOWER_PRIORITY: (
            (pairs["rank"] > pairs["w_rank"]) | (as_old & (pairs["place"] > pairs["w_place"])),
            "lower priority than " + winner,
        ),
        OLDER_SNAPSHOT: (
            (pairs["changed"] < pairs["w_changed"]) & (pairs["place"] != pairs["w_place"]),
            "older than the value that " + winner + " has since " + day,
        ),
    }
    code, words = _texts(LATER_LOCATOR, pairs), "later in the order of locators than " + pairs["w_claim_id"]
    for name, (when, text) in reversed(reasons.items()):  # the first that holds counts
        code, words = code.mask(when, name), words.mask(when, text)
    superseded = (pairs["publisher"] == pairs["w_publisher"]) | agrees
    status = _texts("superseded", pairs).where(superseded, "conflicting")
    return pairs.assign(status=status, reason_code=code, reason=words, agrees=agrees)


def _texts(text: str, rows: pd.DataFrame) -> pd.Series:
    """The same text for each row."""
    return pd.Series(text, index=rows.index, dtype="str")


def ids_of_records(claims: pd.DataFrame, records: Iterable[str]) -> pd.Series:
    """model_id by source_id and record, for records of these names."""
    about = claims.loc[is_in(claims["record"], records), ["source_id", "record", "model_id"]]
    return about.drop_duplicates(["source_id", "record"]).set_index(["source_id", "record"])["model_id"]


def ids_by_name(claims: pd.DataFrame) -> pd.Series:
    """model_id by record name. The name in a duplicate, `name @ link`, counts if no record has the bare name and it
    belongs to only one model."""
    records = claims[["record", "model_id"]].drop_duplicates("record")
    own = records.set_index("record")["model_id"]
    doubled = records[records["record"].str.contains(" @ ", regex=False)]
    names = doubled.assign(record=doubled["record"].str.split(" @ ").str[0]).drop_duplicates()
    single = names.drop_duplicates("record", keep=False).set_index("record")["model_id"]
    found: pd.Series = pd.concat([own, single[~single.index.isin(own.index)]])
    return found


def selected(claims: pd.DataFrame) -> pd.DataFrame:
    """Only the selected claims, with the columns that the tables about models are built from."""
    return claims.loc[claims["status"] == "selected", CHOSEN]
