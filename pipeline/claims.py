"""Claims: which model each typed fact is about, and the one claim per model and field that is selected.

The order is total: rank of source and evidence, newest snapshot, plain column before note, claim_id. Every claim that
is not selected says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.columnar import hex_digits, row_codes
from pipeline.normalize import NOTHING_STATED
from pipeline.sources import Source

if TYPE_CHECKING:
    import pandas as pd

AGREEMENT = 0.05  # two numbers within 5 % support each other
# a curated fact outranks other sources only where it was seen in the primary source
FIRST = "first in the order of selection"
WINNER = ["claim_id", "value", "code", "publisher", "source_id", "snapshot", "rank"]
EVIDENCE_RANK = {"": 0, "seen": 0, "secondary": 20, "recalled": 30}


def make_claims(normalized: pd.DataFrame, sources: Mapping[str, Source]) -> pd.DataFrame:
    """The normalised facts of one vintage with claim_id, publisher and rank (smaller is preferred)."""
    rank = normalized["source_id"].map({name: source.priority for name, source in sources.items()})
    return normalized.assign(
        claim_id=hex_digits(normalized["hash"].to_numpy(), normalized.index),
        publisher=normalized["source_id"].map({name: source.publisher for name, source in sources.items()}),
        rank=rank.astype("int64") + normalized["evidence"].map(EVIDENCE_RANK).astype("int64"),
    )


def select(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims with status, reason and supporting_publishers; at most one per model and field is selected."""
    import pandas as pd

    readable = claims[claims["reason"] == ""]
    bound = readable["value"].isna() & (readable["low"].notna() | readable["high"].notna())
    ordered = readable.assign(
        bound=bound,
        group=row_codes(readable, ["model_id", "field"]),
        age=-readable["snapshot"].astype("int64"),
        place=row_codes(readable, ["locator"]),  # a plain column has no locator and comes first
    ).sort_values(["group", "bound", "rank", "age", "place", "hash"], kind="stable", ignore_index=True)
    first = ~ordered.duplicated("group")
    losers = _judge(ordered[~first], ordered[first])
    others = losers[losers["agrees"] & (losers["publisher"] != losers["w_publisher"])]
    support = others.drop_duplicates(["group", "publisher"])["group"].value_counts()
    winners = ordered[first].assign(status="selected", reason=FIRST)
    winners["supporting_publishers"] = winners["group"].map(support).fillna(0).astype("Int64") + 1
    return pd.concat([winners, losers, _unread(claims[claims["reason"] != ""])], ignore_index=True)


def _unread(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims without a value: what could not be read is quarantined, what states nothing has simply lost."""
    return claims.assign(status=(claims["reason"] == NOTHING_STATED).map({True: "superseded", False: "quarantined"}))


def _judge(losers: pd.DataFrame, winners: pd.DataFrame) -> pd.DataFrame:
    """Each loser with its status and the reason why the winner of its model and field was preferred."""
    import numpy as np

    place = np.searchsorted(winners["group"].to_numpy(), losers["group"].to_numpy())
    beside = winners[WINNER].add_prefix("w_").iloc[place].set_index(losers.index)
    pairs = losers.join(beside)
    close = (pairs["value"] - pairs["w_value"]).abs() <= AGREEMENT * pairs["w_value"].abs()
    agrees = close | (pairs["value"].isna() & pairs["w_value"].isna() & (pairs["code"] == pairs["w_code"]))
    day = pairs["w_snapshot"].dt.strftime("%Y-%m-%d")
    reasons = [
        (pairs["bound"] & ~winners["bound"].to_numpy()[place], "a bound, not a value"),
        (pairs["rank"] > pairs["w_rank"], "lower priority than " + pairs["w_source_id"]),
        (pairs["snapshot"] < pairs["w_snapshot"], "older snapshot than " + pairs["w_source_id"] + " of " + day),
    ]
    otherwise = "later in the order of locators than " + pairs["w_claim_id"]
    reason = np.select([when for when, _ in reasons], [text for _, text in reasons], otherwise)
    superseded = (pairs["publisher"] == pairs["w_publisher"]) | agrees
    return pairs.assign(status=superseded.map({True: "superseded", False: "conflicting"}), reason=reason, agrees=agrees)


def selected(claims: pd.DataFrame) -> pd.DataFrame:
    """The selected claims alone."""
    return claims[claims["status"] == "selected"]
