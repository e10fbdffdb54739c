"""The reader's own DuckDB file of a dataset, and connections that reach nothing else.

It is made once, from Parquet files whose hashes were checked, in the user's private cache; a DuckDB file that somebody
ships is never opened. Each connection is an in-memory database of its own that has the file attached, read-only: it
does not share settings or limits with other connections of the process."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import duckdb

from traincompute.base.disk import file_sha256, private_folder, random_suffix
from traincompute.base.errors import FileError, QueryError
from traincompute.base.locks import one_at_a_time
from traincompute.base.places import MANIFEST, SQL_NAME, SUMS, ReleaseError

MEMORY_LIMIT = "2GB"
ATTACHED = "traincompute"
DAMAGED = "Corrupt database file"  # DuckDB's words for a block that has another checksum
KEPT = 8  # databases; a checkout makes one with every build
# read_only alone lets a query read and write any other file; nothing may spill to disk either
SEALED: Mapping[str, str] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "max_temp_directory_size": "0B",
    "threads": "2",
}
DEFINING = re.compile(r"\s*(create\s+(view|macro)|comment\s+on)\s", re.IGNORECASE)


@contextmanager
def open_database(folder: str | Path, memory: str = MEMORY_LIMIT) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection from which nothing but the tables and views of the dataset in the folder can be reached.

    Raises ReleaseError for a folder that is none or was altered, FileError for a file that turns out to be damaged."""
    made = database_file(Path(folder))
    connection = None
    if made:
        with suppress(FileError):
            connection = connect_sealed(made, memory)
    try:
        if not connection:  # there is no place for the file, or it is damaged and the next call makes it anew
            if made:
                _remove(made)
            connection = duckdb.connect(":memory:", config={**SEALED, "memory_limit": memory})
            _fill(connection, Path(folder))
            _seal(connection)
        yield connection
    except (duckdb.Error, QueryError, OSError) as error:
        if made and DAMAGED in str(error):
            _remove(made)
            raise FileError(f"{made} was damaged and has been removed; run it again") from error
        if isinstance(error, duckdb.Error):
            raise _unreadable(folder, error) from error
        raise
    finally:
        with suppress(duckdb.Error):  # while a query that listens to no interruption holds it
            if connection:
                connection.close()


def connect_sealed(file: str | Path, memory: str = MEMORY_LIMIT) -> duckdb.DuckDBPyConnection:
    """A connection that reads this one file, which we made ourselves. Raises FileError where it cannot be opened."""
    connection = duckdb.connect(":memory:", config={**SEALED, "memory_limit": memory})
    try:
        try:
            _attach(connection, Path(file))
        except duckdb.BinderException:  # DuckDB before 1.5: somebody in this process has the file open
            copy = Path(file).with_name(f".{random_suffix()}.tmp")
            shutil.copyfile(file, copy)
            _attach(connection, copy)
            _remove(copy)
        connection.execute(f"use {ATTACHED}")
        return _seal(connection)
    except duckdb.Error as error:
        connection.close()
        raise _unreadable(file, error) from error


def database_file(folder: Path) -> Path | None:
    """The reader's own DuckDB file of the dataset in the folder, made if it is missing; None where it cannot be
    kept."""
    name = f"{_key(folder)}-{duckdb.__version__}.duckdb"
    try:
        target = private_folder("databases") / name
        if target.is_file():
            return target
        with one_at_a_time(name, str(target)):
            if not target.is_file():
                _make(folder, target)
    except FileError:
        raise
    except OSError:
        return None
    return target


def _make(folder: Path, target: Path) -> None:
    """Makes the file beside its place, and removes what killed processes and earlier builds left there."""
    others = sorted(target.parent.glob("*.duckdb"), key=lambda path: path.stat().st_mtime)
    for left in (*target.parent.glob(f".{target.name}*"), *others[: 1 - KEPT]):
        _remove(left)
    work = target.with_name(f".{target.name}.{random_suffix()}.tmp")
    try:
        with duckdb.connect(str(work), config={"threads": "2"}) as connection:
            _fill(connection, folder)
            connection.execute("checkpoint")
        work.chmod(0o400)
        work.replace(target)
    except duckdb.Error as error:  # a full disk has many names; what is wrong with the data is raised in memory again
        raise OSError(_first_line(error)) from error
    finally:
        for left in (work, work.with_name(f"{work.name}.wal")):
            left.unlink(missing_ok=True)


def _fill(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Tables from Parquet files that were checked; then, out of reach of all files, the views and macros of the SQL."""
    for name, wanted in _listed(folder).items():
        path = folder / name
        if not path.is_file() or (digest := file_sha256(path)) != wanted:
            what = f"has sha256 {digest}, not {wanted}" if path.is_file() else "is missing"
            raise ReleaseError(f"{path} {what}; download the release or build the dataset again")
        table = name.removesuffix(".parquet")
        connection.execute(f'create table "{table}" as from read_parquet({_quoted(path)})')
    connection.execute("set enable_external_access = false")
    text = (folder / SQL_NAME).read_text(encoding="utf-8") if (folder / SQL_NAME).is_file() else ""
    try:
        connection.begin()
        for statement in duckdb.extract_statements(text):
            if DEFINING.match(statement.query):
                connection.execute(statement)
        connection.commit()
    except duckdb.Error as error:
        raise ReleaseError(f"{folder / SQL_NAME} is not that of this dataset: {_first_line(error)}") from error


def _listed(folder: Path) -> dict[str, str]:
    """{Parquet file: sha256} of SHA256SUMS, else of the manifest; of a folder that has neither, of what is there."""
    from traincompute.verification import read_json, read_sums, table_hashes  # only when a database is made

    if (folder / SUMS).is_file():
        found = read_sums(folder)
    elif (folder / MANIFEST).is_file():
        found = table_hashes(read_json(folder / MANIFEST))
    else:
        found = {path.name: file_sha256(path) for path in sorted(folder.glob("*.parquet"))}
    listed = {name: digest for name, digest in found.items() if re.fullmatch(r"[a-z][a-z0-9_]*\.parquet", name)}
    if not listed:
        raise ReleaseError(f"{folder} holds no Parquet files of a dataset; name the folder of a release or a build", 2)
    return listed


def _key(folder: Path) -> str:
    """What tells one dataset from another: the hash of SHA256SUMS, else of the manifest and of the SQL, else of the
    files."""
    if (folder / SUMS).is_file():
        return file_sha256(folder / SUMS)
    known = [path for name in (MANIFEST, SQL_NAME) if (path := folder / name).is_file()]
    if not (folder / MANIFEST).is_file():
        known += sorted(folder.glob("*.parquet"))
    digests = "".join(f"{path.name} {file_sha256(path)}\n" for path in known)
    return sha256(digests.encode()).hexdigest()


def _attach(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
    connection.execute(f"attach {_quoted(file)} as {ATTACHED} (read_only)")


def _seal(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("set enable_external_access = false")
    return connection.execute("set lock_configuration = true")


def _remove(file: Path) -> None:
    with suppress(OSError):  # Windows keeps it while it is open
        file.unlink()


def _quoted(file: Path) -> str:
    return "'" + str(file).replace("'", "''") + "'"


def _unreadable(place: str | Path, error: duckdb.Error) -> FileError:
    return FileError(f"{place} cannot be read: {_first_line(error)}; build the dataset or download the release again")


def _first_line(error: duckdb.Error) -> str:
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", str(error).splitlines()[0])


@contextmanager
def less_memory(more: int) -> Iterator[None]:
    """This process may take so many bytes more than now while the block runs, where the system has such limits:
    DuckDB's own limit does not cover the texts that a query makes."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + more
        resource.setrlimit(resource.RLIMIT_AS, (limit if soft == resource.RLIM_INFINITY else min(soft, limit), hard))
    except (ImportError, OSError, ValueError):  # Windows, macOS
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
