"""The result of a user's query in batches of bounded size, as tuples or Arrow record batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import duckdb

from traincompute.query.rows import arrow_batches
from traincompute.query.sealed import Limited
from traincompute.show.rows import Result

BATCH_ROWS = 10_000


class Options(NamedTuple):
    """How a query is run and shown: rows at most, seconds at most, human numbers, timing line, Parquet file."""

    limit: int | None = None
    timeout_s: float = 60.0
    human: bool = False
    timing: bool = False
    parquet: str | None = None


def rows_result(
    connection: duckdb.DuckDBPyConnection,
    statement: duckdb.Statement,
    parameters: Mapping[str, Any] | None,
    options: Options,
    limited: Limited,
) -> Result:
    cursor = limited(lambda: connection.execute(statement, parameters or None))
    described = cursor.description or []
    result = Result(unique([str(c[0]) for c in described]), [str(c[1]) for c in described], iter(()))

    def batches() -> Iterator[list[tuple[Any, ...]]]:
        while True:
            wanted = BATCH_ROWS if options.limit is None else min(BATCH_ROWS, options.limit - result.rows + 1)
            batch = limited(partial(cursor.fetchmany, wanted))
            if options.limit is not None and result.rows + len(batch) > options.limit:
                result.cut = True
                batch = batch[: options.limit - result.rows]
            result.rows += len(batch)
            if batch:
                yield batch
            if not batch or result.cut:
                return

    result.batches = batches()
    return result


def arrow_result(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    parameters: Mapping[str, Any] | None,
    options: Options,
    limited: Limited,
) -> Result:
    """The result whose batches are pyarrow record batches with the result's schema; the first one may be empty."""
    reader = limited(lambda: arrow_batches(connection.sql(query, params=parameters or None), BATCH_ROWS))
    names = unique(reader.schema.names)
    result = Result(names, [str(field.type) for field in reader.schema], iter(()))

    def batches() -> Iterator[Any]:
        import pyarrow as pa  # for Parquet alone: `sql` starts in half the time without it

        with reader:  # a result that is not read to its end would hold the file
            yield pa.RecordBatch.from_pylist([], reader.schema).rename_columns(names)
            while not result.cut:
                try:
                    batch = limited(reader.read_next_batch)
                except StopIteration:
                    return
                left = batch.num_rows if options.limit is None else options.limit - result.rows
                result.cut = batch.num_rows > left
                batch = batch.slice(0, left).rename_columns(names)
                result.rows += batch.num_rows
                yield batch

    result.batches = batches()
    return result


def unique(names: Sequence[str]) -> list[str]:
    """The names, the second `a` becoming a_1, so that a row can be a record."""
    taken: dict[str, None] = {}
    for name in names:
        number, fresh = 0, name
        while fresh in taken:
            number += 1
            fresh = f"{name}_{number}"
        taken[fresh] = None
    return list(taken)
