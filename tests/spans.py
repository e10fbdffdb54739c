"""A small ledger for tests of what a live pull brings, from spans that a test writes down."""

from __future__ import annotations

from typing import Any

import pandas as pd

USUAL = {"source_id": "acme", "locator": "", "until": None, "value": None, "code": "", "reason_code": "", "unit": "1"}
SAYS = ["value", "code", "reason_code", "unit"]


def frames(spans: list[dict[str, Any]], snapshot: str) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The typed facts that stand on the day of the snapshot, the ledger with all of them, and what their texts say."""
    lines = pd.DataFrame([USUAL | span for span in spans])
    ends = {"low": float("nan"), "high": float("nan")}
    readings = lines[SAYS].assign(value=lines["value"].astype("float64"), reason="", remedy="", **ends)
    ledger = lines.drop(columns=SAYS).assign(text=range(len(lines)))
    ledger = ledger.astype({"since": "datetime64[s]", "until": "datetime64[s]"})
    present = ledger.join(readings)[ledger["until"].isna()].reset_index(drop=True)
    return present.assign(snapshot=pd.Timestamp(snapshot)), ledger, readings


def lock(live: list[str], history: list[str]) -> dict[str, Any]:
    """A lock of two sources: acme was pulled live on some of the days, other never."""
    days = {day: {"live": True} for day in live} | {day: {} for day in history}
    return {"acme": {"snapshots": days}, "other": {"snapshots": {day: {} for day in days}}, "entered": {}}


def entry(action: str, record: str, field: str, text: str) -> dict[str, str]:
    """A correction of one cell of acme."""
    return {"source": "acme", "record": record, "field": field, "value_text": text, "action": action}
