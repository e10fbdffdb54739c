"""Claims: which model each typed fact is about, and the one claim per model and field that is selected.

The order is total: rank of source and evidence (data/raw/selection.yml), newest snapshot, a model's own record before
a duplicate, plain column before note, claim_id. Every claim says why it has its status, as a code and in words.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.base.columnar import hex_digits, is_in, mapped, row_codes
from pipeline.registry.reasons import (
    BOUND,
    FIRST,
    LATER_LOCATOR,
    LOWER_PRIORITY,
    OLDER_SNAPSHOT,
    STATES_NOTHING,
    WITHDRAWN,
)
from pipeline.registry.selection import Selection
from pipeline.registry.sources import Source

AGREEMENT = 0.05  # two numbers within 5 % support each other
WHY = ["reason_code", "reason"]
CHOSEN = ["model_id", "field", "value", "code", "value_text", "note", "reference", "evidence", "correction"]
JUDGED = [
    "claim_id",
    "model_id",
    "field",
    "value",
    "low",
    "high",
    "code",
    "publisher",
    "voice",
    "evidence",
    "source_id",
    "snapshot",
    "record",
    "rank",
    "locator",
    "hash",
]


def make_claims(normalized: pd.DataFrame, sources: Mapping[str, Source], selection: Selection) -> pd.DataFrame:
    """The normalised facts of one vintage, with claim_id, publisher, voice (the publisher who first made the
    statement), rank (lowest first) and an empty correction."""
    publishers = {name: source.publisher for name, source in sources.items()}
    voices = {name: publishers[source.derived_from or name] for name, source in sources.items()}
    return normalized.assign(
        claim_id=hex_digits(normalized["hash"].to_numpy(), normalized.index),
        publisher=mapped(normalized["source_id"], publishers, "str"),
        voice=mapped(normalized["source_id"], voices, "str"),
        rank=_ranks(normalized, selection),
        correction=pd.Series("", index=normalized.index, dtype="str"),
    )


def _ranks(facts: pd.DataFrame, selection: Selection) -> pd.Series:
    """The rank of each fact by its field, source and, where people enter the facts, evidence."""
    whole = is_in(facts["source_id"], selection.default)
    who = facts["source_id"].where(whole, facts["source_id"] + "/" + facts["evidence"])
    rank = mapped(who, selection.default, "int64")
    for field, ranks in selection.fields.items():
        rank = rank.mask(facts["field"] == field, mapped(who, ranks, "int64"))
    return rank


def select(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims with status, reason_code, reason and supporting_publishers; at most one per model and field is
    selected."""
    readable = claims.loc[claims["reason_code"] == "", JUDGED]
    group, winner = _winners(readable)
    lost = np.flatnonzero(winner != np.arange(len(readable)))
    losers = readable.iloc[lost].reset_index(drop=True)
    judged = _judge(losers.join(readable.iloc[winner[lost]].reset_index(drop=True).add_prefix("w_")))
    won = {"status": "selected", "reason_code": FIRST, "reason": "first in the order of selection"}
    verdict = pd.DataFrame({name: np.full(len(readable), text, dtype=object) for name, text in won.items()})
    verdict.iloc[lost] = judged[list(won)].to_numpy(dtype=object)
    verdict = verdict.set_index(readable.index)
    support = pd.Series(_support(group, lost, judged), index=readable.index, dtype="Int64")
    verdict["supporting_publishers"] = support.where(verdict["status"] == "selected")
    unread = _unread(claims.loc[claims["reason_code"] != "", WHY])
    return claims.drop(columns=WHY).join(pd.concat([verdict, unread]).astype(dict.fromkeys(won, "str")))


def _winners(readable: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """For each claim, its group (model and field) and the position of the claim that wins the group."""
    group = row_codes(readable, ["model_id", "field"])
    place = row_codes(readable, ["locator"])
    noted = readable["locator"].ne("") & (
        readable["evidence"] == ""
    )  # a plain column comes before an older or newer note
    age = -readable["snapshot"].astype("int64").to_numpy()
    doubled = readable["record"].str.contains(" @ ", regex=False)  # the model's own record comes before its duplicate
    order = np.lexsort((readable["hash"], place, doubled, age, noted, readable["rank"], _is_bound(readable), group))
    first = np.append(True, np.diff(group[order]) != 0)
    winner = np.empty(len(readable), dtype="int64")
    winner[order] = order[first][np.cumsum(first) - 1]
    return group, winner


def _is_bound(claims: pd.DataFrame, prefix: str = "") -> pd.Series:
    """Whether a claim gives a limit or a range but no value."""
    return claims[f"{prefix}value"].isna() & (claims[f"{prefix}low"].notna() | claims[f"{prefix}high"].notna())


def _support(group: np.ndarray, lost: np.ndarray, judged: pd.DataFrame) -> np.ndarray:
    """How many voices agree with the winner of each claim's group, including the winner's own. Neither a source
    that copied the value nor a fact entered at second hand counts as another voice."""
    voices = judged["agrees"] & (judged["voice"] != judged["w_voice"]) & judged["evidence"].isin(["", "seen"])
    others = judged.assign(group=group[lost])[voices]
    count = others.drop_duplicates(["group", "voice"])["group"].value_counts()
    found: np.ndarray = pd.Series(group).map(count).fillna(0).to_numpy(dtype="int64") + 1
    return found


def _unread(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims that no one stands by, or that say nothing, simply lose; those that could not be read are quarantined."""
    silent = claims["reason_code"].isin([STATES_NOTHING, WITHDRAWN])
    return claims.assign(status=silent.map({True: "superseded", False: "quarantined"}))


def _judge(pairs: pd.DataFrame) -> pd.DataFrame:
    """Each loser (alongside its winner, prefixed w_) with its status and the reason the winner was preferred."""
    close = (pairs["value"] - pairs["w_value"]).abs() <= AGREEMENT * pairs["w_value"].abs()
    agrees = close | (pairs["value"].isna() & pairs["w_value"].isna() & (pairs["code"] == pairs["w_code"]))
    day = pairs["w_snapshot"].dt.strftime("%Y-%m-%d")
    reasons = {
        BOUND: (_is_bound(pairs) & ~_is_bound(pairs, "w_"), "a bound, not a value"),
        LOWER_PRIORITY: (pairs["rank"] > pairs["w_rank"], "lower priority than " + pairs["w_source_id"]),
        OLDER_SNAPSHOT: (
            pairs["snapshot"] < pairs["w_snapshot"],
            "older snapshot than " + pairs["w_source_id"] + " of " + day,
        ),
    }
    conditions = [when for when, _ in reasons.values()]
    otherwise = "later in the order of locators than " + pairs["w_claim_id"]
    superseded = (pairs["publisher"] == pairs["w_publisher"]) | agrees
    return pairs.assign(
        status=superseded.map({True: "superseded", False: "conflicting"}),
        reason_code=np.select(conditions, list(reasons), LATER_LOCATOR),
        reason=np.select(conditions, [text for _, text in reasons.values()], otherwise),
        agrees=agrees,
    )


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
