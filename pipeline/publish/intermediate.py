"""Hands tables from one stage to the next through data/processed/stages/ when stages are run one at a time."""

from __future__ import annotations

import json
from datetime import date

import pyarrow as pa
from pyarrow import parquet

from pipeline.base.errors import DataError
from pipeline.base.jsonfile import load_json
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables, load_frame, to_arrow

REMEDY = "run `traincompute stage normalize`"


def save(context: Context, made: Tables, as_of: date | None) -> None:
    """Writes each table as Parquet, and the vintage that they belong to."""
    folder = context.paths.stages
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.parquet"):
        stale.unlink()
    for name, frame in made.items():
        parquet.write_table(_unfinished(to_arrow(frame, context.schemas[name])), folder / f"{name}.parquet")
    (folder / "vintage.json").write_text(json.dumps({"as_of": as_of.isoformat() if as_of else None}) + "\n")


def _unfinished(data: pa.Table) -> pa.Table:
    """The table without the promise that some of its columns are never null: a later stage fills them."""
    return pa.Table.from_arrays(data.columns, schema=pa.schema([field.with_nullable(True) for field in data.schema]))


def load(context: Context) -> tuple[Tables, date | None]:
    """The tables that the last stage left, and their vintage. Raises DataError if there are none."""
    folder = context.paths.stages
    files = sorted(folder.glob("*.parquet"))
    if not files:
        where = context.paths.short(folder)
        raise DataError.of(where, "there is nothing to continue from", f"{REMEDY} first")
    made = {
        file.stem: load_frame(file, context.paths.short(file), context.schemas[file.stem], REMEDY) for file in files
    }
    vintage = folder / "vintage.json"
    as_of = load_json(vintage, context.paths.short(vintage), {"as_of": (str, None)}, REMEDY)["as_of"]
    return made, date.fromisoformat(as_of) if as_of else None
