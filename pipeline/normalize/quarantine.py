"""What is set aside although it could be read: bounds that contradict the value of their record, dates after the
snapshot that has them, and values that jump in a live pull."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import is_in, iso_days
from pipeline.normalize.columns import hex_digits
from pipeline.normalize.corrections import CELL, SAID, acknowledged
from pipeline.normalize.readings import with_readings
from pipeline.normalize.reasons import (
    AFTER_SNAPSHOT,
    BOUND_EXCLUDES_VALUE,
    BREAKS_RULE,
    CORRECTED,
    HELD,
    NO_BOUND,
    REPLACED,
)
from pipeline.schema import PAST

FACTOR = 10  # a value that jumps by more than this is held
FARTHEST = 100  # a bound that is farther from its value is none
FIELDS = (
    "parameters",
    "parameters_active",
    "training_compute_flop",
    "dataset_size",
    "training_tokens",
    "epochs",
    "training_hours",
    "chip_hours",
    "hardware_quantity",
)
UTILIZATION = "hardware_utilization"
HOURS = ("training_hours", "chip_hours", "hardware_quantity")
VALUE, LOW, HIGH = "training_compute_flop", "training_compute_low", "training_compute_high"
REMEDY = "look at the source; if the bound is right, correct the value in data/raw/curated/corrections.yml"

ACKNOWLEDGE = "acknowledge it in data/raw/curated/corrections.yml if it is right"
CONTRADICTED = "look at the source; correct it in data/raw/curated/corrections.yml, or acknowledge it there with `rule`"


def quarantine_dates(typed: pd.DataFrame) -> pd.DataFrame:
    """The typed facts, with a reason given to each date of what has happened that lies after the snapshot that has
    it."""
    dated = typed.loc[typed["field"].isin(PAST) & (typed["code"] != ""), ["code", "snapshot"]]
    ahead = dated.index[dated["code"] > iso_days(dated["snapshot"])]
    if ahead.empty:
        return typed
    marked = typed.copy()
    reason = "later than the snapshot of " + iso_days(typed.loc[ahead, "snapshot"])
    marked.loc[ahead, "reason_code"], marked.loc[ahead, "reason"] = AFTER_SNAPSHOT, reason
    marked.loc[ahead, "remedy"] = "look at the source; if the date is known, enter it in data/raw/curated/"
    return marked


def quarantine_bounds(typed: pd.DataFrame) -> pd.DataFrame:
    """The typed facts, with a reason given to each lower bound above the value or above the upper bound, to each upper
    bound below the value, and to each bound that is the value itself or more than a factor of 100 away from it: a
    typing error. The value itself is kept."""
    is_stated = typed["field"].isin([VALUE, LOW, HIGH]) & (typed["locator"] == "") & typed["value"].notna()
    stated = typed.loc[is_stated, [*CELL, "value"]]
    wide = stated.groupby(CELL)["value"].first().unstack()
    beside = stated.join(wide.reindex(columns=[VALUE, LOW, HIGH]), on=["source_id", "record"])
    low = (beside["field"] == LOW) & ((beside["value"] > beside[VALUE]) | (beside["value"] > beside[HIGH]))
    high = (beside["field"] == HIGH) & (beside["value"] < beside[VALUE])
    ratio = beside["value"] / beside[VALUE]
    no_bound = beside["field"].isin([LOW, HIGH]) & ((ratio == 1) | (ratio > FARTHEST) | (ratio < 1 / FARTHEST))
    if not (low | high | no_bound).any():
        return typed
    marked = typed.copy()
    told = ["reason_code", "reason", "remedy"]
    marked.loc[beside.index[no_bound], told] = [
        NO_BOUND,
        f"the value itself, or ×{FARTHEST} away from it: no bound",
        REMEDY,
    ]
    contradicts = [BOUND_EXCLUDES_VALUE, "the bound contradicts the value of its record", REMEDY]
    marked.loc[beside.index[low | high], told] = contradicts
    return marked


def set_aside(facts: pd.DataFrame, aside: Mapping[str, str]) -> pd.DataFrame:
    """The claims or typed facts, with a reason given to those that break a rule: `aside` has it by claim_id."""
    if not aside:
        return facts
    ids = facts["claim_id"] if "claim_id" in facts else hex_digits(facts["hash"].to_numpy(), facts.index)
    broken = facts.index[is_in(ids, aside)]
    marked = facts.copy()
    marked.loc[broken, "reason_code"], marked.loc[broken, "remedy"] = BREAKS_RULE, CONTRADICTED
    marked.loc[broken, "reason"] = ids[broken].map(aside)
    return marked


def drop_utilizations(claims: pd.DataFrame, corrections: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The claims, with a reason given to each utilisation whose own record has had its hours or chips corrected: it was
    worked out from them, unless somebody acknowledged it."""
    fixed = claims["reason_code"].isin([CORRECTED, REPLACED]) & claims["field"].isin(HOURS)
    entry = claims[fixed].groupby(CELL[:2])["correction"].min()
    shares = claims.loc[claims["field"] == UTILIZATION, [*CELL, *SAID, "reason_code"]]
    shares = shares.join(entry, on=CELL[:2])
    shares = shares[shares["correction"].notna() & shares["reason_code"].eq("") & ~acknowledged(shares, corrections)]
    reason = "worked out from hours or chips that have been corrected (" + shares["correction"] + ")"
    claims.loc[shares.index, "reason_code"] = CORRECTED
    claims.loc[shares.index, ["reason", "correction"]] = pd.DataFrame(
        {"reason": reason, "correction": shares["correction"]}
    )
    return claims


def hold(
    present: pd.DataFrame,
    ledger: pd.DataFrame,
    readings: pd.DataFrame,
    lock: Mapping[str, Any],
    corrections: Iterable[Mapping[str, Any]],
) -> pd.DataFrame:
    """The typed facts of the vintage, with each held fact replaced by the last one that was accepted; the new one is
    kept with the reason. `ledger` has the facts of all snapshots, `readings` what their texts say.

    A value is accepted if it comes from a snapshot of history, is acknowledged, or lies within a factor of ten of the
    last one that was either (or that the cell began with), in however many steps it came there."""
    live = live_days(lock)
    is_watched = present["field"].isin(FIELDS) & (present["locator"] == "") & (present["value"] > 0)
    watched = present.loc[is_watched, [*CELL, *SAID, "since"]]
    pulled = [f"{name} {day}" for name, days in live.items() for day in days]
    new = watched[is_in(watched["source_id"] + " " + iso_days(watched["since"]), pulled)]
    if new.empty:
        return present
    ended = _ended(ledger, readings, new["record"].unique())
    spans = pd.concat([new.reset_index(names="at"), ended.assign(at=-1)])
    known = np.append(acknowledged(new, corrections), acknowledged(ended, corrections))
    instead = _held(spans.assign(is_known=known), live)
    if not instead:
        return present
    held, old, at = present.copy(), ended.loc[[place for place, _ in instead.values()]], list(instead)
    ratio = held.loc[at, "value"].to_numpy() / np.array([before for _, before in instead.values()])
    held.loc[at, "reason_code"] = HELD
    held.loc[at, "reason"] = [f"held: ×{times:.3g} against the last accepted value" for times in ratio]
    held.loc[at, "remedy"] = ACKNOWLEDGE
    snapshot = old["source_id"].map(present.groupby("source_id")["snapshot"].max())
    return pd.concat([held, old.assign(snapshot=snapshot)], ignore_index=True)


def _ended(ledger: pd.DataFrame, readings: pd.DataFrame, records: Iterable[str]) -> pd.DataFrame:
    """The values that the records had in earlier snapshots and no longer have, typed."""
    about = is_in(ledger["record"], records) & is_in(ledger["field"], FIELDS) & (ledger["locator"] == "")
    typed = with_readings(ledger[about & ledger["until"].notna()], readings)
    return typed[typed["value"] > 0].reset_index(drop=True)


def _held(spans: pd.DataFrame, live: Mapping[str, set[str]]) -> dict[int, tuple[int, float]]:
    """{index of a present fact that is held: index of the earlier one that stands in its place, and the value that it
    is held against}. Present facts have their index in `at`, which is -1 for earlier ones; `is_known` are
    acknowledged."""
    base: dict[tuple[str, str, str], float] = {}
    last: dict[tuple[str, str, str], int] = {}
    found = {}
    columns = [spans[name] for name in (*CELL, "value", "at", "is_known")]
    order = zip(iso_days(spans["since"]), spans.index, *columns, strict=True)
    for day, index, source, record, field, value, at, is_known in sorted(order, key=lambda span: span[0]):
        cell = source, record, field
        is_sure = day not in live[source] or is_known or cell not in base
        if is_sure:
            base[cell] = value
        if (is_sure or is_near(value, base[cell])) and at < 0:
            last[cell] = index
        elif not is_sure and not is_near(value, base[cell]) and at >= 0:
            found[at] = last[cell], base[cell]
    return found


def is_near(one: float, other: float) -> bool:
    """Whether two values lie within the factor beyond which one is held."""
    return 1 / FACTOR <= one / other <= FACTOR


def live_days(lock: Mapping[str, Any]) -> dict[str, set[str]]:
    """The days of the snapshots of each source that were pulled live."""
    return {
        name: {day for day, snapshot in entry.get("snapshots", {}).items() if snapshot.get("live")}
        for name, entry in lock.items()
    }
