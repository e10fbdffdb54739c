"""Stage 4: writes all tables and the manifest. Run one at a time, the stages hand their tables on in
data/processed/stages/."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from pipeline.config import SCHEMA_VERSION, Config
from pipeline.errors import DataError
from pipeline.frames import Tables, load_frame, to_arrow
from pipeline.paths import build_version
from pipeline.publish.publication import publication

REMEDY = "run `traincompute stage normalize`"
VINTAGE = "vintage.txt"  # the day of the vintage; empty for the newest


def publish_tables(context: Config, tables: Tables, as_of: date | None) -> Path:
    """Writes all tables and the manifest below data/processed/; returns the folder, which a vintage has to itself."""
    folder = context.paths.of(as_of).processed
    with publication(context.schemas, context.views, folder) as out:
        out.add(tables)
        out.finish(manifest_head(context, tables, as_of))
    return folder


def manifest_head(context: Config, tables: Tables, as_of: date | None) -> dict[str, Any]:
    """Versions, vintage, snapshots in use and the digest of the lock; nothing of the machine or the clock."""
    lock = context.paths.lock.read_bytes() if context.paths.lock.exists() else b""
    used = tables["sources"].set_index("source_id")["snapshot"].dropna().dt.strftime("%Y-%m-%d")
    return {
        "name": "traincompute",
        "version": f"vintage-{as_of}" if as_of else build_version(),
        "schema_version": SCHEMA_VERSION,
        "as_of": as_of.isoformat() if as_of else None,
        "snapshots": used.to_dict(),
        "lock_sha256": hashlib.sha256(lock).hexdigest(),
    }


def save(context: Config, tables: Tables, as_of: date | None) -> None:
    """Writes what a stage has made for the next one: each table as Parquet, and the vintage that they belong to."""
    folder = context.paths.stages
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.parquet"):
        stale.unlink()
    for name, frame in tables.items():
        data = to_arrow(frame, context.schemas[name])
        schema = pa.schema([field.with_nullable(True) for field in data.schema])  # a later stage fills what is null
        parquet.write_table(pa.Table.from_arrays(data.columns, schema=schema), folder / f"{name}.parquet")
    (folder / VINTAGE).write_text(as_of.isoformat() if as_of else "")


def load(context: Config) -> tuple[Tables, date | None]:
    """The tables that the last stage left, and their vintage. Raises DataError if there are none, or cut ones."""
    folder, short = context.paths.stages, context.paths.short
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise DataError.of(short(folder), "there is nothing to continue from", f"{REMEDY} first")
    tables = {file.stem: load_frame(file, short(file), context.schemas[file.stem], REMEDY) for file in files}
    try:
        as_of = (folder / VINTAGE).read_text()
        return tables, date.fromisoformat(as_of) if as_of else None
    except (OSError, ValueError) as error:
        raise DataError.of(short(folder / VINTAGE), f"cannot be read: {error}", REMEDY) from error
