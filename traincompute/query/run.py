"""One query of a user that reads, bounded in rows and time; its result comes in batches, as tuples or Arrow record
batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Any, NamedTuple

import duckdb

from traincompute.base.errors import QueryError, QueryTimeoutError
from traincompute.database import MEMORY_LIMIT
from traincompute.query.rows import arrow_batches
from traincompute.show.rows import Result

BATCH_ROWS = 10_000
READING = ("SELECT", "EXPLAIN", "MULTI")  # a PIVOT that looks up its own columns is several statements to DuckDB
THREAD = "query of traincompute"
GRACE_S = 3.0  # some functions do not listen to an interrupt
Limited = Callable[[Callable[[], Any]], Any]


class Options(NamedTuple):
    """How a query is run and shown: rows at most, seconds at most, human numbers, timing line, Parquet file."""

    limit: int | None = None
    timeout_s: float = 60.0
    human: bool = False
    timing: bool = False
    parquet: str | None = None


@contextmanager
def plain_errors(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[None]:
    """Turns DuckDB's errors, and a lack of memory, into a QueryError for people."""
    try:
        yield
    except (duckdb.Error, MemoryError) as error:
        from traincompute.query.errors import plain  # nothing but an error needs it

        raise QueryError(plain(connection, query, error, MEMORY_LIMIT)) from error


def checked_statement(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    """The one statement of the query. Raises QueryError for none, several, or one that does not read. What it can reach
    is for the connection to say."""
    statements = connection.extract_statements(query)
    if len(statements) != 1:
        many = f"one statement at a time, please: this is {len(statements)}"
        raise QueryError(many if statements else "the query is empty")
    try:
        kind = statements[0].type.name
    except ValueError:  # DuckDB has kinds that its Python package has no name for
        kind = "this"
    if kind not in READING:
        raise QueryError(
            f"{kind} is not for `sql`, which only reads: SELECT, WITH, FROM, DESCRIBE, SUMMARIZE, PIVOT, EXPLAIN"
        )
    return statements[0]


def limit_time(connection: duckdb.DuckDBPyConnection, seconds: float) -> Limited:
    """A function that runs others in turn, for at most that many seconds in all; the time spent on printing does not
    count.

    They run in a thread, because DuckDB blocks Ctrl-C. Raises QueryTimeoutError when the time is up. A query that does
    not listen to its interruption goes on in its thread, which ends with the process."""
    left = seconds

    def limited(work: Callable[[], Any]) -> Any:
        nonlocal left
        done, outcome, start = Event(), list[Any](), monotonic()

        def run() -> None:
            try:
                outcome.append(work())
            except BaseException as error:  # raised again where the result is awaited
                outcome.append(error)
            done.set()

        Thread(target=run, name=THREAD, daemon=True).start()
        in_time = False
        try:
            in_time = done.wait(max(0.0, left))
        finally:
            if not in_time:
                connection.interrupt()
                done.wait(GRACE_S)
        if not in_time:
            raise QueryTimeoutError(f"stopped after {seconds:g} s; --timeout SECONDS allows it more time")
        left -= monotonic() - start
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]

    return limited


def rows_result(
    connection: duckdb.DuckDBPyConnection,
    statement: duckdb.Statement,
    parameters: Mapping[str, Any] | None,
    options: Options,
    limited: Limited,
) -> Result:
    """The result whose batches are lists of tuples."""
    cursor = limited(lambda: connection.execute(statement, parameters or None))
    described = cursor.description or []
    result = Result(unique([str(c[0]) for c in described]), [str(c[1]) for c in described], iter(()))
    result.batches = _batches(result, options.limit, lambda: limited(lambda: cursor.fetchmany(BATCH_ROWS)))
    return result


def arrow_result(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    parameters: Mapping[str, Any] | None,
    options: Options,
    limited: Limited,
) -> Result:
    """The result whose batches are pyarrow record batches with the result's schema; the first one may be empty."""
    import pyarrow as pa  # for Parquet and frames alone: `sql` starts in half the time without it

    reader = limited(lambda: arrow_batches(connection.sql(query, params=parameters or None), BATCH_ROWS))
    names = unique(reader.schema.names)
    result = Result(names, [str(field.type) for field in reader.schema], iter(()))

    def batches() -> Iterator[Any]:
        with reader:  # a result that is not read to its end would hold the file
            yield pa.RecordBatch.from_pylist([], reader.schema).rename_columns(names)
            for batch in _batches(result, options.limit, lambda: limited(lambda: next(reader, None))):
                yield batch.rename_columns(names)

    result.batches = batches()
    return result


def _batches(result: Result, limit: int | None, read: Callable[[], Any]) -> Iterator[Any]:
    """The batches up to the limit; whether there was more, and how many rows there were, is entered in the result."""
    while not result.cut and (batch := read()):
        left = len(batch) if limit is None else limit - result.rows
        result.cut = len(batch) > left
        batch = batch[:left]
        result.rows += len(batch)
        if len(batch):
            yield batch


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
