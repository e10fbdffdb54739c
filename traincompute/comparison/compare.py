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
    models that came or went have their training compute as `new` or `old`), `headlines`, `tables` that differ with
    their rows, and columns of models that one side alone has."""

    old: str
    new: str
    changes: list[Row]
    headlines: list[Row]
    tables: list[Row]
    columns: list[Row]

    @property
    def is_equal(self) -> bool:
        """Whether the contents of all tables are equal."""
        return not self.tables


def compare(old: Path, new: Path) -> Comparison:
    """Compares two folders that each hold a release or a build. Raises ReleaseError if one does not."""
    sides = {"old": Dataset(old), "new": Dataset(new)}
    labels = [str(side.release.get("version") or side.folder.name) for side in sides.values()]
    with duckdb.connect(config={"threads": "1"}) as connection:
        for name, side in sides.items():
            for table in ("models", "claims", "columns", "trends"):
                file = str(side.folder / f"{table}.parquet").replace("'", "''")
                connection.execute(f"create view {name}_{table} as from read_parquet('{file}')")
        described = (connection.execute(f"describe {name}_models").fetchall() for name in sides)
        before, after = ({name: kind for name, kind, *_ in rows} for rows in described)
        changes, headlines = _find_changes(connection, before, after), _headlines(connection)
    entries = [side.manifest["tables"] for side in sides.values()]
    none = {"rows": None, "content_sha256": None}
    pairs = {name: [one.get(name, none) for one in entries] for name in sorted({*entries[0], *entries[1]})}
    tables = [
        {"table": name, "old": one["rows"], "new": other["rows"]}
        for name, (one, other) in pairs.items()
        if one["content_sha256"] != other["content_sha256"]
    ]
    columns = [
        {"column": name, "change": "added" if name in after else "removed"} for name in before.keys() ^ after.keys()
    ]
    return Comparison(labels[0], labels[1], changes, headlines, tables, sorted(columns, key=lambda row: row["column"]))


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
