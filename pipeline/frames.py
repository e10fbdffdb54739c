"""DataFrames and Arrow tables in the shape that a schema declares (columns, order, dtypes, sorted by key), operations
on columns of texts, and numbers to a fixed number of digits."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from pipeline.errors import DataError
from pipeline.schema import LIST_SEPARATOR, TYPES, Column, TableSchema

AS_PRINTED = frozenset({"claims"})  # tables that keep the digits of a source
DTYPES = {name: pd.api.types.pandas_dtype(dtype) for name, (dtype, _, _) in TYPES.items()}
ARROW = {name: pa.type_for_alias(alias) for name, (_, _, alias) in TYPES.items()} | {"list": pa.list_(pa.string())}
Tables = dict[str, pd.DataFrame]  # the published tables by name, each conformed to its schema
PUBLISHED = 12  # significant digits of a published number
EXACT = np.array([float(10**power) for power in range(23)])  # 10²² is the last that a float64 holds exactly

# --- Tables


def empty_frame(table: TableSchema) -> pd.DataFrame:
    """A frame without rows that has the table's columns and dtypes."""
    return conform(pd.DataFrame(), table)


def conform(frame: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The frame with exactly the table's columns, in their order and dtypes, sorted by the key. Absent columns and
    empty texts become null, and numbers have twelve significant digits, but for those that a source prints."""
    cast = partial(_cast, frame, is_rounded=table.name not in AS_PRINTED)
    made = pd.DataFrame({column.name: cast(column) for column in table.columns}, frame.index)
    if is_increasing(made[table.key]):
        return made.reset_index(drop=True)
    return made.sort_values(list(table.primary_key), kind="stable", ignore_index=True)


def _cast(frame: pd.DataFrame, column: Column, is_rounded: bool) -> pd.Series:
    """The column in the dtype of its published type."""
    cells = frame[column.name] if column.name in frame else pd.Series(None, frame.index, dtype="object")
    cast = cells.astype(DTYPES[column.type])
    if column.type in ("string", "list"):
        has_empty = pc.min(pc.binary_length(to_text_array(cast))).as_py() == 0  # ten times as quick as the comparison
        return cast.mask(cast == "") if has_empty else cast
    return pd.Series(significant(cast.to_numpy()), frame.index) if column.type == "number" and is_rounded else cast


def to_arrow(frame: pd.DataFrame, table: TableSchema) -> pa.Table:
    """A conformed frame as an Arrow table; ;-joined lists become Arrow lists. The metadata of its schema has the key;
    that of each field has description, unit, derivation and the field that claims state."""
    arrays, fields = [], []
    for c in table.columns:
        about = {"description": c.description, "unit": c.unit, "derived": c.derived, "claim": c.claim}
        known = {key: value for key, value in about.items() if value is not None}
        fields.append(pa.field(c.name, ARROW[c.type], nullable=not c.required, metadata=known))
        array = to_text_array(frame[c.name]) if c.type in ("string", "list") else pa.array(frame[c.name])
        arrays.append((pc.split_pattern(array, LIST_SEPARATOR) if c.type == "list" else array).cast(ARROW[c.type]))
    about = {"title": table.title, "description": table.description, "primary_key": ";".join(table.primary_key)}
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=about))


def from_arrow(data: pa.Table, table: TableSchema) -> pd.DataFrame:
    """The inverse of `to_arrow`: a conformed frame, lists ;-joined, integers and booleans nullable."""
    for name in [c.name for c in table.columns if c.type == "list"]:
        texts = pc.binary_join(data[name].combine_chunks(), LIST_SEPARATOR).cast(pa.string())
        data = data.set_column(data.schema.get_field_index(name), name, texts)
    return conform(data.to_pandas(integer_object_nulls=True, date_as_object=False), table)


def load_frame(file: Path, where: str, table: TableSchema, remedy: str) -> pd.DataFrame:
    """A table that we have written as Parquet. Raises DataError where the file is missing, cut or no Parquet."""
    try:
        return from_arrow(parquet.read_table(file), table)
    except (pa.ArrowException, OSError) as error:
        raise DataError.of(where, f"cannot be read: {str(error).splitlines()[0]}", remedy) from error


# --- Text columns


def mapped(texts: pd.Series, values: Mapping[Any, object], dtype: str) -> pd.Series:
    """The entry of `values` for each text, or null where there is none; each distinct text is looked up once."""
    codes, distinct = texts.factorize()
    found = pd.Series([values.get(text) for text in distinct], dtype=dtype).array
    return pd.Series(found.take(codes, allow_fill=True), index=texts.index)


def items_of(lists: pd.Series) -> tuple[pd.Series, np.ndarray]:
    """Each item of ;-joined lists, and the place of the list that it stands in."""
    split = pc.split_pattern(to_text_array(lists), LIST_SEPARATOR)
    return pd.Series(pc.list_flatten(split), dtype="str"), pc.list_parent_indices(split).to_numpy()


def iso_days(days: pd.Series) -> pd.Series:
    """Days as texts like 2026-03-30, null where there is none."""
    return mapped(days, {day: f"{day:%Y-%m-%d}" for day in days.dropna().unique()}, "str")


def is_in(values: pd.Series | pd.Index, allowed: Iterable[str]) -> np.ndarray:
    """Whether each text is one of the allowed ones."""
    found: np.ndarray = pc.is_in(to_text_array(values), value_set=to_text_array(allowed)).to_numpy(zero_copy_only=False)
    return found


def is_increasing(texts: pd.Series) -> bool:
    """Whether each text comes after the one before it: then they are sorted, and none recurs or is null."""
    cells = to_text_array(texts)
    return not cells.null_count and pc.all(pc.less(cells[:-1], cells[1:]), min_count=0).as_py()


def to_text_array(texts: Iterable[str]) -> Any:
    """The texts as one Arrow array; null for what is none."""
    array = pa.array(texts, type=pa.string(), from_pandas=True)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def spare_memory() -> None:
    """Lets memory go back to the system once it is free. glibc keeps what was freed below a block in use, unless blocks
    of so many bytes (-3, M_MMAP_THRESHOLD) are mapped alone: a column of numbers of all claims has more. A lower
    threshold slows the build; without one it needs a tenth more memory. Only glibc has this setting."""
    pa.set_memory_pool(pa.system_memory_pool())
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(-3, 2**19)


# --- Digits: no figure hangs on the last bit, which each processor may choose for a logarithm, a power or a sum


def significant(values: np.ndarray, digits: int = PUBLISHED) -> np.ndarray:
    """The numbers to so many significant digits, each the float nearest to that decimal. Nulls stay null."""
    rounded = values.astype("float64")
    with np.errstate(divide="ignore"):
        place = np.floor(np.log10(np.abs(rounded))) - (digits - 1)
    exact = np.abs(place) < len(EXACT)
    some, power = rounded[exact], EXACT[np.abs(place[exact]).astype("int64")]
    is_below = np.signbit(place[exact])
    rounded[exact] = np.where(is_below, np.round(some * power) / power, np.round(some / power) * power)
    others = ~exact & ~np.isnan(rounded)
    rounded[others] = [float(f"{value:.{digits}g}") for value in rounded[others].tolist()]
    return rounded
