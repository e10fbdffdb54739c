"""Arrow tables as DataFrames with the dtypes of the dataset."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa


def to_frame(data: pa.Table) -> pd.DataFrame:
    """An Arrow table as a DataFrame with the dtypes of the dataset; lists become Python lists."""
    for number, field in enumerate(data.schema):
        if pa.types.is_date(field.type):  # pandas would make milliseconds of it
            data = data.set_column(number, field.name, data[number].cast(pa.timestamp("s")))
        elif pa.types.is_decimal(field.type):  # DuckDB's sum of integers
            data = data.set_column(number, field.name, data[number].cast(pa.float64()))
    is_list = [pa.types.is_list(field.type) for field in data.schema]
    plain = data.select([number for number, nested in enumerate(is_list) if not nested])
    frame: pd.DataFrame = plain.to_pandas(types_mapper=_dtypes().get)
    columns = {
        field.name: pd.Series(data[field.name].to_pylist(), dtype="object") if nested else frame[field.name]
        for field, nested in zip(data.schema, is_list, strict=True)
    }
    return pd.DataFrame(columns, index=frame.index)


def _dtypes() -> dict[pa.DataType, Any]:
    """Arrow type → pandas dtype, for those that pandas would turn into another where a value is missing."""
    sizes = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    names = {size: size.replace("int", "Int").replace("uI", "UI") for size in sizes}
    return {pa.bool_(): pd.BooleanDtype()} | {
        pa.type_for_alias(size): pd.api.types.pandas_dtype(name) for size, name in names.items()
    }
