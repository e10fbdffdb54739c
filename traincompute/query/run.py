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
GRACE_S = 5.0  # within which DuckDB looks for an interrupt, but for long steps such as a function over a long list
Parameters = Mapping[str, Any] | None


class Options(NamedTuple):
    """How a query is run and shown: rows at most, seconds at most, human numbers, timing line, and what to do where
    DuckDB does not stop in time."""

    limit: int | None = None
    timeout_s: float = 60.0
    human: bool = False
    timing: bool = False
    give_up: Callable[[str], object] = lambda _: None


DEFAULT = Options()


def run(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Parameters = None, options: Options = DEFAULT
) -> Result:
    """The result of the query, in batches of tuples. What it can reach is for the connection to say.

    Raises QueryError for a query that does not read or fails, QueryTimeoutError for one that takes too long, also while
    the batches are read; the time that the caller needs between them does not count."""
    limited = _time_limit(connection, query, options)
    with limited():
        cursor = connection.execute(_checked_statement(connection, query), parameters or None)
        columns = cursor.description or []
    result = Result(unique([str(column[0]) for column in columns]), [str(column[1]) for column in columns], iter(()))

    def batches() -> Iterator[list[Any]]:
        """Enters in the result how many rows there were, and whether there are more than the limit allows."""
        while not result.cut:
            with limited():
                batch = cursor.fetchmany(BATCH_ROWS)
            left = len(batch) if options.limit is None else options.limit - result.rows
            result.cut = len(batch) > left
            result.rows += len(batch[:left])
            if not batch[:left]:
                return
            yield batch[:left]

    result.batches = batches()
    return result


def run_to_table(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Parameters = None, options: Options = DEFAULT
) -> pa.Table:
    """The whole result as an Arrow table. Raises QueryError as `run`, and for one that is too large for memory."""
    import pyarrow as pa

    limited, left = _time_limit(connection, query, options), LARGEST_TABLE
    with limited():
        _checked_statement(connection, query)
        reader = connection.sql(query, params=parameters or None).arrow(BATCH_ROWS)
    batches: list[pa.RecordBatch] = []
    with reader:  # a result that is not read to its end would hold the file
        while True:
            with limited():
                batch = next(reader, None)
            if batch is None:
                table = pa.Table.from_batches(batches, reader.schema)
                return table.rename_columns(unique(table.column_names))
            batches.append(batch)
            left -= batch.nbytes
            if left < 0:
                size = f"{LARGEST_TABLE / 1e9:g} GB"
                raise QueryError(f"the result is larger than {size}; select fewer rows or columns")


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
    connection: duckdb.DuckDBPyConnection, query: str, options: Options
) -> Callable[[], AbstractContextManager[None]]:
    """What DuckDB does in these contexts takes at most the seconds of the options in all. Raises QueryTimeoutError when
    they are over, and QueryError with a message for people for any other error of DuckDB."""
    left = options.timeout_s
    stopped = f"stopped after {left:g} s; --timeout SECONDS allows it more time"

    @contextmanager
    def limited() -> Iterator[None]:
        nonlocal left
        start = monotonic()
        timers = Timer(left, connection.interrupt), Timer(left + GRACE_S, options.give_up, [stopped])
        for timer in timers:
            timer.daemon = True
            timer.start()
        try:
            yield
        except duckdb.InterruptException as error:
            raise QueryTimeoutError(stopped) from error
        except (duckdb.Error, MemoryError) as error:
            from traincompute.query.errors import plain  # nothing but an error needs it

            raise QueryError(plain(connection, query, error, MEMORY_LIMIT)) from error
        finally:
            for timer in timers:
                timer.cancel()
            left -= monotonic() - start

    return limited


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
