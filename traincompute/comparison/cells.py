"""Models added, removed or renamed, and cells changed, between two models tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

COLUMNS = ["kind", "model_id", "name", "column", "old", "new", "ratio", "cause", "source_id", "detail"]


def as_text(models: pa.Table) -> pd.DataFrame:
    """Every cell as printed in the CSV files (numbers in their shortest exact form, lists ;-joined), by model_id."""
    texts = {}
    for field in models.schema:
        column = models[field.name].combine_chunks()
        is_list = pa.types.is_list(field.type)
        texts[field.name] = (pc.binary_join(column, ";") if is_list else column.cast(pa.string())).to_pandas()

    return pd.DataFrame(texts).set_index("model_id")


def find_changes(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """One row per model added or removed and per changed cell of the others: kind, model_id, name, column, old, new.

    The frames come from `as_text`; a column that only one of them has gives no rows. Sorted by kind, model and
    column; the id distinguishes a renamed model from one removed while another was added."""
    came, went = new.index.difference(old.index), old.index.difference(new.index)
    frames = [
        pd.DataFrame({"kind": "model_added", "model_id": came, "name": new.loc[came, "name"].to_numpy()}),
        pd.DataFrame({"kind": "model_removed", "model_id": went, "name": old.loc[went, "name"].to_numpy()}),
        _changed_cells(old, new),
    ]
    columns = [name for name in COLUMNS if name not in ("ratio", "cause", "source_id", "detail")]
    found = pd.concat([frame.reindex(columns=columns).astype("str") for frame in frames])
    return found.sort_values(["kind", "model_id", "column"], kind="stable", ignore_index=True)


def _changed_cells(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    both = old.index.intersection(new.index)
    columns = [name for name in new.columns if name in old.columns]
    before, after = (
        frame.loc[both, columns].to_numpy(dtype=object, na_value=None)  # type: ignore[arg-type]  # None is not in the stubs
        for frame in (old, new)
    )
    rows, cols = np.nonzero(before != after)
    cells = pd.DataFrame(
        {
            "model_id": both.to_numpy()[rows],
            "name": new.loc[both, "name"].to_numpy()[rows],
            "column": np.array(columns, dtype=object)[cols],
            "old": before[rows, cols],
            "new": after[rows, cols],
        }
    )
    kinds = [cells["column"] == "name", cells["old"].isna(), cells["new"].isna()]
    return cells.assign(kind=np.select(kinds, ["model_renamed", "filled", "blanked"], "changed"))


def ratios(changes: pd.DataFrame, numeric: set[str]) -> pd.Series:
    """new ÷ old to six digits for cells of numeric columns whose old value is not zero; null otherwise."""
    is_number = changes["column"].isin(numeric)
    old, new = (pd.to_numeric(changes[side].where(is_number), errors="coerce") for side in ("old", "new"))
    return (new / old.where(old != 0)).map(lambda ratio: float(f"{ratio:.6g}"), na_action="ignore")
