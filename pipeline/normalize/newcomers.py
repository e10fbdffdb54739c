"""Values that a live pull brings for the first time: one of a record whose name is easily confused with a known one is
held against that one's, and one that is larger than all known values is held until somebody acknowledges it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import iso_days
from pipeline.names import skeleton
from pipeline.normalize.corrections import CELL, acknowledged
from pipeline.normalize.quarantine import ACKNOWLEDGE, FIELDS, is_near, live_days
from pipeline.normalize.readings import with_readings
from pipeline.normalize.reasons import HELD

Sure = dict[tuple[str, str], list[tuple[float, str]]]  # skeleton of a name and field: values and their records


def hold_newcomers(
    present: pd.DataFrame,
    ledger: pd.DataFrame,
    readings: pd.DataFrame,
    lock: Mapping[str, Any],
    corrections: Iterable[Mapping[str, Any]],
) -> pd.DataFrame:
    """The typed facts of the vintage, with each such value held. `ledger` has the facts of all snapshots, `readings`
    what their texts say."""
    live = live_days(lock)
    if not any(live.values()):
        return present
    spans = _spans(ledger, readings, live, corrections)
    new = _firsts(present, spans)
    if new.empty:
        return present
    sure = spans[spans["is_sure"]]
    known, most = _by_name(sure), sure.groupby("field")["value"].max().to_dict()
    cells = zip(new.index, new["record"], new["field"], new["value"], strict=True)
    reasons = {index: _reason(record, field, value, known, most) for index, record, field, value in cells}
    at = [index for index, reason in reasons.items() if reason]
    held = present.copy()
    held.loc[at, "reason_code"], held.loc[at, "remedy"] = HELD, ACKNOWLEDGE
    held.loc[at, "reason"] = [reasons[index] for index in at]
    return held


def _spans(
    ledger: pd.DataFrame,
    readings: pd.DataFrame,
    live: Mapping[str, set[str]],
    corrections: Iterable[Mapping[str, Any]],
) -> pd.DataFrame:
    """All values that are watched, each with whether its snapshot was live, and whether it is sure: history, or
    acknowledged."""
    watched = ledger[ledger["field"].isin(FIELDS) & (ledger["locator"] == "")]
    typed = with_readings(watched, readings)
    spans = typed[typed["value"] > 0]
    days = zip(spans["source_id"], iso_days(spans["since"]), strict=True)
    is_live = np.array([day in live.get(source, ()) for source, day in days], dtype=bool)
    is_sure = ~is_live | acknowledged(spans, corrections)
    return spans[[*CELL, "value"]].assign(is_live=is_live, is_sure=is_sure)


def _firsts(present: pd.DataFrame, spans: pd.DataFrame) -> pd.DataFrame:
    """The present values of cells that no snapshot but live ones had, which nobody acknowledged."""
    had = pd.MultiIndex.from_frame(spans.loc[spans["is_sure"], CELL])
    shown = present.loc[present["field"].isin(FIELDS) & (present["locator"] == "") & (present["value"] > 0)]
    shown = shown[(shown["reason_code"] == "") & ~pd.MultiIndex.from_frame(shown[CELL]).isin(had)]
    pulled = set(spans.loc[spans["is_live"], "source_id"])
    return shown.loc[shown["source_id"].isin(pulled), ["record", "field", "value"]]


def _by_name(sure: pd.DataFrame) -> Sure:
    """The values of each field that are history or acknowledged, by what remains of the names of their records."""
    family = {record: skeleton(_bare(record)) for record in sure["record"].unique()}
    found: Sure = {}
    for record, field, value in sure[["record", "field", "value"]].itertuples(index=False):
        found.setdefault((family[record], field), []).append((value, record))
    return found


def _reason(record: str, field: str, value: float, known: Sure, most: Mapping[Any, float]) -> str:
    """Why a value is held, or ""."""
    relatives = known.get((skeleton(_bare(record)), field), [])
    if relatives and not any(is_near(value, other) for other, _ in relatives):
        other, name = relatives[-1]
        whose = "another source" if name == record else f"{name}, whose name is easily confused with this one"
        return f"held: ×{value / other:.3g} against {whose}"
    if value > most.get(field, value):
        return f"held: above all known values, of which the largest is {most[field]:.3g}"
    return ""


def _bare(record: str) -> str:
    """The name of a record without what tells it from another of the same name."""
    return record.split(" @ ")[0]
