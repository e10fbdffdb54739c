"""One query of a user that reads, bounded in rows and time; its result comes in batches, as tuples or Arrow record
batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from traincompute.base.engine import duckdb
from traincompute.base.errors import QueryError, QueryTimeoutError
from traincompute.database import MEMORY_LIMIT
from traincompute.show.rows import Result

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 10_000
READING = ("SELECT", "EXPLAIN", "MULTI")  # a PIVOT that looks up its own columns is several statements to DuckDB
LARGEST_TABLE = 1_000_000_000  # bytes of a result in memory
Parameters = Mapping[str, Any] | None


class Options(NamedTuple):
    """How a query is run and shown: rows at most, seconds at most, human numbers, timing line, Parquet file."""

    limit: int | None = None
    timeout_s: float = 60.0
    human: bool = False
    timing: bool = False
    parquet: str | None = None


def run(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    parameters: Parameters = None,
    options: Options | None = None,
    in_arrow: bool = False,
) -> Result:
    """The result of the query. Its batches are lists of tuples, or `in_arrow` record batches with the result's schema,
    of which the first is empty. What it can reach is for the connection to say.

    Raises QueryError for a query that does not read or fails, QueryTimeoutError for one that takes too long, also while
    the batches are read; the time that the caller needs between them does not count."""
    limit, seconds = (options or Options())[:2]
    limited = _time_limit(connection, query, seconds)
    with limited():
        statement = _checked_statement(connection, query)
        if not in_arrow:
            cursor = connection.execute(statement, parameters or None)
            columns = [(str(column[0]), str(column[1])) for column in cursor.description or []]
        else:
            import pyarrow as pa

            reader = connection.sql(query, params=parameters or None).to_arrow_reader(BATCH_ROWS)
            columns = [(field.name, str(field.type)) for field in reader.schema]
    names = unique([name for name, _ in columns])
    result = Result(names, [kind for _, kind in columns], iter(()))

    def arrow_batches() -> Iterator[Any]:
        with reader:  # a result that is not read to its end would hold the file
            yield pa.RecordBatch.from_pylist([], reader.schema).rename_columns(names)
            for batch in _batches(result, limit, limited, lambda: next(reader, None)):
                yield batch.rename_columns(names)

    result.batches = (
        arrow_batches() if in_arrow else _batches(result, limit, limited, lambda: cursor.fetchmany(BATCH_ROWS))
    )
    return result


def run_to_table(connection: duckdb.DuckDBPyConnection, query: str, parameters: Parameters = None) -> pa.Table:
    """The whole result as an Arrow table. Raises QueryError as `run`, and for one that is too large for memory."""
    import pyarrow as pa

    batches, left = [], LARGEST_TABLE
    for batch in run(connection, query, parameters, in_arrow=True).batches:
        batches.append(batch)
        left -= batch.nbytes
        if left < 0:
            size = f"{LARGEST_TABLE / 1e9:g} GB"
            raise QueryError(f"the result is larger than {size}; select fewer rows or columns")
    return pa.Table.from_batches(batches)


def _checked_statement(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    """The one statement of the query. Raises QueryError for none, several, or one that does not read."""
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


def _time_limit(
    connection: duckdb.DuckDBPyConnection, query: str, seconds: float
) -> Callable[[], AbstractContextManager[None]]:
    """What DuckDB does in these contexts takes at most that many seconds in all. Raises QueryTimeoutError when they are
    over, and QueryError with a message for people for any other error of DuckDB."""
    left = seconds

    @contextmanager
    def limited() -> Iterator[None]:
        nonlocal left
        start, timer = monotonic(), Timer(left, connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (duckdb.Error, MemoryError) as error:
            if isinstance(error, duckdb.InterruptException):
                message = f"stopped after {seconds:g} s; --timeout SECONDS allows it more time"
                raise QueryTimeoutError(message) from error
            from traincompute.query.errors import plain  # nothing but an error needs it

            raise QueryError(plain(connection, query, error, MEMORY_LIMIT)) from error
        finally:
            timer.cancel()
            left -= monotonic() - start

    return limited


def _batches(
    result: Result,
    limit: int | None,
    limited: Callable[[], AbstractContextManager[None]],
    read: Callable[[], Any],
) -> Iterator[Any]:
    """The batches up to the limit; whether there was more, and how many rows there were, is entered in the result."""
    while not result.cut:
        with limited():
            batch = read()
        if not batch:
            return
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
