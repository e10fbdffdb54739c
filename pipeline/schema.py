"""The published tables as schemas/*.yml describe them: the only place where a column is described.

From here come the pandera checks (validate.py), the Arrow and DuckDB types and comments, and the data dictionary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import DataError, Problem
from pipeline.paths import Paths
from pipeline.yamlfile import load_yaml

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

LIST_SEPARATOR = ";"
# published type: (pandas dtype, Arrow type, DuckDB type, words for people). Lists are ;-joined text in pandas.
TYPES = {
    "string": ("str", "string", "VARCHAR", "text"),
    "number": ("float64", "float64", "DOUBLE", "number"),
    "integer": ("Int64", "int64", "BIGINT", "integer"),
    "boolean": ("boolean", "bool", "BOOLEAN", "true or false"),
    "date": ("datetime64[s]", "date32", "DATE", "date"),
    "list": ("str", "list<string>", "VARCHAR[]", "list of text"),
}


@dataclass(frozen=True)
class Column:
    """One column of a published table."""

    name: str
    type: str
    description: str
    unit: str | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    warn: Mapping[str, Any] = field(default_factory=dict)
    vocab: str | None = None
    claim: str | None = None
    set: bool = False
    derived: str | None = None
    references: str | None = None
    example: Any = None

    @property
    def required(self) -> bool:
        return bool(self.constraints.get("required"))

    @property
    def comment(self) -> str:
        """Description, unit and derivation in one line, as DuckDB and the dictionary show it."""
        unit = f" [{self.unit}]" if self.unit else ""
        return f"{self.description}{unit}" + (f". Derived: {self.derived}" if self.derived else "")


@dataclass(frozen=True)
class TableSchema:
    """One published table."""

    name: str
    title: str
    description: str
    primary_key: tuple[str, ...]
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


@cache
def load_schemas(paths: Paths) -> dict[str, TableSchema]:
    """Every table below schemas/ by name. Raises DataError for a key or type that is not known."""
    tables = [_table(file, paths.short(file)) for file in sorted(paths.schemas.glob("*.yml"))]
    return {table.name: table for table in tables}


def load_schema(file: Path, paths: Paths) -> TableSchema:
    """One schema that is not among the published tables, such as a product's."""
    return _table(file, paths.short(file))


def _table(file: Path, where: str) -> TableSchema:
    raw = load_yaml(file, where)
    known = set(Column.__dataclass_fields__)
    faults = [(f["name"], key) for f in raw["fields"] for key in f if key not in known]
    faults += [(f["name"], f"type {f['type']}") for f in raw["fields"] if f["type"] not in TYPES]
    if faults:
        raise DataError(
            Problem(
                where,
                name,
                "",
                "",
                f"unknown {key}",
                f"known keys: {', '.join(sorted(known))}; types: {', '.join(TYPES)}",
            )
            for name, key in faults
        )
    columns = tuple(Column(**f) for f in raw["fields"])
    return TableSchema(raw["name"], raw["title"], raw["description"], tuple(raw["primaryKey"]), columns)


def empty_frame(table: TableSchema) -> pd.DataFrame:
    """A frame of no rows with the table's columns and dtypes."""
    import pandas as pd

    return pd.DataFrame({column.name: pd.Series([], dtype=TYPES[column.type][0]) for column in table.columns})


def conform(frame: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The frame with exactly the table's columns in their order and dtypes (absent columns and empty texts null), sorted by the key."""
    import pandas as pd

    absent = pd.Series(None, index=frame.index)
    series = {c.name: _cast(frame.get(c.name, absent), c.type) for c in table.columns}
    made = pd.DataFrame(series, index=frame.index)
    key = list(table.primary_key)
    if len(key) == 1 and made[key[0]].is_monotonic_increasing:
        return made.reset_index(drop=True)
    return made.sort_values(key, kind="stable", ignore_index=True)


def _cast(series: pd.Series, type_name: str) -> pd.Series:
    """The column in the dtype of its published type; an empty text is null."""
    cast = series.astype(TYPES[type_name][0])
    empty = cast == "" if type_name in ("string", "list") else None
    return cast if empty is None or not empty.any() else cast.mask(empty)


def arrow_schema(table: TableSchema) -> pa.Schema:
    """The Arrow schema: key in its metadata; description, unit, derivation and field of the claims in that of each field."""
    import pyarrow as pa

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
    """A conformed frame as an Arrow table of the table's schema; lists become lists."""
    import pyarrow as pa

    schema = arrow_schema(table)
    arrays = [_to_array(frame[c.name], c, schema.field(c.name).type) for c in table.columns]
    return pa.Table.from_arrays(arrays, schema=schema)


def _to_array(series: pd.Series, column: Column, arrow_type: pa.DataType) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type == "list":
        texts = pa.array(series, type=pa.string(), from_pandas=True)
        return pc.split_pattern(texts, LIST_SEPARATOR).cast(arrow_type)
    array = pa.array(series, from_pandas=True)
    return (array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array).cast(arrow_type)


def from_arrow(data: pa.Table, table: TableSchema) -> pd.DataFrame:
    """The reverse of `to_arrow`: a conformed frame, lists ;-joined, integers and booleans nullable."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = [c.name for c in table.columns if c.type == "list"]
    for name in lists:
        joined = pc.binary_join(data[name].combine_chunks(), LIST_SEPARATOR).cast(pa.string())
        data = data.set_column(data.schema.get_field_index(name), name, joined)
    return conform(data.to_pandas(integer_object_nulls=True, date_as_object=False), table)


def create_table(table: TableSchema) -> list[str]:
    """DuckDB statements that create the table with key, types and a comment on it and on every column."""
    columns = [f'"{c.name}" {TYPES[c.type][2]}' + (" NOT NULL" if c.required else "") for c in table.columns]
    key = ", ".join(f'"{name}"' for name in table.primary_key)
    return [
        f'CREATE TABLE "{table.name}" ({", ".join(columns)}, PRIMARY KEY ({key}))',
        f'COMMENT ON TABLE "{table.name}" IS {_quote(table.title + ". " + table.description)}',
        *(f'COMMENT ON COLUMN "{table.name}"."{c.name}" IS {_quote(c.comment)}' for c in table.columns),
    ]


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def dictionary(tables: Mapping[str, TableSchema]) -> str:
    """docs/data-dictionary.md: every column of every table, generated."""
    head = (
        "# Data dictionary\n\nGenerated from `schemas/*.yml` by `traincompute docs`; edit those files, not this one.\n"
    )
    return head + "".join(_dictionary_table(table) for table in tables.values())


def _dictionary_table(table: TableSchema) -> str:
    rows = [
        f"| `{c.name}` | {TYPES[c.type][3]} | {c.unit or ''} | {_cell(c)} | {c.example if c.example is not None else ''} |"
        for c in table.columns
    ]
    head = f"\n## {table.name}\n\n{table.title}. {table.description}\n\nKey: `{', '.join(table.primary_key)}`\n\n"
    return head + "| column | type | unit | meaning | example |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n"


def _cell(column: Column) -> str:
    vocabulary = f" Codes: `schemas/vocab/{column.vocab}.yml`." if column.vocab else ""
    derived = f" *Derived:* {column.derived}." if column.derived else ""
    required = " Never null." if column.required else ""
    return f"{column.description}.{derived}{vocabulary}{required}".replace("|", "\\|").replace("..", ".")
