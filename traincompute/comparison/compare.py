"""Compares two folders: models cell by cell, with the cause of each change; the other tables by their keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from traincompute.base.errors import InputError

COLUMNS = ["kind", "model_id", "name", "column", "old", "new", "ratio", "cause", "source_id", "detail"]
CAUSES = ("upstream revision", "our correction", "new curated fact", "selection", "identity", "changed method")
FLOP = "training_compute_flop"
RANKS = ("frontier_rank", "is_notable")  # of a model among others
LONGEST_CHAIN = 5  # of base models
IN_MODEL, IN_BASE = "computed from other cells of the model", "computed from its base model"
AMONG, ELSEWHERE = "ranked among models that changed", "computed from other models, or in another way"
# thresholds in law (EU AI Act, article 51: 1e25; US order 14110 of 2023: 1e26, 1e23), and the power between them
THRESHOLDS_FLOP = ("1e23", "1e24", "1e25", "1e26")
GROWTH = f"{FLOP}:notable:2010"  # the row of `trends` that says how fast compute grows


@dataclass(frozen=True)
class Side:
    """A folder with the Parquet files and the manifest of a release or of a build, and its name in messages."""

    folder: Path
    label: str
    manifest: dict[str, Any]

    @property
    def tables(self) -> dict[str, str]:
        """{table: content hash}."""
        return {name: entry["content_sha256"] for name, entry in self.manifest["tables"].items()}

    def file(self, table: str) -> Path:
        return self.folder / f"{table}.parquet"


@dataclass(frozen=True)
class Comparison:
    """What differs: `changes` (COLUMNS), `tables` and `headlines` as rows, columns that only one side has, and the
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
    """Compares two folders that each hold a release or a build. Raises InputError if one does not."""
    old, new = open_side(old_folder), open_side(new_folder)
    before, after = (parquet.read_table(side.file("models")) for side in (old, new))
    changes = _with_causes(_find_changes(before, after), old, new, before, after)
    columns = {
        "added": [name for name in after.column_names if name not in before.column_names],
        "removed": [name for name in before.column_names if name not in after.column_names],
    }
    figures = [side.select(["model_id", "is_notable", FLOP]).to_pandas() for side in (before, after)]
    compute = pd.concat(figures[::-1]).drop_duplicates("model_id").set_index("model_id")[FLOP]
    growth = {"figure": "growth of FLOP per year, notable since 2010", "old": _growth(old), "new": _growth(new)}
    with duckdb.connect(config={"threads": "1"}) as connection:
        tables = [_count_rows(connection, old, new, name) for name in sorted({*old.tables, *new.tables})]
    return Comparison(old, new, changes, tables, [*_headlines(*figures), growth], columns, compute)


def open_side(folder: Path) -> Side:
    """The side held in a folder. Raises InputError if the folder holds none."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{folder} holds no manifest.json; give a release, or a folder of a build") from error
    except ValueError as error:
        raise InputError(f"{folder}/manifest.json is not valid JSON; download the release again") from error
    release = manifest.get("release") or {}
    return Side(folder, release.get("version") or folder.name, manifest)


def _find_changes(before: pa.Table, after: pa.Table) -> pd.DataFrame:
    """One row per model added or removed and per changed cell of the others: kind, model_id, name, column, old, new and
    ratio (new ÷ old of numbers). A column that only one of the tables has gives no rows."""
    old, new = _as_text(before), _as_text(after)
    both, columns = old.index.intersection(new.index), [name for name in new.columns if name in old.columns]
    a, b = (side.loc[both, columns].to_numpy(dtype=object, na_value=None) for side in (old, new))  # type: ignore[arg-type]
    rows, at = np.nonzero(a != b)
    cells = pd.DataFrame({"model_id": both.to_numpy()[rows], "column": np.array(columns, dtype=object)[at]})
    cells = cells.assign(old=a[rows, at], new=b[rows, at])
    kinds = [cells["column"] == "name", cells["old"].isna(), cells["new"].isna()]
    cells["kind"] = np.select(kinds, ["model_renamed", "filled", "blanked"], "changed")
    added = pd.DataFrame({"kind": "model_added", "model_id": new.index.difference(old.index)})
    removed = pd.DataFrame({"kind": "model_removed", "model_id": old.index.difference(new.index)})
    changes = pd.concat([cells, added, removed]).reindex(columns=COLUMNS[:6])
    names = pd.concat([new["name"], old["name"][old.index.difference(new.index)]])
    changes = changes.assign(name=changes["model_id"].map(names)).astype("str")
    changes = changes.sort_values(["kind", "model_id", "column"], kind="stable", ignore_index=True)
    is_number = changes["column"].isin([field.name for field in after.schema if str(field.type) in ("double", "int64")])
    x, y = (pd.to_numeric(changes[side].where(is_number), errors="coerce") for side in ("old", "new"))
    return changes.assign(ratio=(y / x.where(x != 0)).map(lambda ratio: float(f"{ratio:.6g}"), na_action="ignore"))


def _as_text(models: pa.Table) -> pd.DataFrame:
    """Every cell as printed in the CSV files (numbers in their shortest exact form, lists ;-joined), by model_id."""
    texts = {}
    for field in models.schema:
        column = models[field.name].combine_chunks()
        is_list = pa.types.is_list(field.type)
        texts[field.name] = (pc.binary_join(column, ";") if is_list else column.cast(pa.string())).to_pandas()
    return pd.DataFrame(texts).set_index("model_id")


def _with_causes(changes: pd.DataFrame, old: Side, new: Side, before: pa.Table, after: pa.Table) -> pd.DataFrame:
    """The changes with cause, source_id and detail: by the claims behind each cell or model, and for what is computed,
    by what it is computed from."""
    fields = _metadata(before, b"claim") | _metadata(after, b"claim")
    stated = changes.assign(field=changes["column"].map({name: claim or name for name, claim in fields.items()}))
    with duckdb.connect(config={"threads": "1"}) as connection:
        connection.register("changes", stated.reset_index(names="place"))
        for name, side in (("old", old), ("new", new)):
            connection.register(f"{name}_claims", parquet.read_table(side.file("claims")))
        query = resources.files("traincompute.comparison").joinpath("causes.sql").read_text(encoding="utf-8")
        causes = connection.execute(query).df().set_index("place").reindex(changes.index)
    changes = changes.join(causes).astype({"cause": "object"})
    bases = {
        model: base
        for side in (before, after)
        for model, base in zip(side["model_id"].to_pylist(), side["base_model_id"].to_pylist(), strict=True)
    }
    return _computed(changes, _dependencies(after), bases)


def _computed(changes: pd.DataFrame, depends: dict[str, list[str]], bases: dict[str, str | None]) -> pd.DataFrame:
    """Cells without a claim take the cause of the changed cells of their model that their derivation names, else of any
    that a source states, else of the base model; a rank that of any model. What is left was computed otherwise."""
    stated = changes[changes["cause"].notna()]
    stated = stated.sort_values("cause", key=lambda causes: causes.map(CAUSES.index), kind="stable")
    known: dict[tuple[str, str], tuple[str, Any]] = {}
    for model, column, cause, source in stated[["model_id", "column", "cause", "source_id"]].itertuples(index=False):
        known.setdefault((model, column), (cause, source))
        known.setdefault((model, ""), (cause, source))
    moved = stated[stated["column"].isna() | stated["column"].isin([FLOP, *RANKS])]
    first = next(moved[["cause", "source_id"]].itertuples(index=False, name=None), None)

    def cause_of(model: str, column: str) -> tuple[str, Any, str]:
        for name in (*depends.get(column, ()), ""):
            if (model, name) in known:
                return *known[model, name], IN_MODEL
        base = bases.get(model)
        for _ in range(LONGEST_CHAIN):
            if base and (base, "") in known:
                return *known[base, ""], IN_BASE
            base = bases.get(base or "")
        return (*first, AMONG) if column in RANKS and first else (CAUSES[-1], None, ELSEWHERE)

    computed = changes.index[changes["cause"].isna()]
    cells = changes.loc[computed, ["model_id", "column"]].itertuples(index=False)
    causes = pd.DataFrame([cause_of(*cell) for cell in cells], computed, ["cause", "source_id", "detail"])
    return changes.fillna(causes)[COLUMNS]


def _metadata(models: pa.Table, key: bytes) -> dict[str, str]:
    """{column: what its metadata says under the key, or ""}."""
    return {field.name: (field.metadata or {}).get(key, b"").decode() for field in models.schema}


def _dependencies(models: pa.Table) -> dict[str, list[str]]:
    """{column: the columns that it is derived from, the nearest first}; the columns that describe the training compute
    follow it."""
    derived = {name: re.findall(r"\w+", text) for name, text in _metadata(models, b"derived").items()}
    about = {name: [FLOP] for name in derived if name.startswith("training_compute_") and name != FLOP}
    found = {}
    for column in derived:
        reached = [column]
        for name in reached:
            named = [other for other in derived[name] if other in derived] or about.get(name, [])
            reached += [other for other in dict.fromkeys(named) if other not in reached]
        found[column] = reached[1:]
    return found


def _headlines(old: pd.DataFrame, new: pd.DataFrame) -> list[dict[str, Any]]:
    """The figures that people quote: figure, old, new, of models with model_id, is_notable and training_compute_flop.
    "In both" counts the models that are notable in both, so that only revisions show."""
    before, after = old[old["is_notable"]], new[new["is_notable"]]
    kept = [side[side["model_id"].isin(other["model_id"])] for side, other in ((before, after), (after, before))]
    figures: list[tuple[str, Any]] = [
        ("models", [len(old), len(new)]),
        ("notable models", [len(before), len(after)]),
        ("notable models with training compute", [int(side[FLOP].notna().sum()) for side in (before, after)]),
    ]
    for flop in THRESHOLDS_FLOP:
        for who, sides in (("notable models", [before, after]), ("notable models in both", kept)):
            figures.append((f"{who}, at least {flop} FLOP", [int((side[FLOP] >= float(flop)).sum()) for side in sides]))
    return [{"figure": figure, "old": a, "new": b} for figure, (a, b) in figures]


def _growth(side: Side) -> float | None:
    """The growth of training compute as the side's table `trends` has it; None where it has none."""
    if "trends" not in side.tables:
        return None
    rows = parquet.read_table(side.file("trends"), columns=["growth_per_year"], filters=[("trend_id", "=", GROWTH)])
    return next(iter(rows["growth_per_year"].to_pylist()), None)


def _count_rows(connection: duckdb.DuckDBPyConnection, old: Side, new: Side, name: str) -> dict[str, Any]:
    """table, its rows on each side, and the rows added, removed and changed by the table's key."""
    before, after = (side.manifest["tables"].get(name, {}).get("rows") for side in (old, new))
    entry = {"table": name, "old": before, "new": after, "added": 0, "removed": 0, "changed": 0}
    if old.tables.get(name) == new.tables.get(name):
        return entry
    if before is None or after is None:
        return entry | {"added": after or 0, "removed": before or 0}
    earlier, later = parquet.read_schema(old.file(name)), parquet.read_schema(new.file(name))
    key = (later.metadata or {}).get(b"primary_key", later.names[0].encode()).decode().split(";")
    common = [column for column in later.names if column in earlier.names and column not in key]
    # the row as one text, so that a column whose type has changed can be compared too
    side = f"select {_quoted(key)}, true as present, {f'row({_quoted(common)})::varchar' if common else 'null'} as row"
    query = f"""
        select count(*) filter (o.present is null), count(*) filter (n.present is null),
               count(*) filter (o.row is distinct from n.row and o.present and n.present)
        from ({side} from read_parquet($old)) o full join ({side} from read_parquet($new)) n using ({_quoted(key)})"""
    (counts,) = connection.execute(query, {"old": str(old.file(name)), "new": str(new.file(name))}).fetchall()
    return entry | dict(zip(("added", "removed", "changed"), counts, strict=True))


def _quoted(names: Iterable[str]) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)
