"""Claims: which model each typed fact is about, and the one claim per model and field that is selected.

The order is total: rank of source and evidence (data/raw/selection.yml), newest snapshot, a record of its own before
a doubled one, plain column before note, claim_id. Every claim that is not selected says why.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.base.columnar import hex_digits, mapped, row_codes
from pipeline.registry.fields import NOTHING_STATED
from pipeline.registry.selection import Selection
from pipeline.registry.sources import Source

AGREEMENT = 0.05  # two numbers within 5 % support each other
FIRST = "first in the order of selection"
CHOSEN = ["model_id", "field", "value", "code", "value_text", "note", "reference"]
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
    """The normalised facts of one vintage with claim_id, publisher, voice (the publisher with whom the statement began)
    and rank (smaller is preferred)."""
    publishers = {name: source.publisher for name, source in sources.items()}
    voices = {name: publishers[source.derived_from or name] for name, source in sources.items()}
    return normalized.assign(
        claim_id=hex_digits(normalized["hash"].to_numpy(), normalized.index),
        publisher=mapped(normalized["source_id"], publishers, "str"),
        voice=mapped(normalized["source_id"], voices, "str"),
        rank=_ranks(normalized, selection),
    )


def _ranks(facts: pd.DataFrame, selection: Selection) -> pd.Series:
    """The rank of each fact by its field, source and evidence."""
    who = facts["source_id"].where(facts["evidence"] == "", facts["source_id"] + "/" + facts["evidence"])
    rank = mapped(who, selection.default, "int64")
    for field, ranks in selection.fields.items():
        rank = rank.mask(facts["field"] == field, mapped(who, ranks, "int64"))
    return rank


def select(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims with status, reason and supporting_publishers; at most one per model and field is selected."""
    readable = claims.loc[claims["reason"] == "", JUDGED]
    group, winner = _winners(readable)
    lost = np.flatnonzero(winner != np.arange(len(readable)))
    losers = readable.iloc[lost].reset_index(drop=True)
    judged = _judge(losers.join(readable.iloc[winner[lost]].reset_index(drop=True).add_prefix("w_")))
    status, reason = np.full(len(readable), "selected", dtype=object), np.full(len(readable), FIRST, dtype=object)
    status[lost], reason[lost] = judged["status"], judged["reason"]
    verdict = pd.DataFrame({"status": status, "reason": reason}, index=readable.index)
    support = pd.Series(_support(group, lost, judged), index=readable.index, dtype="Int64")
    verdict["supporting_publishers"] = support.where(verdict["status"] == "selected")
    unread = _unread(claims.loc[claims["reason"] != "", ["reason"]])
    return claims.drop(columns="reason").join(pd.concat([verdict, unread]).astype({"status": "str", "reason": "str"}))


def _winners(readable: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """For each claim the group (model and field) that it is in, and the position of the claim that wins it."""
    group = row_codes(readable, ["model_id", "field"])
    place = row_codes(readable, ["locator"])  # a plain column has no locator and comes first
    age = -readable["snapshot"].astype("int64").to_numpy()
    doubled = readable["record"].str.contains(" @ ", regex=False)  # the model's own record comes before its double
    order = np.lexsort((readable["hash"], place, doubled, age, readable["rank"], _is_bound(readable), group))
    first = np.append(True, np.diff(group[order]) != 0)
    winner = np.empty(len(readable), dtype="int64")
    winner[order] = order[first][np.cumsum(first) - 1]
    return group, winner


def _is_bound(claims: pd.DataFrame, prefix: str = "") -> pd.Series:
    """Whether a claim gives a limit or a range, but no value."""
    return claims[f"{prefix}value"].isna() & (claims[f"{prefix}low"].notna() | claims[f"{prefix}high"].notna())


def _support(group: np.ndarray, lost: np.ndarray, judged: pd.DataFrame) -> np.ndarray:
    """How many publishers say the same as the winner of each claim's group, the winner's own included. A fact that was
    copied from another is no voice of its own."""
    voices = judged["agrees"] & (judged["voice"] != judged["w_voice"]) & judged["evidence"].isin(["", "seen"])
    others = judged.assign(group=group[lost])[voices]
    count = others.drop_duplicates(["group", "voice"])["group"].value_counts()
    found: np.ndarray = pd.Series(group).map(count).fillna(0).to_numpy(dtype="int64") + 1
    return found


def _unread(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims without a value: what could not be read is quarantined, what states nothing has simply lost."""
    return claims.assign(status=(claims["reason"] == NOTHING_STATED).map({True: "superseded", False: "quarantined"}))


def _judge(pairs: pd.DataFrame) -> pd.DataFrame:
    """Each loser (beside its winner, w_) with its status and the reason why the winner was preferred."""
    close = (pairs["value"] - pairs["w_value"]).abs() <= AGREEMENT * pairs["w_value"].abs()
    agrees = close | (pairs["value"].isna() & pairs["w_value"].isna() & (pairs["code"] == pairs["w_code"]))
    day = pairs["w_snapshot"].dt.strftime("%Y-%m-%d")
    reasons = [
        (_is_bound(pairs) & ~_is_bound(pairs, "w_"), "a bound, not a value"),
        (pairs["rank"] > pairs["w_rank"], "lower priority than " + pairs["w_source_id"]),
        (pairs["snapshot"] < pairs["w_snapshot"], "older snapshot than " + pairs["w_source_id"] + " of " + day),
    ]
    otherwise = "later in the order of locators than " + pairs["w_claim_id"]
    reason = np.select([when for when, _ in reasons], [text for _, text in reasons], otherwise)
    superseded = (pairs["publisher"] == pairs["w_publisher"]) | agrees
    return pairs.assign(status=superseded.map({True: "superseded", False: "conflicting"}), reason=reason, agrees=agrees)


def ids_by_name(claims: pd.DataFrame) -> pd.Series:
    """model_id by the name of a record. The name of a doubled record, `name @ link`, counts where no record has it
    alone and it stands for one model."""
    records = claims[["record", "model_id"]].drop_duplicates("record")
    own = records.set_index("record")["model_id"]
    doubled = records[records["record"].str.contains(" @ ", regex=False)]
    names = doubled.assign(record=doubled["record"].str.split(" @ ").str[0]).drop_duplicates()
    single = names.drop_duplicates("record", keep=False).set_index("record")["model_id"]
    return pd.concat([own, single[~single.index.isin(own.index)]])


def selected(claims: pd.DataFrame) -> pd.DataFrame:
    """The selected claims alone, with what the tables about models are made of."""
    return claims.loc[claims["status"] == "selected", CHOSEN]
