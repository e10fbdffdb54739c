"""Runs one SQL query on a dataset file: read-only, sealed off from files, network and settings, bounded in time and
memory. What is refused or fails ends with exit code 1 and one clear message; traincompute/show/rows.py prints the rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import duckdb

from traincompute.base.errors import FileError, QueryError, QueryTimeoutError

MEMORY_LIMIT = "2GB"
# read_only alone lets a query read and write any other file; nothing may spill to disk either
SEAL: Mapping[str, str] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "max_temp_directory_size": "0B",
    "threads": "2",
    "lock_configuration": "true",
}
READING = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "DESCRIBE", "DESC", "SHOW", "SUMMARIZE", "PIVOT", "UNPIVOT")
# a PIVOT that looks up its own columns is several statements to DuckDB
READING_KINDS = ("SELECT", "EXPLAIN", "MULTI")
# compiled where they are used: what asks questions of its own starts sooner
BEFORE_FIRST_WORD = r"(?s)(?:\s|\(|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*"
EXPLAIN = r"(?i)explain\b\s*(?:analyze\b|\([^)]*\))?"
THREAD = "query of traincompute"
CLOSING = f"end of a {THREAD}"
GRACE_S = 3.0  # some functions do not listen to an interrupt: list_transform over 5e7 items went on for 15 s


Limited = Callable[[Callable[[], Any]], Any]


@contextmanager
def open_sealed(path: str | Path, memory: str = MEMORY_LIMIT) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection from which nothing but the tables of the file can be reached (":memory:" has none yet, and
    takes some). Raises FileError
    where the file cannot be opened, or is found to be cut or to be another dataset when it is read."""
    config: dict[str, str | bool | int | float | list[str]] = {**SEAL, "memory_limit": memory}
    try:
        connection = duckdb.connect(str(path), read_only=str(path) != ":memory:", config=config)
    except duckdb.Error as error:
        raise FileError(f"{path} cannot be opened: {_first_line(error)}") from error
    try:
        yield connection
    except duckdb.Error as error:
        remedy = "build the dataset or download the release again"
        raise FileError(f"{path} cannot be read: {_first_line(error)}; {remedy}") from error
    finally:
        with suppress(duckdb.Error):  # while a query that listens to no interruption holds it
            connection.close()


def _first_line(error: duckdb.Error) -> str:
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(error).splitlines()[0])


@contextmanager
def plain_errors(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[None]:
    """Turns DuckDB's errors into a QueryError for people."""
    try:
        yield
    except duckdb.Error as error:
        from traincompute.query.errors import plain  # nothing but an error needs it

        raise QueryError(plain(connection, query, error, MEMORY_LIMIT)) from error


def checked_statement(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    """The one statement of the query. Raises QueryError for none, several, or one that does not read."""
    statements = connection.extract_statements(query)
    if not statements:
        raise QueryError("the query is empty")
    if len(statements) > 1:
        raise QueryError(f"one statement at a time, please: this is {len(statements)}")
    [statement] = statements
    try:
        kind = statement.type.name
    except ValueError:  # DuckDB has kinds that its Python package has no name for, such as UPDATE EXTENSIONS
        kind = "UNKNOWN"
    begun = re.sub(BEFORE_FIRST_WORD, "", query, count=1)
    inner = re.match(EXPLAIN, begun)
    if kind == "EXPLAIN" and inner:
        checked_statement(connection, begun[inner.end() :])
        return statement
    first, *_ = re.split("[^A-Za-z_]", begun)
    word = first.upper()
    if kind not in READING_KINDS or word not in READING:
        what = kind if word in READING else word or kind
        raise QueryError(
            f"{what} is not for `sql`, which only reads: SELECT, WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE, PIVOT, EXPLAIN"
        )
    return statement


def limit_time(connection: duckdb.DuckDBPyConnection, seconds: float) -> Limited:
    """A function that runs others in turn, for at most that many seconds in all; the time spent on printing does not count.

    They run in a thread, because DuckDB blocks Ctrl-C. Raises QueryTimeoutError when the time is up. A query that does not
    listen to its interruption goes on in its thread, which ends with the process."""
    left = seconds

    def limited(work: Callable[[], Any]) -> Any:
        nonlocal left
        done, outcome = _started(work)
        start = monotonic()
        try:
            in_time = done.wait(max(0.0, left))
        except KeyboardInterrupt:
            _interrupt(connection, done)
            raise
        if not in_time:
            _interrupt(connection, done)
            raise QueryTimeoutError(f"stopped after {seconds:g} s; --timeout SECONDS allows it more time")
        left -= monotonic() - start
        [ended] = outcome
        if isinstance(ended, BaseException):
            raise ended
        return ended

    return limited


def _started(work: Callable[[], Any]) -> tuple[Event, list[Any]]:
    done, outcome = Event(), list[Any]()

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # raised again where the result is awaited
            outcome.append(error)
        finally:
            done.set()

    # not joined: in Python 3.11 a join that Ctrl-C broke off takes the thread for ended
    Thread(target=run, name=THREAD, daemon=True).start()
    return done, outcome


def _interrupt(connection: duckdb.DuckDBPyConnection, done: Event) -> None:
    """Interrupts the query and gives it a moment to listen; the connection of one that does not is closed at its end."""
    connection.interrupt()
    if not done.wait(GRACE_S):
        Thread(target=_close_after, args=(done, connection), name=CLOSING, daemon=True).start()


def _close_after(done: Event, connection: duckdb.DuckDBPyConnection) -> None:
    done.wait()
    connection.close()
