"""What the last release stated, in one committed file: data/raw/released.parquet.

Each row is a record of one table; its columns are named table.column. Beside the cells that the gate compares it has
the published intervals (`predictions`), day and sha256 of each source's snapshot (`snapshots`), the corrections as they
were (`corrections`, one JSON text each) and the day of the release (`release`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from pipeline.config import Config
from pipeline.errors import DataError, SourceError
from pipeline.frames import Tables
from pipeline.paths import Paths

MODELS = "models"
INTERVAL = ["flop_05", "flop_95"]
DAYS = ("since", "until", "entered")
REMEDY = "restore it from git"


class Baseline(NamedTuple):
    """The last release: its day, what was stated in each table, flop_05 and flop_95 of each model, day and sha256 of
    each source's snapshot, and the entries of corrections.yml by id."""

    day: date
    tables: Tables
    intervals: pd.DataFrame
    snapshots: Mapping[str, tuple[date, str]]
    corrections: Mapping[str, Mapping[str, Any]]


def baseline_content(context: Config, stated: Tables, predictions: pd.DataFrame, day: date) -> bytes:
    """The file of what a release of that day says: the cells that the gate compares, its predictions, and the entries
    of corrections.yml."""
    entries = {entry["id"]: json.dumps(entry, default=str) for entry in context.corrections}
    snapshots = {name: _latest(entry["snapshots"]) for name, entry in context.lock.items() if entry["snapshots"]}
    parts = {
        **stated,
        "predictions": predictions.set_index("model_id")[INTERVAL],
        "snapshots": pd.DataFrame.from_dict(snapshots, orient="index", columns=["day", "sha256"]),
        "corrections": pd.DataFrame({"entry": entries}),
        "release": pd.DataFrame({"day": [str(day)]}, index=["day"]),
    }
    rows = [
        part.add_prefix(f"{name}.").rename_axis("id").reset_index().assign(table=name) for name, part in parts.items()
    ]
    whole = pa.Table.from_pandas(pd.concat(rows, ignore_index=True), preserve_index=False)
    content = pa.BufferOutputStream()
    parquet.write_table(whole.replace_schema_metadata(), content, compression="zstd", compression_level=19)
    return bytes(content.getvalue())


def read_baseline(paths: Paths) -> Baseline | None:
    """The last release, None if there is none. Raises DataError where the file is damaged."""
    file = paths.baseline
    if not file.exists():
        return None
    try:
        rows = parquet.read_table(file).to_pandas(date_as_object=False)
    except (pa.ArrowException, OSError) as error:
        raise DataError.of(paths.short(file), f"cannot be read: {error}", REMEDY) from error
    parts = {}
    for name, part in rows.groupby("table"):
        own = {column: column.removeprefix(f"{name}.") for column in part if column.startswith(f"{name}.")}
        parts[str(name)] = part.set_index("id")[[*own]].rename(columns=own)
    snapshots = {name: (date.fromisoformat(day), sha256) for name, day, sha256 in parts.pop("snapshots").itertuples()}
    entries: list[dict[str, Any]] = [json.loads(text) for text in parts.pop("corrections", {"entry": ()})["entry"]]
    for entry in entries:
        entry |= {name: date.fromisoformat(entry[name]) for name in DAYS if entry.get(name)}
    day = date.fromisoformat(str(parts.pop("release").loc["day", "day"]))
    return Baseline(day, parts, parts.pop("predictions"), snapshots, {entry["id"]: entry for entry in entries})


def _latest(snapshots: Mapping[str, Any]) -> tuple[str, str]:
    """Day and sha256 of the newest snapshot of a source; of several files the sha256 of theirs."""
    day = max(snapshots)
    each = sorted(file["sha256"] for file in snapshots[day]["files"].values())
    return day, each[0] if len(each) == 1 else hashlib.sha256("".join(each).encode()).hexdigest()


def refuse_released_day(paths: Paths, source_id: str, day: date) -> None:
    """Raises SourceError for a live pull on the day of a source's released snapshot: it would replace what held records
    are read from."""
    released = read_baseline(paths)
    if released and source_id in released.snapshots and released.snapshots[source_id][0] == day:
        raise SourceError(f"{source_id}: its snapshot of {day} is part of the last release; pull again tomorrow")
