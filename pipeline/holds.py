"""Values of a live pull that jump by more than a factor of ten stay at their old value until they are acknowledged.

The newest snapshot of a source is held against the one before. A jump is acknowledged by an entry with
`action: acknowledge` in corrections.yml that names the new value. History is taken as it was: it is not live.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FACTOR = 10
FIELDS = ("parameters", "training_compute_flop", "dataset_size", "training_hours", "hardware_quantity")


def hold(
    present: pd.DataFrame, ledger: pd.DataFrame, lock: Mapping[str, Any], corrections: Iterable[Mapping[str, Any]]
) -> pd.DataFrame:
    """The typed facts of the vintage, where a held one is replaced by the fact of the snapshot before; the new one
    stays with the reason. `ledger` holds the typed facts of all snapshots."""
    import pandas as pd

    live = {name: max(entry["snapshots"]) for name, entry in lock.items() if _is_live(entry)}
    fresh = present["since"].dt.strftime("%Y-%m-%d") == present["source_id"].map(live)
    cell = ["source_id", "record", "field"]
    new = present[fresh & present["field"].isin(FIELDS) & (present["locator"] == "")]
    ended = ledger[ledger["until"].dt.strftime("%Y-%m-%d") == ledger["source_id"].map(live)]
    pairs = new.reset_index(names="at").merge(ended[[*cell, "value", "hash"]], on=cell, suffixes=("", "_old"))
    ratio = pairs["value"] / pairs["value_old"]
    jumps = pairs[((ratio > FACTOR) | (ratio < 1 / FACTOR)) & ~_acknowledged(pairs, corrections)]
    if jumps.empty:
        return present
    reasons = "held: ×" + ratio[jumps.index].map("{:.3g}".format) + " against the snapshot before"
    held = present.copy()
    held.loc[jumps["at"], "reason"] = reasons.to_numpy()
    held.loc[jumps["at"], "remedy"] = "acknowledge it in data/raw/curated/corrections.yml if it is right"
    old = ledger[ledger["hash"].isin(jumps["hash_old"]) & ledger["until"].notna()].drop_duplicates("hash", keep="last")
    snapshot = old["source_id"].map(present.groupby("source_id")["snapshot"].max())
    return pd.concat([held, old.assign(snapshot=snapshot)], ignore_index=True)


def _is_live(entry: Mapping[str, Any]) -> bool:
    snapshots = entry.get("snapshots", {})
    return len(snapshots) > 1 and bool(snapshots[max(snapshots)].get("live"))


def _acknowledged(pairs: pd.DataFrame, corrections: Iterable[Mapping[str, Any]]) -> pd.Series:
    import pandas as pd

    known = {
        (c["source"], c["record"], c["field"], str(c["value_text"]))
        for c in corrections
        if c["action"] == "acknowledge"
    }
    keys = zip(pairs["source_id"], pairs["record"], pairs["field"], pairs["value_text"], strict=True)
    return pd.Series([key in known for key in keys], index=pairs.index, dtype="bool")
