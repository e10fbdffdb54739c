"""Dates of which a live pull changed nothing but the places of day and month: the date before stays until somebody
looks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from pipeline.frames import is_in, iso_days
from pipeline.normalize.corrections import CELL, SAID, acknowledged
from pipeline.normalize.quarantine import ACKNOWLEDGE, live_days
from pipeline.normalize.readings import with_readings
from pipeline.normalize.reasons import EXCHANGED
from pipeline.normalize.text import exchanged
from pipeline.schema import PAST


def hold_exchanged(
    present: pd.DataFrame,
    ledger: pd.DataFrame,
    readings: pd.DataFrame,
    lock: Mapping[str, Any],
    corrections: Iterable[Mapping[str, Any]],
) -> pd.DataFrame:
    """The typed facts of the vintage, with each such date held and the date that the cell had before in its place."""
    live = {f"{name} {day}" for name, days in live_days(lock).items() for day in days}
    dated = present.loc[present["field"].isin(PAST) & (present["locator"] == ""), [*CELL, *SAID, "since"]]
    new = dated[is_in(dated["source_id"] + " " + iso_days(dated["since"]), live)]
    if new.empty:
        return present
    ended = _ended(ledger, readings, new["record"].unique())
    before = {(*cell, code): at for at, *cell, code in ended[[*CELL, "code"]].itertuples(name=None)}
    new = new[~acknowledged(new, corrections)]
    instead = {}
    for at, source, record, field, code in new[[*CELL, "code"]].itertuples(name=None):
        place = before.get((source, record, field, exchanged(code)))
        if place is not None:
            instead[at] = place
    if not instead:
        return present
    held, old = present.copy(), ended.loc[list(instead.values())]
    told = [EXCHANGED, "day and month changed places against the snapshot before", ACKNOWLEDGE]
    held.loc[list(instead), ["reason_code", "reason", "remedy"]] = told
    snapshot = old["source_id"].map(present.groupby("source_id")["snapshot"].max())
    return pd.concat([held, old.assign(snapshot=snapshot)], ignore_index=True)


def _ended(ledger: pd.DataFrame, readings: pd.DataFrame, records: Iterable[str]) -> pd.DataFrame:
    """The dates that the records had in earlier snapshots and no longer have, typed, in the order of time."""
    about = is_in(ledger["record"], records) & is_in(ledger["field"], PAST) & (ledger["locator"] == "")
    typed = with_readings(ledger[about & ledger["until"].notna()].sort_values("since", kind="stable"), readings)
    return typed[typed["reason_code"] == ""].reset_index(drop=True)
