"""Compares two folders: models cell by cell, with the cause of each change; the other tables by their rows."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import duckdb

from traincompute.query.rows import Row, rows
from traincompute.releases import Dataset

COLUMNS = ["kind", "model_id", "name", "column", "old", "new", "ratio", "cause", "source_id", "detail"]
CAUSES = ["upstream revision", "our correction", "new curated fact", "selection", "identity", "changed method"]
FLOP = "training_compute_flop"
# thresholds in law (EU AI Act, article 51: 1e25; US order 14110 of 2023: 1e26, 1e23), and the power between them
THRESHOLDS_FLOP = ("1e23", "1e24", "1e25", "1e26")
GROWTH = f"{FLOP}:notable:2010"  # the row of `trends` that says how fast compute grows


@dataclass(frozen=True)
class Comparison:
    """What differs between the states `old` and `new` (their labels): `changes` (COLUMNS, by kind, model and column;
    models that came or went have their training compute as `new` or `old`), the rows of each table that one side alone
    has, `headlines`, columns of models that one side alone has, and whether all tables are equal."""

    old: str
    new: str
    changes: list[Row]
    tables: list[Row]
    headlines: list[Row]
    columns: dict[str, list[str]]
    is_equal: bool


def compare(old: Path, new: Path) -> Comparison:
    """Compares two folders that each hold a release or a build. Raises ReleaseError if one does not."""
    sides = {"old": Dataset(old), "new": Dataset(new)}
    labels = {name: str(side.release.get("version") or side.folder.name) for name, side in sides.items()}
    entries = [side.manifest["tables"] for side in sides.values()]
    with duckdb.connect(config={"threads": "1"}) as connection:
        for name, side in sides.items():
            for table in side.manifest["tables"]:
                file = str(side.folder / f"{table}.parquet").replace("'", "''")
                connection.execute(f"create view {name}_{table} as from read_parquet('{file}')")
        before, after = (_kinds(connection, f"{name}_models") for name in sides)
        names = sorted({*entries[0], *entries[1]})
        tables = [_count_rows(connection, name, *(one.get(name) for one in entries)) for name in names]
        changes = _find_changes(connection, before, after)
        headlines = _headlines(connection)
    columns = {
        "added": [name for name in after if name not in before],
        "removed": [name for name in before if name not in after],
    }
    contents = [{name: one["content_sha256"] for name, one in side.items()} for side in entries]
    return Comparison(labels["old"], labels["new"], changes, tables, headlines, columns, contents[0] == contents[1])


def _find_changes(connection: duckdb.DuckDBPyConnection, before: dict[str, str], after: dict[str, str]) -> list[Row]:
    """The changes, by the names and types of the columns of models on either side."""
    for side, kinds in (("old", before), ("new", after)):
        texts = (  # as the CSV files print them
            f"array_to_string({name}, ';') as {name}" if kind.endswith("[]") else f"{name}::varchar as {name}"
            for name, kind in kinds.items()
            if name in before and name in after
        )
        connection.execute(f"""create view {side}_cells as unpivot (select {", ".join(texts)} from {side}_models)
            on columns(* exclude model_id) into name "column" value "value" """)
    query = resources.files("traincompute.comparison").joinpath("changes.sql").read_text(encoding="utf-8")
    numbers = [name for name, kind in after.items() if kind in ("DOUBLE", "BIGINT")]
    return rows(connection, query, causes=CAUSES, numbers=numbers)


def _headlines(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """The figures that people quote: figure, old, new. "In both" counts the models that are notable in both, so that
    only revisions show."""
    counted = {
        "models": "true",
        "notable models": "is_notable",
        "notable models with training compute": f"is_notable and {FLOP} is not null",
    }
    for flop in THRESHOLDS_FLOP:
        above = f"is_notable and {FLOP} >= {flop}"
        counted[f"notable models, at least {flop} FLOP"] = above
        both = "model_id in (select model_id from {other}_models where is_notable)"
        counted[f"notable models in both, at least {flop} FLOP"] = f"{above} and {both}"
    query = ", ".join(f"count(*) filter ({condition})" for condition in counted.values())
    growth = f"(select any_value(growth_per_year) from {{side}}_trends where trend_id = '{GROWTH}')"
    found = [
        connection.execute(f"select {query}, {growth} from {{side}}_models".format(side=side, other=other)).fetchall()[
            0
        ]
        for side, other in (("old", "new"), ("new", "old"))
    ]
    names = [*counted, "growth of FLOP per year, notable since 2010"]
    return [{"figure": name, "old": old, "new": new} for name, old, new in zip(names, *found, strict=True)]


def _count_rows(connection: duckdb.DuckDBPyConnection, name: str, old: Row | None, new: Row | None) -> Row:
    """table, its rows on each side (old, new), and those that one side alone has (removed, added), by the columns that
    both have: a row that has changed is one of either."""
    found = {"table": name, "old": old and old["rows"], "new": new and new["rows"]}
    if not (old and new):
        return found | {"removed": found["old"] or 0, "added": found["new"] or 0}
    if old["content_sha256"] == new["content_sha256"]:
        return found | {"removed": 0, "added": 0}
    before, after = (_kinds(connection, f"{side}_{name}") for side in ("old", "new"))
    # the row as one text, so that a column whose type has changed can be compared too
    row = f"""row({", ".join(f'"{column}"' for column in after if column in before)})::varchar as row"""
    sides = [f"(select {row} from {side}_{name})" for side in ("old", "new")]
    alone = [f"(select count(*) from (from {one} except all from {other}))" for one, other in (sides, sides[::-1])]
    return found | rows(connection, f"select {alone[0]} as removed, {alone[1]} as added")[0]


def _kinds(connection: duckdb.DuckDBPyConnection, source: str) -> dict[str, str]:
    """{column: its type}."""
    return {row[0]: row[1] for row in connection.execute(f"describe {source}").fetchall()}
