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
from pipeline.errors import SourceError
from pipeline.files import refuse
from pipeline.frames import Tables
from pipeline.paths import Paths
from pipeline.schema import Column, TableSchema
from traincompute.base.disk import write_whole

MODELS = "models"
INTERVAL = ["flop_05", "flop_95"]
OF_MODELS = ["name", "organization", "base_model_id", "hardware", "is_notable"]  # compared besides numbers and dates
DAYS = ("since", "until", "entered")
REMEDY = "restore it from git, or write it again with `traincompute dev release`"


class Baseline(NamedTuple):
    """The last release: its day, what was stated in each table, flop_05 and flop_95 of each model, day and sha256 of
    each source's snapshot, and the entries of corrections.yml by id."""

    day: date
    tables: Tables
    intervals: pd.DataFrame
    snapshots: Mapping[str, tuple[date, str]]
    corrections: Mapping[str, Mapping[str, Any]]


def stated_cells(context: Config, tables: Mapping[str, pd.DataFrame]) -> Tables:
    """Of `models` (before anything is imputed) and of each table of records the cells that the gate compares, by key:
    numbers and dates without a formula ("as stated, else …" is none); of models also names, first organisation and
    country, link, base model, hardware and the notable flag."""
    subjects = sorted({source.subject for source in context.sources.values()} & tables.keys())
    return {name: _stated(tables[name], context.schemas[name]) for name in subjects}


def _stated(frame: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    texts = OF_MODELS if table.name == MODELS else []
    cells = frame[[column.name for column in table.columns if _is_stated(column) or column.name in texts]]
    if table.name == MODELS:
        link = frame["arxiv_id"].fillna(frame["reference_url"])
        cells = cells.assign(country=frame["countries"].str.replace(";.*", "", regex=True), link=link)
    return cells.set_axis(pd.Index(frame[table.key], name="id"))


def _is_stated(column: Column) -> bool:
    is_formula = column.derived is not None and not column.derived.startswith("as stated")
    return column.type in ("number", "integer", "date") and not is_formula


def write_baseline(
    context: Config, normalized: Mapping[str, pd.DataFrame], predictions: pd.DataFrame, day: date
) -> None:
    """Writes what a release of that day states: its tables before anything was imputed, its predictions, and the
    entries of corrections.yml."""
    entries = {entry["id"]: json.dumps(entry, default=str) for entry in context.corrections}
    snapshots = {name: latest for name, entry in context.lock.items() if (latest := _latest(entry["snapshots"]))}
    parts = {
        **stated_cells(context, normalized),
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
    write_whole(context.paths.baseline, content.getvalue().to_pybytes())


def read_baseline(paths: Paths) -> Baseline | None:
    """The last release; null where there is none. Raises DataError where the file is damaged."""
    file = paths.baseline
    if not file.exists():
        return None
    try:
        rows = parquet.read_table(file).to_pandas(date_as_object=False)
    except (pa.ArrowException, OSError) as error:
        raise refuse(paths.short(file), f"cannot be read: {error}", REMEDY) from error
    parts = {str(name): _unfold(part, str(name)) for name, part in rows.groupby("table")}
    snapshots = {name: (date.fromisoformat(day), sha256) for name, day, sha256 in parts.pop("snapshots").itertuples()}
    entries = (_entry(text) for text in parts.pop("corrections")["entry"])
    day = date.fromisoformat(str(parts.pop("release").loc["day", "day"]))
    return Baseline(day, parts, parts.pop("predictions"), snapshots, {entry["id"]: entry for entry in entries})


def _unfold(rows: pd.DataFrame, table: str) -> pd.DataFrame:
    prefix = f"{table}."
    names = [name for name in map(str, rows) if name.startswith(prefix)]
    return rows.set_index("id")[names].rename(columns=lambda name: name.removeprefix(prefix))


def _entry(text: str) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads(text)
    return entry | {name: date.fromisoformat(entry[name]) for name in DAYS if entry.get(name)}


def _latest(snapshots: Mapping[str, Any]) -> tuple[str, str] | None:
    """Day and sha256 of the newest snapshot of a source; of several files the sha256 of theirs."""
    if not snapshots:
        return None
    day = max(snapshots)
    return day, _digest(snapshots[day])


def _digest(snapshot: Mapping[str, Any]) -> str:
    """The sha256 of a snapshot's file; of several, that of all of them."""
    each = sorted(file["sha256"] for file in snapshot["files"].values())
    return each[0] if len(each) == 1 else hashlib.sha256("".join(each).encode()).hexdigest()


def refuse_released_day(paths: Paths, source_id: str, day: date) -> None:
    """Raises SourceError for a live pull on the day of a source's released snapshot: it would replace what held records
    are read from."""
    released = read_baseline(paths)
    if released and source_id in released.snapshots and released.snapshots[source_id][0] == day:
        raise SourceError(f"{source_id}: its snapshot of {day} is part of the last release; pull again tomorrow")
