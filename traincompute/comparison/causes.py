"""Why a cell differs between two states of the dataset, judging by the claims behind it on each side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from traincompute.base.sources import OWN
from traincompute.comparison.side import CORRECTIONS

UPSTREAM, CORRECTION, CURATED = "upstream revision", "our correction", "new curated fact"
SELECTION, METHOD, IDENTITY = "selection", "changed method", "identity"
CAUSES = (UPSTREAM, CORRECTION, CURATED, SELECTION, IDENTITY, METHOD)


def add_causes(changes: pd.DataFrame, old: pd.DataFrame, new: pd.DataFrame, fields: Mapping[str, str]) -> pd.DataFrame:
    """The changes with cause, source_id and detail; the cause is "" if there is no claim behind the cell.

    `old` and `new` are claims (side.CLAIM_COLUMNS), `fields` is {column: field of claims}."""
    whole = changes["kind"].isin(["model_added", "model_removed"])
    parts = [_of_models(changes[whole], old, new), _of_cells(changes[~whole], old, new, fields)]
    return pd.concat(parts).sort_index()


def _of_cells(cells: pd.DataFrame, old: pd.DataFrame, new: pd.DataFrame, fields: Mapping[str, str]) -> pd.DataFrame:
    """A claim's id depends on what it says and who says it, so the same claim_id on both sides is the same
    statement."""
    keyed = cells.assign(field=cells["column"].map(fields))
    joined = keyed.reset_index().merge(_chosen(old, "old"), on=["model_id", "field"], how="left")
    joined = joined.merge(_chosen(new, "new"), on=["model_id", "field"], how="left").set_index("index")
    before, after = joined["old_claim"], joined["new_claim"]
    told = [frame.set_index("claim_id") for frame in (old, new)]
    now, then = (
        before.map(told[1]["reason"]),
        after.map(told[0]["reason"]),
    )  # what the other side says about the chosen claim
    fresh, gone = after.notna() & then.isna(), before.notna() & now.isna()
    codes = before.map(told[1]["reason_code"]), after.map(told[0]["reason_code"])
    corrected = codes[0].isin(CORRECTIONS) | codes[1].isin(CORRECTIONS)
    own = (fresh & (joined["new_source"] == OWN)) | (~fresh & gone & (joined["old_source"] == OWN))
    known = before.notna() | after.notna()
    same = before.notna() & (before == after)
    follows = same & joined["kind"].isin(
        ["filled", "blanked"]
    )  # such as the confidence of a value that appeared or disappeared
    conditions = [follows, same, corrected, own, fresh | gone, known]
    cause = np.select(conditions, ["", METHOD, CORRECTION, CURATED, UPSTREAM, SELECTION], "")
    source = joined["new_source"].fillna(joined["old_source"])
    return cells.assign(cause=cause, source_id=source, detail=now.fillna(joined["new_reason"]))


def _chosen(claims: pd.DataFrame, side: str) -> pd.DataFrame:
    """The selected claim per model and field: model_id, field, and and claim, source and reason prefixed with the
    side."""
    chosen = claims[claims["status"] == "selected"].drop_duplicates(["model_id", "field"])
    names = {"claim_id": f"{side}_claim", "source_id": f"{side}_source", "reason": f"{side}_reason"}
    return chosen[["model_id", "field", *names]].rename(columns=names)


def _of_models(models: pd.DataFrame, old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Records that the other side assigns to another model are a matter of identity; all others were added or
    removed."""
    added = models["kind"] == "model_added"
    here = {True: new, False: old}
    moved: dict[str, str] = {}
    source: dict[str, str] = {}
    own: set[str] = set()
    for is_added, other in ((True, old), (False, new)):
        ids = models.loc[added == is_added, "model_id"]
        mine = here[is_added][here[is_added]["model_id"].isin(ids)]
        elsewhere = other.drop_duplicates("record").set_index("record")["model_id"]
        targets = mine.assign(target=mine["record"].map(elsewhere)).dropna(subset=["target"])
        moved.update(targets.drop_duplicates("model_id").set_index("model_id")["target"])
        own |= set(ids) - set(mine.loc[mine["source_id"] != OWN, "model_id"])
        source.update(mine.drop_duplicates("model_id").set_index("model_id")["source_id"])
    target = models["model_id"].map(moved)
    cause = np.select([target.notna(), models["model_id"].isin(own)], [IDENTITY, CURATED], UPSTREAM)
    words = added.map({True: "its record stood under ", False: "its record stands under "}).astype("str")
    detail = words.where(target.notna()).str.cat(target.astype("str"))
    return models.assign(cause=cause, source_id=models["model_id"].map(source), detail=detail)
