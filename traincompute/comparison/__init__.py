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
# thresholds in law (EU AI Act, article 51: 1e25; US order 14110 of 2023: 1e26, 1e23), and the power between them
THRESHOLDS_FLOP = ("1e23", "1e24", "1e25", "1e26")
GROWTH = f"{FLOP}:notable:2010"  # the row of `trends` that says how fast compute grows


class Comparison(NamedTuple):
    """What differs between the states `old` and `new` (their labels): `changes` (COLUMNS; models that came or went have
    their training compute as `new` or `old`), `headlines`, and `tables` that differ with their rows."""

    old: str
    new: str
    changes: list[Row]
    headlines: list[Row]
    tables: list[Row]


def compare(old: Path, new: Path) -> Comparison:
    """Compares two folders that each hold a release or a build. Raises ReleaseError if one does not."""
    sides = {"old": Dataset(old), "new": Dataset(new)}
    before, after = (side.manifest["tables"] for side in sides.values())
    tables, none = [], {"rows": None, "content_sha256": None}
    for name in sorted(before | after):
        one, other = before.get(name, none), after.get(name, none)
        if one["content_sha256"] != other["content_sha256"]:
            tables.append({"table": name, "old": one["rows"], "new": other["rows"]})
    labels = [str(side.release.get("version") or side.folder.name) for side in sides.values()]
    with duckdb.connect(config={"threads": "1"}) as connection:
        for name, side in sides.items():
            for table in ("models", "claims", "columns", "trends"):
                connection.read_parquet(str(side.folder / f"{table}.parquet")).create_view(f"{name}_{table}")
        return Comparison(labels[0], labels[1], _changes(connection), _headlines(connection), tables)


def _changes(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """The changes in the columns of models that both sides have."""
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
    return rows(connection, query, causes=CAUSES, numbers=numbers)


def _headlines(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """The figures that people quote: figure, old, new. "In both" counts the models that are notable in both, so that
    only revisions show."""
    in_both = " intersect ".join(f"select model_id from {side}_models where is_notable" for side in ("old", "new"))
    counted = {"models": "true", "notable models": "is_notable"}
    counted["notable models with training compute"] = f"is_notable and {FLOP} is not null"
    for flop in THRESHOLDS_FLOP:
        above = counted[f"notable models, at least {flop} FLOP"] = f"is_notable and {FLOP} >= {flop}"
        counted[f"notable models in both, at least {flop} FLOP"] = f"{above} and model_id in ({in_both})"
    figures = {name: f"count(*) filter ({condition})" for name, condition in counted.items()}
    growth = f"any_value(growth_per_year) from {{side}}_trends where trend_id = '{GROWTH}'"
    figures["growth of FLOP per year, notable since 2010"] = f"(select {growth})"
    query = f"select {', '.join(figures.values())} from {{side}}_models"
    found = [connection.execute(query.format(side=side)).fetchall()[0] for side in ("old", "new")]
    return [{"figure": name, "old": old, "new": new} for name, old, new in zip(figures, *found, strict=True)]
