"""The reader's own DuckDB file of a dataset, and connections that reach nothing else.

It is made once, in the user's private cache, from Parquet files whose hashes were checked. Each connection is an
in-memory database with the file attached read-only. Where the cache cannot be used, the tables are read into memory.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from traincompute.base.errors import FileError, ReleaseError
from traincompute.base.files import CacheError, locked, private_folder, read_json, staging
from traincompute.base.places import MANIFEST, SQL_NAME

try:  # the engine alone: relations and data frames, which SQL does without, take twice as long to import
    import _duckdb as duckdb
except ImportError:  # a DuckDB that keeps its engine elsewhere
    import duckdb  # type: ignore[no-redef]

__all__ = ["duckdb"]
Row = dict[str, Any]
MEMORY_LIMIT = "2GB"
KEPT = 8  # databases; a checkout makes one with every build
# read_only alone lets a query read and write any other file; nothing may spill to disk either
SEALED: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "threads": "2",
    "memory_limit": MEMORY_LIMIT,
}
SEAL = "set enable_external_access = false; set lock_configuration = true"


@contextmanager
def open_database(folder: str | Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection from which nothing but the tables and views of the dataset in the folder can be reached.
    Raises ReleaseError for a folder that is none or was altered, FileError for a file that turns out to be damaged."""
    folder, file = Path(folder), None
    try:
        connection = connect_sealed(file := database_file(folder))
    except CacheError as error:
        print(f"{error}; until then, each command reads the tables into memory", file=sys.stderr)
        connection = _fill(duckdb.connect(config=SEALED), folder).execute(SEAL)
    except FileError:
        if file:  # it was incomplete
            file.unlink(missing_ok=True)
        connection = connect_sealed(database_file(folder))
    try:
        yield connection
    except Exception as error:
        if file and "Corrupt database file" in str(error):  # DuckDB's words for a block that has another checksum
            file.unlink(missing_ok=True)
            raise FileError(f"{file} was damaged and has been removed; run it again") from error
        if isinstance(error, duckdb.Error):
            reason = f"{_first_line(error)}; build the dataset or download the release again"
            raise FileError(f"{folder} cannot be read: {reason}") from error
        raise
    finally:
        connection.close()


def connect_sealed(file: str | Path) -> duckdb.DuckDBPyConnection:
    """A connection that reads this one file, which we made ourselves. Raises FileError where it cannot be opened."""
    connection = duckdb.connect(config=SEALED)
    try:
        return connection.execute(f"attach {_quoted(file)} as traincompute (read_only); use traincompute; {SEAL}")
    except duckdb.Error as error:
        connection.close()
        raise FileError(f"{file} cannot be read: {_first_line(error)}") from error


def database_file(folder: Path) -> Path:
    """The reader's own DuckDB file of the dataset in the folder, made if it is missing.
    Raises ReleaseError for a folder that is no dataset or was altered, CacheError where the cache cannot be written."""
    if not (folder / MANIFEST).is_file():
        remedy = "name the folder of a release or build"
        raise ReleaseError(f"{folder} holds no Parquet files with their {MANIFEST}; {remedy}", 2)
    about = [path.read_bytes() for name in (MANIFEST, SQL_NAME) if (path := folder / name).is_file()]
    place = private_folder("databases")
    target = place / f"{sha256(b''.join(about)).hexdigest()}-{duckdb.__version__}.duckdb"
    if target.is_file():
        return target
    try:
        with locked(target), staging(target) as work:
            if not target.is_file():
                for old in sorted(place.glob("*.duckdb"), key=lambda path: path.stat().st_mtime)[: 1 - KEPT]:
                    old.unlink(missing_ok=True)  # by another process
                with duckdb.connect(work / "database", config={"threads": "2"}) as connection:
                    _fill(connection, folder).execute("checkpoint")
                (work / "database").chmod(0o444)  # `path` hands it out
                (work / "database").replace(target)
    except (OSError, duckdb.Error) as error:
        raise CacheError(_first_line(error)) from error
    return target


def _fill(connection: duckdb.DuckDBPyConnection, folder: Path) -> duckdb.DuckDBPyConnection:
    """Tables from Parquet files that were checked; then, out of reach of all files, the views and macros of the SQL."""
    from traincompute.published import check_file, table_hashes  # only when a database is made

    for name, digest in table_hashes(read_json(folder / MANIFEST)).items():
        if table := re.fullmatch(r"([a-z][a-z0-9_]*)\.parquet", name):
            path = check_file(folder / name, digest)
            connection.execute(f'create table "{table[1]}" as from read_parquet({_quoted(path)})')
    connection.execute("set enable_external_access = false")
    sql = folder / SQL_NAME
    try:
        connection.begin()
        for statement in connection.extract_statements(sql.read_text(encoding="utf-8") if sql.is_file() else ""):
            if re.match(r"(?i)\s*(create\s+(view|macro)|comment\s+on)\s", statement.query):
                connection.execute(statement)
        connection.commit()
    except duckdb.Error as error:
        raise ReleaseError(f"{sql} is not that of this dataset: {_first_line(error)}") from error
    return connection


def _quoted(file: str | Path) -> str:
    return "'" + str(file).replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(error).splitlines()[0])


def rows(connection: duckdb.DuckDBPyConnection, query: str, *values: Any, **named: Any) -> list[Row]:
    """The rows of a query as dictionaries; its parameters in order, or by name."""
    cursor = connection.execute(query, named or list(values))
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def rows_if_held(connection: duckdb.DuckDBPyConnection, name: str, query: str, *values: Any) -> list[Row]:
    """The rows of a query on a table or view; none where the dataset was made before that was introduced."""
    try:
        return rows(connection, query, *values)
    except duckdb.CatalogException as error:
        if f"Table with name {name} does not exist" in str(error):
            return []
        raise


@contextmanager
def limit_memory(more: int) -> Iterator[None]:
    """This process may take so many bytes more than now while the block runs, where the system has such limits:
    DuckDB's own limit does not cover the texts that a query makes."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):  # Windows, macOS
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    least = [pages * os.sysconf("SC_PAGE_SIZE") + more, *(limit for limit in before if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(least), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
