"""DataFrames and Arrow tables in the shape that a schema declares: columns, order, dtypes, sorted by key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from pipeline.base.columnar import has_empty, is_increasing
from pipeline.base.digits import significant
from pipeline.base.textfile import refuse
from pipeline.registry.schema import LIST_SEPARATOR, TYPES, Column, TableSchema
from traincompute.show.values import exact

AS_PRINTED = frozenset({"claims"})  # tables that keep the digits of a source
DTYPES = {name: pd.api.types.pandas_dtype(dtype) for name, (dtype, _) in TYPES.items()}
Tables = dict[str, pd.DataFrame]  # the published tables by name, each conformed to its schema


def empty_frame(table: TableSchema) -> pd.DataFrame:
    """A frame without rows that has the table's columns and dtypes."""
    return pd.DataFrame({column.name: pd.Series([], dtype=DTYPES[column.type]) for column in table.columns})


def conform(frame: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The frame with exactly the table's columns, in their order and dtypes, sorted by the key. Absent columns and
    empty texts become null, and numbers have twelve significant digits, but for those that a source prints."""
    absent = {name: _cast(pd.Series(None, index=frame.index), name) for name in TYPES}
    cast = {c.name: _cast(frame[c.name], c.type) if c.name in frame else absent[c.type] for c in table.columns}
    series = cast if table.name in AS_PRINTED else {c.name: _rounded(cast[c.name], c.type) for c in table.columns}
    made = pd.DataFrame(series, index=frame.index)
    if is_increasing(made[table.key]):
        return made.reset_index(drop=True)
    return made.sort_values(list(table.primary_key), kind="stable", ignore_index=True)


def _cast(series: pd.Series, type_name: str) -> pd.Series:
    """The column in the dtype of its published type; empty texts become null."""
    dtype = DTYPES[type_name]
    cast = series if series.dtype == dtype else series.astype(dtype)
    return cast.mask(cast == "") if type_name in ("string", "list") and has_empty(cast) else cast


def _rounded(series: pd.Series, type_name: str) -> pd.Series:
    if type_name != "number":
        return series
    return pd.Series(significant(series.to_numpy()), index=series.index)


def columns_frame(schemas: Mapping[str, TableSchema]) -> pd.DataFrame:
    """The published table `columns`: one row per column of every published table, itself included."""
    rows = [_described(table, place) for table in schemas.values() for place in range(len(table.columns))]
    return conform(pd.DataFrame(rows), schemas["columns"])


def _described(table: TableSchema, place: int) -> dict[str, str | int | bool | None]:
    column = table.columns[place]
    return {
        "table_name": table.name,
        "column_name": column.name,
        "position": place + 1,
        "type": column.type,
        "unit": column.unit,
        "description": column.description,
        "derived": column.derived,
        "claim": column.claim,
        "vocab": column.vocab,
        "references": column.references,
        "never_null": column.required,
        "example": exact(column.example),
    }


def arrow_schema(table: TableSchema) -> pa.Schema:
    """The Arrow schema. Its metadata has the key; that of each field has description, unit, derivation and the field
    that claims state."""
    types = {
        "string": pa.string(),
        "number": pa.float64(),
        "integer": pa.int64(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "list": pa.list_(pa.string()),
    }
    fields = [pa.field(c.name, types[c.type], nullable=not c.required, metadata=_metadata(c)) for c in table.columns]
    about = {"title": table.title, "description": table.description, "primary_key": ";".join(table.primary_key)}
    return pa.schema(fields, metadata=about)


def _metadata(column: Column) -> dict[str, str]:
    parts = {"description": column.description, "unit": column.unit, "derived": column.derived, "claim": column.claim}
    return {key: value for key, value in parts.items() if value is not None}


def to_arrow(frame: pd.DataFrame, table: TableSchema) -> pa.Table:
    """A conformed frame as an Arrow table with the table's schema; ;-joined lists become Arrow lists."""
    schema = arrow_schema(table)
    arrays = [_to_array(frame[c.name], c, schema.field(c.name).type) for c in table.columns]
    return pa.Table.from_arrays(arrays, schema=schema)


def _to_array(series: pd.Series, column: Column, arrow_type: pa.DataType) -> pa.Array:
    if column.type == "list":
        texts = pa.array(series, type=pa.string())
        return pc.split_pattern(texts, LIST_SEPARATOR).cast(arrow_type)
    array = pa.array(series)
    return (array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array).cast(arrow_type)


def from_arrow(data: pa.Table, table: TableSchema) -> pd.DataFrame:
    """The inverse of `to_arrow`: a conformed frame, lists ;-joined, integers and booleans nullable."""
    lists = [c.name for c in table.columns if c.type == "list"]
    for name in lists:
        joined = pc.binary_join(data[name].combine_chunks(), LIST_SEPARATOR).cast(pa.string())
        data = data.set_column(data.schema.get_field_index(name), name, joined)
    return conform(data.to_pandas(integer_object_nulls=True, date_as_object=False), table)


def load_frame(file: Path, where: str, table: TableSchema, remedy: str) -> pd.DataFrame:
    """A table that we have written as Parquet. Raises DataError where the file is missing, cut or no Parquet."""
    if not file.exists():
        raise refuse(where, "the file is missing", remedy)
    try:
        return from_arrow(parquet.read_table(file), table)
    except (pa.ArrowException, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise refuse(where, f"cannot be read: {reason}", remedy) from error
