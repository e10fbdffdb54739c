"""The tables of all chunks → whole tables: their rows in one order, and what compares models with all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset, feather

from pipeline.base.columnar import is_increasing
from pipeline.base.errors import DataError, Problem
from pipeline.impute.derive.columns import among_all
from pipeline.impute.trends.prepare import COLUMNS, DISTRIBUTION, prepare, published
from pipeline.impute.trends.table import make_trends
from pipeline.impute.trends.thresholds import make_thresholds
from pipeline.normalize.tables import make_organizations
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables, arrow_schema, conform, from_arrow
from pipeline.registry.schema import TableSchema
from traincompute.thresholds import COLUMNS as COUNTED_BY

HASHED = ("claims", "quarantine")  # their key is a hash
COMPARED = "compared"  # the table of the columns of `models` that compare them with all others
READ = ["publication_date", "training_compute_flop", "training_compute_source", "is_notable", "training_run_id"]
ABOUT_ORGANIZATIONS = ["model_id", "organizations", "organization_category", "countries"]
SELECTED = ["model_id", "field", "value", "is_selected"]
COUNTED = {
    "records": "sum",
    "facts": "sum",
    "snapshot": "max",
}  # of `sources` and `snapshots`, to which each chunk adds
GROUP_ROWS = 1 << 17  # in a row group of a Parquet file


def save(folder: Path, number: int, tables: Mapping[str, pa.Table]) -> None:
    """Writes the tables of a chunk below `folder`, each in the parts in which `in_order` reads it: by the first byte of a
    hash, or by source where that comes before the model."""
    for name, table in tables.items():
        dataset.write_dataset(
            table.append_column("part", _part_of(name, table)),
            folder / name,
            format="feather",
            partitioning=dataset.partitioning(pa.schema([("part", pa.string())])),
            basename_template=f"{number:06}-{{i}}.arrow",
            existing_data_behavior="overwrite_or_ignore",
            use_threads=False,
        )


def _part_of(name: str, table: pa.Table) -> pa.Array:
    if name in HASHED:
        return pc.utf8_slice_codeunits(table["claim_id"], 0, 2)
    return table["source_id"] if name == "revisions" else pa.repeat("all", table.num_rows)


def in_order(folder: Path, table: TableSchema) -> Iterator[pa.Table]:
    """The rows of a table from all chunks, sorted by key, in tables that fit in memory. Raises DataError for a key that
    two rows have."""
    last: list[str] = []
    for part in _parts(folder, table):
        keys = _keys(part, table)
        _check_increasing(pa.chunked_array([pa.array(last, pa.string()), *keys.chunks]), table)
        last = [keys[-1].as_py()]
        yield part


def _parts(folder: Path, table: TableSchema) -> Iterator[pa.Table]:
    start = 0
    for files in _files(folder, table.name):
        if table.name in HASHED:
            yield pa.concat_tables(map(_read, files)).sort_by(table.primary_key[0])
            continue
        for part in map(_read, files):
            yield _with_compared(part, folder, start) if table.name == "models" else part
            start += part.num_rows


def _files(folder: Path, name: str) -> list[list[Path]]:
    """The files of a table by part, in the order of the keys."""
    parts = sorted((folder / name).glob("*"), key=lambda part: f"{part.name}:")
    return [sorted(part.iterdir()) for part in parts]


def _read(file: Path) -> pa.Table:
    return feather.read_table(file, memory_map=True)


def _with_compared(models: pa.Table, folder: Path, start: int) -> pa.Table:
    """Models, of which the first is at that place among all, with the columns that `compare` made."""
    compared = _read(folder / COMPARED).slice(start, models.num_rows)
    for name in compared.column_names:
        place = models.schema.get_field_index(name)
        models = models.set_column(place, models.schema.field(place), compared[name])
    return models


def _keys(rows: pa.Table, table: TableSchema) -> pa.ChunkedArray:
    """The keys as texts that sort as their columns do: whole numbers have ten digits."""
    columns = [rows[name] for name in table.primary_key]
    texts = [c if pa.types.is_string(c.type) else pc.utf8_lpad(c.cast("string"), 10, "0") for c in columns]
    return pc.binary_join_element_wise(*texts, "\0")


def _check_increasing(keys: pa.ChunkedArray, table: TableSchema) -> None:
    if is_increasing(keys):
        return
    before, after = keys[:-1].combine_chunks(), keys[1:].combine_chunks()
    key = after[pc.less(before, after).index(False).as_py()].as_py()
    raise DataError([Problem(table.name, key.replace("\0", " "), "", "", "occurs in more than one row", "")])


def in_groups(parts: Iterable[pa.Table], rows: int = GROUP_ROWS) -> Iterator[pa.Table]:
    """The same rows in tables of that many, and a last one of what is left."""
    waiting: list[pa.Table] = []
    for part in parts:
        waiting.append(part)
        while sum(table.num_rows for table in waiting) >= rows:
            together = pa.concat_tables(waiting)
            yield together.slice(0, rows)
            waiting = [together.slice(rows)]
    if left := [table for table in waiting if table.num_rows]:
        yield pa.concat_tables(left)


def compare(context: Context, folder: Path) -> None:
    """Writes the columns of `models` that compare each with all others, for `in_order`."""
    models = _columns(folder, "models", READ)
    run = models["training_run_id"].combine_chunks().dictionary_encode().indices.to_numpy()
    frame = models.drop_columns("training_run_id").to_pandas(date_as_object=False)
    schema = arrow_schema(context.schemas["models"])
    compared = among_all(frame, run, context.constants)
    arrays = {name: pa.array(values, from_pandas=True) for name, values in compared.items()}
    table = pa.table({name: values.cast(schema.field(name).type) for name, values in arrays.items()})
    feather.write_feather(table, folder / COMPARED, compression="uncompressed")


def trends(context: Context, folder: Path, reference: Tables) -> pd.DataFrame:
    """The table `trends`, of the values that were published; of `reference` it reads the supercomputers."""
    estimates = _columns(folder, "estimates", SELECTED, pc.field("is_selected")).to_pandas()
    models = published(_frame(context, folder, "models", COLUMNS), estimates)
    del estimates  # of a million models 100 MB
    predictions = _frame(context, folder, "predictions", ["model_id", *DISTRIBUTION])
    prepared = prepare({**reference, "models": models, "predictions": predictions}, context.constants["eras"])
    return make_trends(prepared, context.schemas["trends"])


def thresholds(context: Context, folder: Path) -> pd.DataFrame:
    """The table `thresholds`, over the distributions of all models."""
    models, predictions = (_frame(context, folder, name, COUNTED_BY) for name in ("models", "predictions"))
    return make_thresholds(models, predictions, context.schemas["thresholds"])


def counted_tables(context: Context, folder: Path, reference: Tables) -> Tables:
    """The tables that are counted over all chunks: organizations, and sources and snapshots beside those of
    `reference`."""
    models = _frame(context, folder, "models", ABOUT_ORGANIZATIONS)
    made = {"organizations": make_organizations(models, context.vocabularies, context.schemas["organizations"])}
    for name in ("sources", "snapshots"):
        table = context.schemas[name]
        made[name] = conform(pd.concat([reference[name], _added_up(table, folder)]), table)
    return made


def _added_up(table: TableSchema, folder: Path) -> pd.DataFrame:
    """A table of which every chunk has the same rows, each with its own counts and the newest snapshot that it uses."""
    frame, key = from_arrow(_columns(folder, table.name, table.names), table), list(table.primary_key)
    counted = frame.groupby(key).agg({name: how for name, how in COUNTED.items() if name in frame})
    return conform(frame.drop_duplicates(key).drop(columns=list(counted)).join(counted, on=key), table)


def _frame(context: Context, folder: Path, name: str, columns: list[str]) -> pd.DataFrame:
    table = context.schemas[name]
    some = replace(table, columns=tuple(column for column in table.columns if column.name in columns))
    rows = _columns(folder, name, list(some.names)) if _files(folder, name) else arrow_schema(some).empty_table()
    return from_arrow(rows, some)


def _columns(folder: Path, name: str, columns: list[str], where: pc.Expression | None = None) -> pa.Table:
    """Some columns of a table, of all chunks in their order, and only the rows for which `where` is true."""
    files = [str(file) for part in _files(folder, name) for file in part]
    return dataset.dataset(files, format="feather").to_table(columns=columns, filter=where)
