"""Whether a Parquet or DuckDB file says the truth about its own columns. Readers skip the rows that cannot match by the least
and largest values that a file states: where those are false, whoever filters gets other answers than whoever reads it all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

MAGIC, LENGTH = 4, 4  # bytes at both ends of a Parquet file, and of the length of its description
KNOWN = {b"title", b"description", b"primary_key", b"ARROW:schema"}  # what a release's Parquet file says of itself
SEGMENTS = """select column_name, row_group_id, start, count from pragma_storage_info({table})
where segment_type <> 'VALIDITY' order by all"""
TOGETHER = 100  # filters in one query


class Extremes(NamedTuple):
    """The least and the largest value of a column, or of a part of it, and how many of its cells are empty."""

    least: Any
    largest: Any
    empty: int


def extremes(column: pa.ChunkedArray | pa.Array) -> Extremes:
    """Those of a list are those of its items."""
    found = pc.min_max(pc.list_flatten(column) if pa.types.is_list(column.type) else column).as_py()
    return Extremes(found["min"], found["max"], column.null_count)


def parquet_fault(path: Path, file: parquet.ParquetFile) -> str:
    """What the file says that is not so, or has besides its columns; "" where there is nothing."""
    about, schema = file.metadata, file.schema_arrow
    if extra := set(about.metadata or {}) - KNOWN:
        return f"says of itself what no release says: {min(extra).decode(errors='replace')[:50]!a}"
    if about.num_columns != len(schema) or not _holds_columns_alone(path, about):
        return "has bytes that are of none of its columns"
    for group in range(about.num_row_groups):
        for number, name in enumerate(schema.names):
            stated = about.row_group(group).column(number).statistics
            if stated is not None and not _is_true(stated, file.read_row_group(group, [name], use_threads=False)[name]):
                return f"says the least or largest value of {name}, or how many cells are empty, otherwise than it is"
    return ""


def _holds_columns_alone(path: Path, about: parquet.FileMetaData) -> bool:
    """Whether the columns stand one behind the other, and then what the file says of itself."""
    with path.open("rb") as raw:
        described = raw.seek(-MAGIC - LENGTH, 2)
        described -= int.from_bytes(raw.read(LENGTH), "little")
    place = MAGIC
    for group in map(about.row_group, range(about.num_row_groups)):
        for chunk in map(group.column, range(about.num_columns)):
            start = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
            if chunk.total_compressed_size and place != start:  # a column without rows may have no bytes
                return False
            place += chunk.total_compressed_size
    return place == described


def _is_true(stated: parquet.Statistics, column: pa.ChunkedArray) -> bool:
    found = extremes(column)
    is_so = not stated.has_min_max or (stated.min, stated.max) == found[:2]
    return is_so and (not stated.has_null_count or stated.null_count == found.empty)


def database_fault(connection: duckdb.DuckDBPyConnection, table: str, file: parquet.ParquetFile) -> str:
    """What the DuckDB file answers about a table, whose rows are those of the Parquet file, to whoever asks for the least
    and largest values or filters by them, that is not so; "" where there is nothing."""
    segments = connection.execute(SEGMENTS.format(table=_literal(table))).fetchall()
    wanted: list[tuple[str, str, int]] = []
    for field in file.schema_arrow:
        column, name = file.read([field.name], use_threads=False)[field.name], f'"{field.name}"'
        wanted += [(name, "is null", column.null_count), (name, "is not null", len(column) - column.null_count)]
        if not pa.types.is_list(field.type):
            least, largest, _ = extremes(column)
            # of one column alone: asked for several at once, DuckDB may read the rows rather than what is stated of them
            query = f'select min({name}), max({name}) from main."{table}"'
            if connection.execute(query).fetchall() != [(least, largest)]:
                return f"its least or largest value of {field.name} in {table} is not that of the rows"
            parts = _stretches([row[1:] for row in segments if row[0] == field.name], column)
            ends = {value for part in parts for value in extremes(part)[:2]} - {None}
            wanted += [(name, f"= {_literal(value)}", pc.sum(pc.equal(column, value)).as_py()) for value in ends]
    for start in range(0, len(wanted), TOGETHER):
        if name := _misses(connection, table, wanted[start : start + TOGETHER]):
            return f"whoever filters {table} by {name} does not get the rows that are there"
    return ""


def _misses(connection: duckdb.DuckDBPyConnection, table: str, wanted: list[tuple[str, str, int]]) -> str:
    """The column of which a filter does not find as many rows as there are; "" where all do."""
    counts = (
        f'(select {number} as number, count(*) as rows from main."{table}" where {name} {condition})'
        for number, (name, condition, _) in enumerate(wanted)
    )
    found = dict(connection.execute(" union all ".join(counts)).fetchall())
    return next((name.strip('"') for number, (name, _, rows) in enumerate(wanted) if found[number] != rows), "")


def _stretches(segments: list[tuple[int, int, int]], column: pa.ChunkedArray) -> Iterator[pa.ChunkedArray]:
    """The rows of each stretch for which the DuckDB file states a least and a largest value."""
    ends: dict[int, int] = {}
    for group, start, count in segments:
        ends[group] = max(ends.get(group, 0), start + count)
    for group, start, count in segments:
        yield column.slice(sum(end for other, end in ends.items() if other < group) + start, count)


def _literal(value: str | float | date) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"date '{value}'" if isinstance(value, date) else repr(value) + "::double" * isinstance(value, float)
