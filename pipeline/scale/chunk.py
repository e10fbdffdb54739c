"""One chunk of a ledger (split.py) → its tables, by the functions that build a whole dataset in memory.

Each table is written as an Arrow file, sorted by its key: in one batch, or, where the keys of all chunks are mixed, in one
batch for each part of the alphabet of keys, so that join.py can read the same part of all chunks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.base.columnar import is_in
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.stage import with_estimates
from pipeline.normalize import claims, models, revisions, tables
from pipeline.normalize.acknowledged import without_rules
from pipeline.normalize.facts import COLUMNS, typed_spans
from pipeline.normalize.quarantine import hold, quarantine_bounds
from pipeline.normalize.stage import read_ledger, read_vintage, select_claims
from pipeline.pull.witnesses import load_witnesses
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables, conform, to_arrow
from pipeline.registry.sources import locked_snapshots
from pipeline.scale.parts import read_part, write_parts
from pipeline.validate.stage import check_links, check_tables

PARTS = 64  # of the alphabet of hashes: of fifteen million claims, each fills some 65 MB
COUNTED = ["model_id", "source_id", "snapshot", "record"]  # what `sources` counts, and `snapshots`:
COUNTED_SPANS = ["model_id", "source_id", "record", "since", "until"]
HASHED = ("claims", "quarantine")  # their key is a hash


class Chunk(NamedTuple):
    """The facts of a chunk as `typed_spans` gives them with model_id, and the ids of the guests among its models."""

    ledger: pd.DataFrame
    guests: pd.Series


def read_chunk(files: Iterable[Path], number: int) -> Chunk:
    """The facts of a chunk, from the files that `split.route` wrote. Raises DataError as `typed_spans` does."""
    lines = pa.Table.from_batches([read_part(file, number) for file in files]).combine_chunks().to_pandas()
    guests = lines.loc[lines["is_guest"], "model_id"].drop_duplicates()
    ledger = typed_spans(lines[[*COLUMNS, "line"]])
    return Chunk(ledger.assign(model_id=lines["model_id"]), guests)


def make_tables(
    context: Context, chunk: Chunk, reference: Tables, columns: pd.DataFrame, calibrated: Calibrated
) -> Tables:
    """The tables of the chunk's models and of its guests, checked, and what its own models count in `sources` and
    `snapshots`. `reference` are the tables that are about no models, `columns` those of the whole ledger
    (`split.load_columns`)."""
    made = _normalized(context, chunk, reference, columns)
    filled = with_estimates(context, {**reference, **made}, calibrated)
    made |= {name: filled[name] for name in ("models", "estimates", "predictions")}
    judge = without_rules(context)
    check_tables(judge, made)
    check_links(context, made | {name: _beside(made, reference, name) for name in ("sources", "hardware")})
    return made


def _normalized(context: Context, chunk: Chunk, reference: Tables, columns: pd.DataFrame) -> Tables:
    schemas, words = context.schemas, context.vocabularies
    read = read_ledger(context, chunk.ledger)
    standing = columns.index[columns["ended"] < columns["spans"]].to_frame(index=False)
    typed = read_vintage(context, read, None, standing)
    days = {name: locked_snapshots(context.lock, name) for name in context.sources}
    witnesses = load_witnesses(context.paths, context.sources.values())
    made = {
        "revisions": revisions.make_revisions(read.ledger, read.readings, days, [], schemas["revisions"], columns),
        "sources": tables.make_sources(
            _without(typed[COUNTED], chunk.guests), context.sources, days, schemas["sources"]
        ),
        "snapshots": tables.make_snapshots(
            _without(read.ledger[COUNTED_SPANS], chunk.guests), context.lock, witnesses, None, schemas["snapshots"]
        ),
    }
    judged = select_claims(
        context, quarantine_bounds(hold(typed, read.ledger, read.readings, context.lock, [])), [], None
    )
    chosen = claims.selected(judged)
    return made | {
        "claims": conform(judged, schemas["claims"]),
        "models": models.make_models(judged, schemas["models"], words),
        "quarantine": tables.make_quarantine(judged, judged[:0].assign(subject=""), schemas["quarantine"]),
        "model_hardware": tables.make_model_hardware(chosen, reference["hardware"], words, schemas["model_hardware"]),
    }


def _beside(made: Tables, reference: Tables, name: str) -> pd.DataFrame:
    """A table of the chunk and its rows that are known beforehand."""
    return pd.concat([made[name], reference[name]]) if name in made else reference[name]


def _without(frame: pd.DataFrame, guests: pd.Series) -> pd.DataFrame:
    if "model_id" not in frame or guests.empty:
        return frame
    return frame[~is_in(frame["model_id"], guests)]


def write_tables(context: Context, made: Mapping[str, pd.DataFrame], folder: Path, guests: Iterable[str] = ()) -> None:
    """Writes each table as an Arrow file below `folder`, named after it, without the models that are `guests`."""
    folder.mkdir(parents=True)
    away = pa.array(guests, pa.string())
    for name, frame in made.items():
        data = to_arrow(frame, context.schemas[name])
        if "model_id" in data.column_names:
            data = data.filter(pc.invert(pc.is_in(data["model_id"], away)))
        keys = data[context.schemas[name].primary_key[0]]
        write_parts(data, [_row_of(keys, key) for key in part_starts(context, name)], folder / f"{name}.arrow")


def _row_of(keys: pa.ChunkedArray, key: str) -> int:
    """The first row that does not come before a key."""
    return bisect_left(range(len(keys)), key, key=lambda row: keys[row].as_py())


def part_starts(context: Context, name: str) -> list[str]:
    """The keys at which the parts of a table begin, of all but the first: one part where keys begin with a model_id, since
    the chunks come in their order, and one for each source where a source_id stands before it."""
    if name in HASHED:
        return [f"{part * 256 // PARTS:02x}" for part in range(1, PARTS)]
    return [f"{source}:" for source in sorted(context.sources)][1:] if name == "revisions" else []
