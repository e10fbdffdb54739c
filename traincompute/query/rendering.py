"""Arrow tables as DataFrames, and as CSV: lists joined, formulas escaped, floats with point or exponent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import chain
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from traincompute.show.rows import FORMULA, exact, json_text

ROWS = 20_000  # of a table that are text at once
# types that pandas would turn into others where a value is missing
NULLABLE: dict[pa.DataType, Any] = {
    pa.type_for_alias(name.lower()): pd.api.types.pandas_dtype(name)
    for name in ("boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
}
# models.csv alone: a reader that guesses types by the first thousand rows finds a value in every column
FIRST_IN_CSV = (("is_notable", "descending"), ("publication_date", "descending"), ("model_id", "ascending"))


def to_frame(data: pa.Table) -> pd.DataFrame:
    """An Arrow table as a DataFrame with the dtypes of the dataset; lists become Python lists."""
    for number, field in enumerate(data.schema):
        if pa.types.is_date(field.type):  # pandas would make milliseconds of it
            data = data.set_column(number, field.name, data[number].cast(pa.timestamp("s")))
        elif pa.types.is_decimal(field.type):  # DuckDB's sum of integers
            data = data.set_column(number, field.name, data[number].cast(pa.float64()))
    lists = [field.name for field in data.schema if pa.types.is_list(field.type)]
    frame: pd.DataFrame = data.to_pandas(types_mapper=NULLABLE.get)
    return frame.assign(**{name: pd.Series(data[name].to_pylist(), dtype="object") for name in lists})


def flatten(data: pa.Table) -> pa.Table:
    """The table as CSV has it: lists ;-joined, other nested values as JSON, and decimals as floats."""
    for number, field in enumerate(data.schema):
        if pa.types.is_decimal(field.type):
            data = data.set_column(number, field.name, data[number].cast(pa.float64()))
        elif pa.types.is_nested(kind := field.type) or pa.types.is_binary(kind):
            is_plain = not pa.types.is_nested(kind.value_type if pa.types.is_list(kind) else kind)
            write = exact if is_plain else json_text
            texts = [None if value is None else write(value) for value in data[number].to_pylist()]
            data = data.set_column(number, field.name, pa.array(texts, pa.string()))
    return data


def for_spreadsheets(name: str, flat: pa.Table) -> pa.Table:
    """A table without lists as its CSV file has it: the rows of `models` with the notable and newest first, others by
    key, and an apostrophe before each text that a spreadsheet would run as a formula."""
    keys = [key for key in FIRST_IN_CSV if name == "models" and key[0] in flat.column_names]
    flat = flat.sort_by(keys) if keys else flat
    for number, field in enumerate(flat.schema):
        if pa.types.is_string(field.type):
            values = flat[field.name]
            risky = pc.match_substring_regex(values, FORMULA.pattern)
            if pc.any(risky).as_py():
                marked = pc.binary_join_element_wise(pa.scalar("'"), values, "")
                flat = flat.set_column(number, field, pc.if_else(risky, marked, values))
    return flat


def write_csv(flat: pa.Table, write: Callable[[Any], object] = lambda _: None) -> str:
    """Passes a table without lists to `write` as CSV, in chunks: the names, then rows with texts in quotes and nulls
    empty. Returns the SHA-256 of the whole."""
    digest = hashlib.sha256()
    names = ('"' + name.replace('"', '""') + '"' for name in flat.column_names)
    for chunk in chain([(",".join(names) + "\n").encode()], map(_lines, flat.to_batches(max_chunksize=ROWS))):
        digest.update(chunk)
        write(chunk)
    return digest.hexdigest()


def _lines(batch: pa.RecordBatch) -> Any:
    """The bytes of the rows."""
    lines = pc.binary_join_element_wise(*map(_cells, batch.columns), ",", null_handling="replace")
    return pc.binary_join_element_wise(lines, "", "\n").buffers()[2]


def _cells(values: pa.Array) -> pa.Array:
    """A column as texts. No float looks like a whole number, for which readers would take it until a fraction."""
    if pa.types.is_boolean(values.type):
        return pc.if_else(values, "TRUE", "FALSE")
    texts = values.cast(pa.string())
    if pa.types.is_floating(values.type):
        is_whole = pc.match_substring_regex(texts, r"^-?\d+$")
        return pc.if_else(is_whole, pc.binary_join_element_wise(texts, ".0", ""), texts)
    if pa.types.is_primitive(values.type):
        return texts
    return pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")
