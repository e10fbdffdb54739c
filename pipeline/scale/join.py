"""The tables of all chunks (chunk.py) → one table: what compares models with all others is added, and the rows of each are
put in one order, a part at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.base.columnar import release_memory
from pipeline.base.errors import DataError, Problem
from pipeline.impute.derive.columns import among_all
from pipeline.impute.trends.prepare import COLUMNS, prepare, published
from pipeline.impute.trends.table import make_trends
from pipeline.normalize.tables import make_organizations
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables, arrow_schema, conform, from_arrow
from pipeline.registry.schema import TableSchema
from pipeline.scale.chunk import HASHED, part_starts
from pipeline.scale.parts import read_part, write_parts

COMPARED = "among_all"  # the file of a chunk with the columns of `models` that compare it with all others
READ = ["publication_date", "training_compute_flop", "is_notable", "training_run_id"]
SELECTED = ["model_id", "field", "value", "is_selected"]
ABOUT_ORGANIZATIONS = ["model_id", "organizations", "organization_category", "countries"]
COUNTED = ("records", "facts")  # the columns of `sources` and `snapshots` to which each chunk adds


def compare_all(context: Context, folders: Sequence[Path]) -> None:
    """Writes, beside the models of each chunk, the columns that compare them with those of all chunks."""
    models = _columns(folders, "models", READ)
    run = models["training_run_id"].combine_chunks().dictionary_encode().indices.to_numpy()
    schema = arrow_schema(context.schemas["models"])
    frame = models.drop_columns("training_run_id").to_pandas(date_as_object=False)
    found = among_all(frame, run, context.constants)
    columns = {name: pa.array(values, from_pandas=True).cast(schema.field(name).type) for name, values in found.items()}
    made, start = pa.table(columns), 0
    for folder in folders:
        rows = read_part(folder / "models.arrow", 0).num_rows
        write_parts(made.slice(start, rows), [], folder / f"{COMPARED}.arrow")
        start += rows


def trends(context: Context, folders: Sequence[Path], known: Tables) -> pd.DataFrame:
    """The table `trends`, of the values that were published; of `known` it reads the supercomputers."""
    estimates = _columns(folders, "estimates", SELECTED, where="is_selected").to_pandas()
    models = published(_frame(context, folders, "models", COLUMNS), estimates)
    prepared = prepare({**known, "models": models}, context.constants["eras"])
    del models, estimates  # of a million models 300 MB
    release_memory()
    return make_trends(prepared, context.schemas["trends"])


def _frame(context: Context, folders: Sequence[Path], name: str, columns: list[str]) -> pd.DataFrame:
    table = context.schemas[name]
    some = replace(table, columns=tuple(column for column in table.columns if column.name in columns))
    return from_arrow(_columns(folders, name, columns), some)


def _columns(folders: Sequence[Path], name: str, columns: list[str], where: str | None = None) -> pa.Table:
    """Some columns of a table, of all chunks, and only the rows in which the column `where` is true. They are copied, so
    that the files do not stay in memory."""
    parts = (read_part(folder / f"{name}.arrow", 0).select(columns) for folder in folders)
    wanted = (part.filter(part[where]) for part in parts) if where else parts
    return pa.Table.from_batches(wanted).combine_chunks()


def small_tables(context: Context, folders: Sequence[Path], known: Tables) -> Tables:
    """The tables that are counted over all chunks: organizations, and sources and snapshots beside those of `known`."""
    models = _frame(context, folders, "models", ABOUT_ORGANIZATIONS)
    made = {"organizations": make_organizations(models, context.vocabularies, context.schemas["organizations"])}
    for name in ("sources", "snapshots"):
        table = context.schemas[name]
        made[name] = conform(pd.concat([known[name], _added_up(table, folders)]), table)
    return made


def _added_up(table: TableSchema, folders: Sequence[Path]) -> pd.DataFrame:
    """A table of which every chunk has the same rows, each with its own counts and the newest snapshot that it uses."""
    parts = [pa.Table.from_batches([read_part(folder / f"{table.name}.arrow", 0)]) for folder in folders]
    frame, told = from_arrow(pa.concat_tables(parts), table), {**dict.fromkeys(COUNTED, "sum"), "snapshot": "max"}
    found = frame.groupby(list(table.primary_key)).agg(told)
    once = frame.drop_duplicates(list(table.primary_key)).drop(columns=list(told))
    return conform(once.join(found, on=list(table.primary_key)), table)


def in_order(context: Context, folders: Sequence[Path], name: str) -> Iterator[pa.Table]:
    """The rows of a table from all chunks, sorted by key, in tables that fit in memory. Raises DataError for a key that
    two rows have."""
    schema, last = context.schemas[name], None
    parts = len(part_starts(context, name)) + 1
    for some in (_sorted if name in HASHED else _one_by_one)(folders, schema, parts):
        if some.num_rows:
            last = _check_keys(some, schema, last)
            yield some


def _sorted(folders: Sequence[Path], table: TableSchema, parts: int) -> Iterator[pa.Table]:
    order = [(column, "ascending") for column in table.primary_key]
    for part in range(parts):
        batches = [read_part(folder / f"{table.name}.arrow", part) for folder in folders]
        some = pa.Table.from_batches(batches).combine_chunks()
        yield some.take(pc.sort_indices(some, order))


def _one_by_one(folders: Sequence[Path], table: TableSchema, parts: int) -> Iterator[pa.Table]:
    """Within each part the chunks come in the order of their keys."""
    for part in range(parts):
        for folder in folders:
            some = pa.Table.from_batches([read_part(folder / f"{table.name}.arrow", part)])
            yield _with_compared(some, folder) if table.name == "models" else some


def _with_compared(models: pa.Table, folder: Path) -> pa.Table:
    compared = read_part(folder / f"{COMPARED}.arrow", 0)
    for column in compared.schema:
        place = models.schema.get_field_index(column.name)
        models = models.set_column(place, models.schema.field(place), compared[column.name])
    return models


def _check_keys(some: pa.Table, table: TableSchema, last: pa.Table | None) -> pa.Table:
    """The last row. Raises DataError unless each key is larger than the one before it."""
    keys = some.select(list(table.primary_key))
    keys = keys if last is None else pa.concat_tables([last, keys])
    larger = pa.repeat(pa.scalar(False), keys.num_rows - 1)
    for name in reversed(table.primary_key):
        column = keys[name].combine_chunks()
        before, after = column[:-1], column[1:]
        larger = pc.or_(pc.less(before, after), pc.and_(pc.equal(before, after), larger))
    if pc.all(larger).as_py() is False:
        row = keys.slice(larger.index(False).as_py() + 1, 1).to_pylist()[0]
        raise DataError(
            [Problem(table.name, " ".join(map(str, row.values())), "", "", "occurs in more than one row", "")]
        )
    return keys.slice(keys.num_rows - 1)
