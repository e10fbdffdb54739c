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
    models that came or went have their training compute as `new` or `old`), `headlines`, and `tables` that differ with
    their rows."""

    old: str
    new: str
    changes: list[Row]
    headlines: list[Row]
    tables: list[Row]

    @property
    def is_equal(self) -> bool:
        """Whether the contents of all tables are equal."""
        return not self.tables


def compare(old: Path, new: Path) -> Comparison:
    """Compares two folders that each hold a release or a build. Raises ReleaseError if one does not."""
    sides = {"old": Dataset(old), "new": Dataset(new)}
    labels = [str(side.release.get("version") or side.folder.name) for side in sides.values()]
    before, after = (side.manifest["tables"] for side in sides.values())
    none = {"rows": None, "content_sha256": None}
    pairs = [(name, before.get(name, none), after.get(name, none)) for name in sorted({*before, *after})]
    tables = [
        {"table": name, "old": one["rows"], "new": other["rows"]}
        for name, one, other in pairs
        if one["content_sha256"] != other["content_sha256"]
    ]
    with duckdb.connect(config={"threads": "1"}) as connection:
        for name, side in sides.items():
            for table in ("models", "claims", "columns", "trends"):
                file = str(side.folder / f"{table}.parquet").replace("'", "''")
                connection.execute(f"create view {name}_{table} as from read_parquet('{file}')")
        return Comparison(labels[0], labels[1], _find_changes(connection), _headlines(connection), tables)


def _find_changes(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """The changes in the columns of models that both sides have."""
    described = (connection.execute(f"describe {side}_models").fetchall() for side in ("old", "new"))
    before, after = ({name: kind for name, kind, *_ in columns} for columns in described)
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
    counted = {"models": "true", "notable models": "is_notable"}
    counted["notable models with training compute"] = f"is_notable and {FLOP} is not null"
    for flop in THRESHOLDS_FLOP:
        above = counted[f"notable models, at least {flop} FLOP"] = f"is_notable and {FLOP} >= {flop}"
        both = "model_id in (select model_id from {other}_models where is_notable)"
        counted[f"notable models in both, at least {flop} FLOP"] = f"{above} and {both}"
    parts = [f"count(*) filter ({condition})" for condition in counted.values()]
    parts.append(f"(select any_value(growth_per_year) from {{side}}_trends where trend_id = '{GROWTH}')")
    query = f"select {', '.join(parts)} from {{side}}_models"
    pairs = (("old", "new"), ("new", "old"))
    found = [connection.execute(query.format(side=side, other=other)).fetchall()[0] for side, other in pairs]
    names = [*counted, "growth of FLOP per year, notable since 2010"]
    return [{"figure": name, "old": old, "new": new} for name, old, new in zip(names, *found, strict=True)]
