"""Compares two states of the dataset: models cell by cell, with the cause of each change; other tables by rows."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import duckdb

from traincompute.database import Row, rows
from traincompute.releases import Dataset

COLUMNS = ["kind", "model_id", "name", "column", "old", "new", "ratio", "cause", "source_id", "detail"]
CAUSES = ["upstream revision", "our correction", "new curated fact", "selection", "identity", "changed method"]
FLOP = "training_compute_flop"
FIRST = [FLOP, "parameters", "training_tokens", "publication_date", "name"]  # the columns whose changes come first
# thresholds in law (EU AI Act, article 51: 1e25; US order 14110 of 2023: 1e26, 1e23), and the power between them
THRESHOLDS_FLOP = ("1e23", "1e24", "1e25", "1e26")
NAMES = """
select table_name, string_agg(if(new.column_name is null, '-', '+') || column_name, ' ' order by column_name)
from old_columns as old full join new_columns as new using (table_name, column_name)
where old.column_name is null or new.column_name is null group by all"""
GROWTH = f"{FLOP}:notable:2010"  # the row of `trends` that says how fast compute grows


class Comparison(NamedTuple):
    """What differs between the states `old` and `new` (their labels): `changes` (COLUMNS; models that came or went have
    their training compute as `new` or `old`), `headlines`, and `tables` that differ with their rows and
    the `columns` that went (-) or came (+)."""

    old: str
    new: str
    changes: list[Row]
    headlines: list[Row]
    tables: list[Row]


def compare(old: Path, new: Path) -> Comparison:
    """Compares two folders that each hold a release or a build. Raises ReleaseError if one does not, or was altered."""
    sides = {"old": Dataset(old), "new": Dataset(new)}
    before, after = (side.manifest["tables"] for side in sides.values())
    for side in sides.values():
        for table in side.manifest["tables"]:
            side.file(table)  # raises if it was altered
    with duckdb.connect(config={"threads": "1"}) as connection:
        for name, side in sides.items():
            for table in ("models", "claims", "columns", "trends"):
                connection.read_parquet(str(side.file(table))).create_view(f"{name}_{table}")
        names, none = dict(connection.execute(NAMES).fetchall()), {"rows": None, "content_sha256": None}
        tables = [
            {"table": name, "old": one["rows"], "new": other["rows"], "columns": names.get(name, "")}
            for name in sorted(before | after)
            if (one := before.get(name, none))["content_sha256"] != (other := after.get(name, none))["content_sha256"]
        ]
        labels = [side.version for side in sides.values()]
        return Comparison(labels[0], labels[1], _changes(connection), _headlines(connection), tables)


def _changes(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """The changes in the columns of models that both sides have: in each, blanked cells, then the largest factor."""
    old, new = (connection.view(f"{side}_models") for side in ("old", "new"))
    for side, view in (("old", old), ("new", new)):
        texts = [  # as the CSV files print them
            f"array_to_string({name}, ';') as {name}" if kind.id == "list" else f"{name}::varchar as {name}"
            for name, kind in zip(view.columns, view.types, strict=True)
            if name in old.columns and name in new.columns
        ]
        connection.execute(f"""create view {side}_cells as unpivot (select {", ".join(texts)} from {side}_models)
            on columns(* exclude model_id) into name "column" value "value" """)
    numbers = [name for name, kind in zip(new.columns, new.types, strict=True) if kind.id in ("double", "bigint")]
    query = Path(__file__).with_name("changes.sql").read_text(encoding="utf-8")
    return rows(connection, query, causes=CAUSES, numbers=numbers, first=FIRST)


def _headlines(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """The figures that people quote: figure, old, new."""
    counted = {"models": "true", "notable models": "is_notable"}
    counted["notable models with training compute"] = f"is_notable and {FLOP} is not null"
    counted |= {f"notable models, at least {flop} FLOP": f"is_notable and {FLOP} >= {flop}" for flop in THRESHOLDS_FLOP}
    figures = {name: f"count(*) filter ({condition})" for name, condition in counted.items()}
    growth = f"any_value(growth_per_year) from {{side}}_trends where trend_id = '{GROWTH}'"
    figures["growth of FLOP per year, notable since 2010"] = f"(select {growth})"
    query = f"select {', '.join(figures.values())} from {{side}}_models"
    found = [connection.execute(query.format(side=side)).fetchall()[0] for side in ("old", "new")]
    return [{"figure": name, "old": old, "new": new} for name, old, new in zip(figures, *found, strict=True)]
