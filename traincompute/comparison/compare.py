"""Compares two folders: models cell by cell, the other tables by their keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from traincompute.comparison.causes import add_causes
from traincompute.comparison.cells import as_text, find_changes, ratios
from traincompute.comparison.derived import by_estimates, dependencies, follow
from traincompute.comparison.headline import growth, headlines
from traincompute.comparison.side import Side, open_side, read_claims, read_estimates, read_models

HEADLINE_COLUMNS = ["model_id", "is_notable", "training_compute_flop"]


@dataclass(frozen=True)
class Comparison:
    """What differs: `changes` (see cells.COLUMNS), `tables` and `headlines` as rows, columns only one side has, and the
    training compute by model_id, of the new side where it has the model."""

    old: Side
    new: Side
    changes: pd.DataFrame
    tables: list[dict[str, Any]]
    headlines: list[dict[str, Any]]
    columns: dict[str, list[str]]
    compute: pd.Series

    @property
    def is_equal(self) -> bool:
        """Whether the contents of all tables are equal."""
        return self.old.tables == self.new.tables


def compare(old_folder: Path, new_folder: Path) -> Comparison:
    """Compares two folders that each hold a release or a build. Raises UsageError if one does not."""
    old, new = open_side(old_folder), open_side(new_folder)
    before, after = read_models(old), read_models(new)
    changes = find_changes(as_text(before), as_text(after))
    changes = changes.assign(ratio=ratios(changes, _numeric(after)))
    changes = _explained(changes, (old, new), (before, after))
    known = _for_headlines(before), _for_headlines(after)
    figures = [*headlines(*known), growth(old, new)]
    return Comparison(old, new, changes, _tables(old, new), figures, _columns(before, after), _compute(*known))


def _explained(changes: pd.DataFrame, sides: tuple[Side, Side], models: tuple[pa.Table, pa.Table]) -> pd.DataFrame:
    """The changes with their causes."""
    (old, new), (before, after) = sides, models
    claims = read_claims(old), read_claims(new)
    changes = add_causes(changes, *claims, _fields(after) | _fields(before))
    changes = by_estimates(changes, claims, (read_estimates(old), read_estimates(new)))
    return follow(changes, dependencies(_texts(after, b"derived")), _bases(before) | _bases(after))


def _texts(models: pa.Table, key: bytes) -> dict[str, str]:
    """{column: what its metadata says under the key, or ""}."""
    return {field.name: (field.metadata or {}).get(key, b"").decode() for field in models.schema}


def _bases(models: pa.Table) -> dict[str, str]:
    """{model: the model it was made from}."""
    pairs = zip(models["model_id"].to_pylist(), models["base_model_id"].to_pylist(), strict=True)
    return {model: base for model, base in pairs if base}


def _numeric(models: pa.Table) -> set[str]:
    return {field.name for field in models.schema if str(field.type) in ("double", "int64")}


def _fields(models: pa.Table) -> dict[str, str]:
    """{column: the field of claims it is pivoted from}; the column's own name if its metadata names no other."""
    return {name: claim or name for name, claim in _texts(models, b"claim").items()}


def _for_headlines(models: pa.Table) -> pd.DataFrame:
    frame: pd.DataFrame = models.select(HEADLINE_COLUMNS).to_pandas()
    return frame


def _compute(before: pd.DataFrame, after: pd.DataFrame) -> pd.Series:
    both = pd.concat([after, before]).drop_duplicates("model_id")
    return both.set_index("model_id")["training_compute_flop"]


def _columns(before: pa.Table, after: pa.Table) -> dict[str, list[str]]:
    old, new = before.column_names, after.column_names
    return {"added": [n for n in new if n not in old], "removed": [n for n in old if n not in new]}


def _tables(old: Side, new: Side) -> list[dict[str, Any]]:
    """One entry per table: table, rows on each side, rows added, removed and changed by the table's key."""
    with duckdb.connect(config={"threads": "1"}) as connection:
        return [_table(connection, old, new, name) for name in sorted({*old.tables, *new.tables})]


def _table(connection: duckdb.DuckDBPyConnection, old: Side, new: Side, name: str) -> dict[str, Any]:
    before, after = (side.manifest["tables"].get(name, {}).get("rows") for side in (old, new))
    entry = {"table": name, "old": before, "new": after, "added": 0, "removed": 0, "changed": 0}
    if old.tables.get(name) == new.tables.get(name):
        return entry
    if before is None or after is None:
        return entry | {"added": after or 0, "removed": before or 0}
    return entry | _count_rows(connection, old.file(name), new.file(name))


def _count_rows(connection: duckdb.DuckDBPyConnection, old: Path, new: Path) -> dict[str, int]:
    before, after = parquet.read_schema(old), parquet.read_schema(new)
    key = (after.metadata or {}).get(b"primary_key", after.names[0].encode()).decode().split(";")
    common = [name for name in after.names if name in before.names and name not in key]
    query = f"""
        select count(*) filter (o.present is null), count(*) filter (n.present is null),
               count(*) filter (o.row is distinct from n.row and o.present and n.present)
        from (select {_quoted(key)}, true as present, {_row(common)} as row from read_parquet($old)) o
        full join (select {_quoted(key)}, true as present, {_row(common)} as row from read_parquet($new)) n
        using ({_quoted(key)})"""
    (counts,) = connection.execute(query, {"old": str(old), "new": str(new)}).fetchall()
    return dict(zip(("added", "removed", "changed"), counts, strict=True))


def _row(columns: Iterable[str]) -> str:
    """The columns as one text, so that a column whose type has changed can be compared too."""
    return f"row({_quoted(columns)})::varchar" if columns else "null"


def _quoted(names: Iterable[str]) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)
