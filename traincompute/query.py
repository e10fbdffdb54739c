"""Runs one SQL query on a dataset file: read-only, sealed off from files, network and settings, bounded in time and
memory. What is refused or fails ends with exit code 1 and one clear message; traincompute/render.py prints the rows.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import duckdb

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
BEFORE_FIRST_WORD = re.compile(r"(?:\s|\(|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
EXPLAIN = re.compile(r"explain\b\s*(?:analyze\b|\([^)]*\))?", re.IGNORECASE)
BATCH_ROWS = 10_000
GRACE_S = 3.0  # some functions do not listen to an interrupt: list_transform over 5e7 items went on for 15 s
INTERRUPTED = 130


@dataclass(frozen=True)
class Options:
    """How a query is run and shown: rows at most, seconds at most, human numbers, timing line, Parquet file."""

    limit: int | None = None
    timeout_s: float = 60.0
    human: bool = False
    timing: bool = False
    parquet: str | None = None


@dataclass
class Result:
    """Column names (unique) and DuckDB types, batches of rows, and once they are read: how many, and whether cut."""

    names: list[str]
    types: list[str]
    batches: Iterator[Any]
    rows: int = 0
    cut: bool = False


Limited = Callable[[Callable[[], Any]], Any]


def run_query(
    path: Path,
    query: str,
    form: str,
    parameters: Mapping[str, Any] | None = None,
    options: Options | None = None,
) -> None:
    """Prints the result as table, csv, json, jsonl or markdown, or writes it as Parquet where the options name a file.

    Raises click.ClickException where the query is refused or fails; Ctrl-C ends with exit code 130 and no words."""
    from traincompute import render

    start, options = monotonic(), options or Options()
    try:
        with open_sealed(path) as connection:
            limited = limit_time(connection, options.timeout_s)
            with plain_errors(connection, query):
                statement = checked_statement(connection, query)
                if options.parquet:
                    result = _arrow(connection, query, parameters, options, limited)
                    render.write_parquet(result, Path(options.parquet))
                else:
                    result = _rows(connection, statement, parameters, options, limited)
                    render.write(result, form, human=options.human)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    if result.cut:
        click.echo(f"Only the first {result.rows:,} rows; the result has more (--limit {options.limit}).", err=True)
    if options.timing:
        click.echo(f"{result.rows:,} {'row' if result.rows == 1 else 'rows'} in {monotonic() - start:.3f} s", err=True)


@contextmanager
def open_sealed(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection from which nothing but the tables of the file can be reached."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {**SEAL, "memory_limit": MEMORY_LIMIT}
    try:
        connection = duckdb.connect(str(path), read_only=True, config=config)
    except duckdb.Error as error:
        first = str(error).splitlines()[0]
        raise click.ClickException(
            f"{path} cannot be opened: {re.sub(r'^[A-Z][A-Za-z ]* Error: ', '', first)}"
        ) from error
    with connection:
        yield connection


@contextmanager
def plain_errors(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[None]:
    """Turns what DuckDB says into a click.ClickException for people."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        from traincompute.query_errors import plain

        raise click.ClickException(plain(connection, query, error, MEMORY_LIMIT)) from error


def checked_statement(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    """The one statement of the query. Raises click.ClickException for none, several, or one that does not read."""
    statements = connection.extract_statements(query)
    if not statements:
        raise click.ClickException("the query is empty")
    if len(statements) > 1:
        raise click.ClickException(f"one statement at a time, please: this is {len(statements)}")
    try:
        kind = statements[0].type.name
    except ValueError:  # DuckDB has kinds that its Python package has no name for, such as UPDATE EXTENSIONS
        kind = "UNKNOWN"
    begin = _first_word_at(query)
    inner = EXPLAIN.match(query, begin)
    if kind == "EXPLAIN" and inner:
        checked_statement(connection, query[inner.end() :])
        return statements[0]
    word = (re.compile(r"[A-Za-z_]*").match(query, begin) or [""])[0].upper()
    if kind not in READING_KINDS or word not in READING:
        raise click.ClickException(
            f"{word or kind} is not for `sql`, which only reads: SELECT, WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE, "
            "PIVOT, EXPLAIN"
        )
    return statements[0]


def _first_word_at(query: str) -> int:
    found = BEFORE_FIRST_WORD.match(query)
    return found.end() if found else 0


def limit_time(connection: duckdb.DuckDBPyConnection, seconds: float) -> Limited:
    """A function that runs others in turn, all together for at most so many seconds; what they take to print is free.

    They run in a thread, for DuckDB does not let Ctrl-C through. Raises click.ClickException when the time is up."""
    left = seconds

    def limited(work: Callable[[], Any]) -> Any:
        nonlocal left
        done, outcome = _started(work)
        start = monotonic()
        try:
            in_time = done.wait(max(0.0, left))
        except KeyboardInterrupt:
            _interrupt(connection, done, "", INTERRUPTED)
            raise
        if not in_time:
            message = f"stopped after {seconds:g} s; --timeout SECONDS allows it more time"
            _interrupt(connection, done, message, 1)
            raise click.ClickException(message)
        left -= monotonic() - start
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]

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
    Thread(target=run, daemon=True).start()
    return done, outcome


def _interrupt(connection: duckdb.DuckDBPyConnection, done: Event, message: str, code: int) -> None:
    """Stops the query; where it does not listen, the whole program."""
    connection.interrupt()
    if not done.wait(GRACE_S):
        if message:
            click.echo(f"Error: {message}", err=True)
        sys.stdout.flush()
        os._exit(code)


def _rows(
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


def _arrow(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    parameters: Mapping[str, Any] | None,
    options: Options,
    limited: Limited,
) -> Result:
    """The result whose batches are pyarrow record batches with the result's schema; the first one may be empty."""
    import pyarrow as pa

    reader = limited(lambda: connection.sql(query, params=parameters or None).to_arrow_reader(BATCH_ROWS))
    names = unique(reader.schema.names)
    result = Result(names, [str(field.type) for field in reader.schema], iter(()))

    def batches() -> Iterator[Any]:
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
