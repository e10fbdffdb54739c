"""What the table of snapshots says of the ledger on each day."""

from __future__ import annotations

import pandas as pd

from pipeline.normalize.tables import make_snapshots
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

TABLE = load_schemas(Paths(CHECKOUT))["snapshots"]
FIRST, SECOND = "2026-03-30", "2026-07-19"
SNAPSHOT = {
    "retrieved_at": "2026-07-19T00:00:00Z",
    "files": {"a.csv": {"size": 1, "sha256": "0" * 64, "md5": "0" * 32}},
}


def test_records_and_facts_stand_from_their_first_day_until_the_day_on_which_they_end() -> None:
    spans = [("A", FIRST, SECOND), ("B", FIRST, None), ("B", FIRST, None), ("C", SECOND, None)]
    ledger = pd.DataFrame(spans, columns=["record", "since", "until"]).assign(source_id="s")
    days = {name: pd.to_datetime(ledger[name]).astype("datetime64[s]") for name in ("since", "until")}
    lock = {name: {"snapshots": {FIRST: SNAPSHOT, SECOND: SNAPSHOT}} for name in ("s", "without facts")}
    made = make_snapshots(ledger.assign(**days), lock, {}, None, TABLE).set_index("snapshot_id")
    counted = made[["records", "facts"]].T.to_dict("list")
    assert counted[f"s:{FIRST}"] == [2, 3]
    assert counted[f"s:{SECOND}"] == [2, 3]
    assert counted[f"without facts:{FIRST}"] == [0, 0]
