"""Compares two folders: models cell by cell, with the cause of each change; the other tables by their keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
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
*_, METHOD = CAUSES
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
    changes = with_causes(find_changes(before, after), old, new, before, after)
    columns = {
        "added": [name for name in after.column_names if name not in before.column_names],
        "removed": [name for name in before.column_names if name not in after.column_names],
    }
    figures = [side.select(["model_id", "is_notable", FLOP]).to_pandas() for side in (before, after)]
    compute = pd.concat(figures[::-1]).drop_duplicates("model_id").set_index("model_id")[FLOP]
    growth = {"figure": "growth of FLOP per year, notable since 2010", "old": _growth(old), "new": _growth(new)}
    return Comparison(old, new, changes, _tables(old, new), [*headlines(*figures), growth], columns, compute)


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


def find_changes(before: pa.Table, after: pa.Table) -> pd.DataFrame:
    """One row per model added or removed and per changed cell of the others: kind, model_id, name, column, old, new,
    ratio (new ÷ old of numbers). A column that only one of the tables has gives no rows. The id distinguishes a renamed
    model from one removed while another was added."""
    old, new = _as_text(before), _as_text(after)
    both, columns = old.index.intersection(new.index), [name for name in new.columns if name in old.columns]
    a, b = (side.loc[both, columns].to_numpy(dtype=object, na_value=None) for side in (old, new))  # type: ignore[arg-type]
    rows, at = np.nonzero(a != b)
    cells = pd.DataFrame({"model_id": both.to_numpy()[rows], "column": np.array(columns, dtype=object)[at]})
    cells = cells.assign(old=a[rows, at], new=b[rows, at], name=new["name"].reindex(both).to_numpy()[rows])
    kinds = [cells["column"] == "name", cells["old"].isna(), cells["new"].isna()]
    cells["kind"] = np.select(kinds, ["model_renamed", "filled", "blanked"], "changed")
    whole = [
        ("model_added", new.index.difference(old.index), new),
        ("model_removed", old.index.difference(new.index), old),
    ]
    frames = [
        pd.DataFrame({"kind": kind, "model_id": ids, "name": side["name"].reindex(ids).to_numpy()})
        for kind, ids, side in whole
    ]
    changes = pd.concat([frame.reindex(columns=COLUMNS[:6]).astype("str") for frame in [*frames, cells]])
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


def with_causes(changes: pd.DataFrame, old: Side, new: Side, before: pa.Table, after: pa.Table) -> pd.DataFrame:
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
    return _computed(
        changes.join(causes).astype({"cause": "object"}), _dependencies(after), _bases(before) | _bases(after)
    )


def _computed(changes: pd.DataFrame, depends: Mapping[str, list[str]], bases: Mapping[str, str]) -> pd.DataFrame:
    """Cells without a claim take the cause of the changed cells of their model that their derivation names, else of any
    that a source states, else of the base model; a rank that of any model. What is left was computed otherwise."""
    rank = {cause: place for place, cause in enumerate(CAUSES)}
    known: dict[tuple[str, str], tuple[str, Any]] = {}
    stated = (
        changes[changes["cause"].notna()]
        .assign(rank=lambda rows: rows["cause"].map(rank))
        .sort_values("rank", kind="stable")
    )
    for model, column, cause, source in stated[["model_id", "column", "cause", "source_id"]].itertuples(index=False):
        for key in ((model, column), (model, "")):
            known.setdefault(key, (cause, source))
    moved = stated[stated["column"].isna() | stated["column"].isin([FLOP, *RANKS])]
    first = next(moved[["cause", "source_id"]].itertuples(index=False, name=None), None)

    def cause_of(model: str, column: str, steps: int = LONGEST_CHAIN) -> tuple[str, Any, str]:
        named = depends.get(column, [])
        for name in named if steps else []:
            if (model, name) in known:
                return *known[model, name], IN_MODEL
            if (cause := cause_of(model, name, steps - 1))[0] != METHOD:
                return cause
        if not named and (model, "") in known:
            return *known[model, ""], IN_MODEL
        base = bases.get(model, "")
        for _ in range(LONGEST_CHAIN):
            if (base, "") in known:
                return *known[base, ""], IN_BASE
            base = bases.get(base, "")
        return (*first, AMONG) if column in RANKS and first else (METHOD, None, ELSEWHERE)

    computed = changes.index[changes["cause"].isna()]
    cells = changes.loc[computed, ["model_id", "column"]].itertuples(index=False)
    causes = pd.DataFrame([cause_of(*cell) for cell in cells], computed, ["cause", "source_id", "detail"])
    return changes.fillna(causes)[COLUMNS]


def _metadata(models: pa.Table, key: bytes) -> dict[str, str]:
    """{column: what its metadata says under the key, or ""}."""
    return {field.name: (field.metadata or {}).get(key, b"").decode() for field in models.schema}


def _dependencies(models: pa.Table) -> dict[str, list[str]]:
    """{column: columns that its derivation names}; the columns that describe the training compute follow it too."""
    derived = _metadata(models, b"derived")
    words = {column: set(re.findall(r"\w+", text)) for column, text in derived.items()}
    named = {column: [name for name in derived if name in words[column] and name != column] for column in derived}
    about = {column: [FLOP] for column in derived if column.startswith("training_compute_") and column != FLOP}
    return {column: names or about.get(column, []) for column, names in named.items()}


def _bases(models: pa.Table) -> dict[str, str]:
    """{model: the model it was made from}."""
    pairs = zip(models["model_id"].to_pylist(), models["base_model_id"].to_pylist(), strict=True)
    return {model: base for model, base in pairs if base}


def headlines(old: pd.DataFrame, new: pd.DataFrame) -> list[dict[str, Any]]:
    """The figures that people quote: figure, old, new, of models with model_id, is_notable and training_compute_flop.
    "In both" counts the models that are notable in both, so that only revisions show."""
    before, after = old[old["is_notable"]], new[new["is_notable"]]
    kept = [side[side["model_id"].isin(other["model_id"])] for side, other in ((before, after), (after, before))]
    figures: list[tuple[Any, ...]] = [
        ("models", len(old), len(new)),
        ("notable models", len(before), len(after)),
        ("notable models with training compute", *(int(side[FLOP].notna().sum()) for side in (before, after))),
    ]
    for flop in THRESHOLDS_FLOP:
        for who, sides in (("notable models", (before, after)), ("notable models in both", kept)):
            figures.append(
                (f"{who}, at least {flop} FLOP", *(int((side[FLOP] >= float(flop)).sum()) for side in sides))
            )
    return [dict(zip(("figure", "old", "new"), figure, strict=True)) for figure in figures]


def _growth(side: Side) -> float | None:
    """The growth of training compute as the side's table `trends` has it; None where it has none."""
    if "trends" not in side.tables:
        return None
    rows = parquet.read_table(side.file("trends"), columns=["growth_per_year"], filters=[("trend_id", "=", GROWTH)])
    values: list[float] = rows["growth_per_year"].to_pylist()
    return next(iter(values), None)


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
    # the row as one text, so that a column whose type has changed can be compared too
    row = f"row({_quoted(common)})::varchar" if common else "null"
    query = f"""
        select count(*) filter (o.present is null), count(*) filter (n.present is null),
               count(*) filter (o.row is distinct from n.row and o.present and n.present)
        from (select {_quoted(key)}, true as present, {row} as row from read_parquet($old)) o
        full join (select {_quoted(key)}, true as present, {row} as row from read_parquet($new)) n
        using ({_quoted(key)})"""
    (counts,) = connection.execute(query, {"old": str(old), "new": str(new)}).fetchall()
    return dict(zip(("added", "removed", "changed"), counts, strict=True))


def _quoted(names: Iterable[str]) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)
