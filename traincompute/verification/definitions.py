"""What a DuckDB file of a release defines: its tables as their Parquet files describe them, and the views and macros that the
SQL beside it creates. That is made anew in memory and compared with what the file has, thing by thing.

How a definition is worded depends on the version of DuckDB and on whether it was read from a file. So the SQL is what DuckDB
says of a file, and what it says of the file in question is made anew as well before the two are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from traincompute.base.places import DUCKDB_NAME, SQL_NAME, ReleaseError
from traincompute.query.sealed import open_sealed

LARGEST_SQL = 2_000_000  # bytes; the real one has 0.1 MB
TYPES = {
    "string": "VARCHAR",
    "double": "DOUBLE",
    "int64": "BIGINT",
    "bool": "BOOLEAN",
    "date32[day]": "DATE",
    "list<element: string>": "VARCHAR[]",
    "list<item: string>": "VARCHAR[]",
}
# of every kind of thing that a file can hold: the function of DuckDB that lists them, and what names one
KINDS = {
    "schema": ("duckdb_schemas", "schema_name"),
    "type": ("duckdb_types", "schema_name || '.' || type_name"),
    "table": ("duckdb_tables", "schema_name || '.' || table_name"),
    "column": ("duckdb_columns", "schema_name || '.' || table_name || '.' || column_name"),
    "constraint": ("duckdb_constraints", "schema_name || '.' || table_name"),
    "index": ("duckdb_indexes", "schema_name || '.' || index_name"),
    "sequence": ("duckdb_sequences", "schema_name || '.' || sequence_name"),
    "trigger": ("duckdb_triggers", "schema_name || '.' || table_name"),
    "view": ("duckdb_views", "schema_name || '.' || view_name"),
    "macro": ("duckdb_functions", "schema_name || '.' || function_name"),
}
LISTED = """select {name} as name, columns(lambda c: not c like '%oid' and c not in ('database_name', 'estimated_size', 'is_bound', {but}))
from {function}() where database_name = current_database() order by all"""
FUNCTIONS = "select distinct function_name from duckdb_functions() where database_name = 'system'"
BUILT_IN_VIEWS = "select view_name from duckdb_views() where internal and schema_name = 'main'"
WORDED = {"view": "sql", "macro": "macro_definition"}  # what is compared only once it was made anew
MACROS = """select function_name, function_type, parameters, macro_definition, comment from duckdb_functions()
where database_name = current_database() order by function_name, len(parameters), parameters"""
VIEWS = (
    """select view_name, sql, comment from duckdb_views() where database_name = current_database() order by view_name"""
)
VIEW_COLUMNS = """select table_name, column_name, comment from duckdb_columns() where database_name = current_database()
and table_name in (select view_name from duckdb_views() where database_name = current_database()) order by table_name, column_index"""
ALLOWED = re.compile(r'create\s+(view|macro)\s+"?[a-z]|comment\s+on\s+(view|macro|column)\s', re.IGNORECASE)
Definitions = dict[str, list[str]]


def table_statements(name: str, schema: pa.Schema) -> list[str]:
    """The statements that create a table with the columns and comments of an Arrow schema. Raises ValueError for a type that
    no published table has."""
    unknown = [field.name for field in schema if str(field.type) not in TYPES]
    if unknown:
        raise ValueError(f"column {unknown[0]} of {name} is of no published type")
    columns = [f"{quoted(f.name)} {TYPES[str(f.type)]}{' NOT NULL' * (not f.nullable)}" for f in schema]
    return [
        f"CREATE TABLE {quoted(name)} ({', '.join(columns)})",
        f"COMMENT ON TABLE {quoted(name)} IS {_text(_table_comment(schema))}",
        *(f"COMMENT ON COLUMN {quoted(name)}.{quoted(f.name)} IS {_text(_column_comment(f))}" for f in schema),
    ]


def _table_comment(schema: pa.Schema) -> str:
    about = _about(schema.metadata)
    return ". ".join(about[key] for key in ("title", "description") if key in about)


def _column_comment(field: pa.Field) -> str:
    """Description, unit and derivation on one line."""
    about = _about(field.metadata)
    unit = f" [{about['unit']}]" if "unit" in about else ""
    return about.get("description", "") + unit + (f". Derived: {about['derived']}" if "derived" in about else "")


def _about(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in (metadata or {}).items()}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str | None) -> str:
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def view_statements(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The statements that create the macros and views of a database, and explain them. The database is to be read from its
    file."""
    made: dict[str, str] = {}
    comments: dict[str, None] = {}  # each once, though a macro of several forms says it with each
    for name, kind, parameters, text, comment in connection.execute(MACROS).fetchall():
        given, of_rows = ", ".join(map(quoted, parameters)), kind.startswith("table")
        before = f"{made[name]}, " if name in made else f"CREATE MACRO {quoted(name)}"
        made[name] = f"{before}({given}) AS {f'TABLE {text}' if of_rows else f'({text})'}"
        comments[f"COMMENT ON MACRO{' TABLE' * of_rows} {quoted(name)} IS {_text(comment)}"] = None
    for name, text, comment in connection.execute(VIEWS).fetchall():
        made[name] = text.strip().rstrip(";")
        comments[f"COMMENT ON VIEW {quoted(name)} IS {_text(comment)}"] = None
    for view, column, comment in connection.execute(VIEW_COLUMNS).fetchall():
        comments[f"COMMENT ON COLUMN {quoted(view)}.{quoted(column)} IS {_text(comment)}"] = None
    return [*_in_order(made), *comments]


def _in_order(made: Mapping[str, str]) -> list[str]:
    """The statements, each behind those that make what it names."""
    waiting = {
        name: {word for word in re.findall(r"\w+", text) if word in made} - {name} for name, text in made.items()
    }
    order: list[str] = []
    while waiting:
        ready = sorted(name for name, needs in waiting.items() if not needs & waiting.keys()) or sorted(waiting)
        order += ready
        waiting = {name: needs for name, needs in waiting.items() if name not in ready}
    return [made[name] for name in order]


def definition_faults(
    connection: duckdb.DuckDBPyConnection, folder: Path, schemas: Mapping[str, pa.Schema], memory: str
) -> list[str]:
    """Kind and name of each thing that the database defines otherwise than the Parquet files and the SQL of the folder.

    Raises ReleaseError where that SQL does anything but create those tables and the views and macros over them."""
    of_tables = [statement for name, schema in schemas.items() for statement in table_statements(name, schema)]
    stated = _statements(folder / SQL_NAME)
    _check_statements(stated, of_tables, schemas)
    with _made(stated, SQL_NAME, memory) as wanted:
        found, right = _definitions(connection), _definitions(wanted)
        wrong = [name for name in {**right, **found} if found.get(name) != right.get(name)]
        if not wrong:
            with _made(of_tables + view_statements(connection), DUCKDB_NAME, memory) as again:
                found, right = _worded(again), _worded(wanted)
                wrong = [name for name in right if found.get(name) != right[name]]
    return wrong


@contextmanager
def _made(statements: Iterable[str], where: str, memory: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database without rows, made by the statements. Raises ReleaseError where that cannot be done."""
    with open_sealed(":memory:", memory) as connection:
        try:
            for statement in statements:
                connection.execute(statement)
        except duckdb.Error as error:
            raise ReleaseError(f"{where}: {str(error).splitlines()[0][:300]}") from error
        yield connection


def _statements(path: Path) -> list[str]:
    text = _read(path)
    try:
        return [found.query.strip().rstrip(";").strip() for found in duckdb.extract_statements(text)]
    except duckdb.Error as error:
        raise ReleaseError(f"{path.name}: {str(error).splitlines()[0][:300]}") from error


def _check_statements(stated: list[str], of_tables: list[str], tables: Iterable[str]) -> None:
    if missing := sorted(set(of_tables) - set(stated)):
        raise ReleaseError(f"{SQL_NAME}: lacks {missing[0][:200]!a}, as the Parquet file has it")
    for statement in set(stated) - set(of_tables):
        if not ALLOWED.match(statement) or _speaks_of(statement, tables):
            raise ReleaseError(f"{SQL_NAME}: {statement[:100]!a} is nothing that makes a release's database")


def _speaks_of(statement: str, tables: Iterable[str]) -> bool:
    """Whether it is a comment on a column of a table: what such a one says stands in the Parquet file."""
    found = re.match(r'comment\s+on\s+column\s+"?(\w+)', statement, re.IGNORECASE)
    return found is not None and found[1].lower() in tables


def _read(path: Path) -> str:
    if not path.is_file():
        raise ReleaseError(f"{path.name}: is missing")
    if path.stat().st_size > LARGEST_SQL:
        raise ReleaseError(f"{path.name}: is larger than {LARGEST_SQL / 1e6:.0f} MB")
    return path.read_bytes().decode()


def _definitions(connection: duckdb.DuckDBPyConnection) -> Definitions:
    """All that is known of each thing in the file but how it is worded, whether it says that it is internal or not."""
    known = {name for (name,) in connection.execute(FUNCTIONS).fetchall()}
    found: Definitions = {}
    for kind, (function, name) in KINDS.items():
        if function in known:
            query = LISTED.format(function=function, name=name, but=f"'{WORDED.get(kind, '')}'")
            for called, *about in connection.execute(query).fetchall():
                found.setdefault(f"{kind} {called}", []).append(repr(about))
    for name, kind, *_ in connection.execute(MACROS).fetchall():
        found[f"parameters of {name}"] = [_parameters(connection, name, kind)]
    return found


def _worded(connection: duckdb.DuckDBPyConnection) -> Definitions:
    """The text of every view and macro."""
    found: Definitions = {}
    for name, _, _, text, _ in connection.execute(MACROS).fetchall():
        found.setdefault(f"macro main.{name}", []).append(text)
    return found | {f"view main.{name}": [text] for name, text, _ in connection.execute(VIEWS).fetchall()}


def _parameters(connection: duckdb.DuckDBPyConnection, macro: str, kind: str) -> str:
    """The parameters of a macro with their defaults, which DuckDB tells nobody but whoever gives one that there is not."""
    call = f"{quoted(macro)}(no_parameter_has_this_name := 1)"
    try:
        connection.execute(f"from {call}" if kind.startswith("table") else f"select {call}")
    except duckdb.Error as error:
        return str(error)
    return "any"


def hidden_names(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """The macros and views that bear the name of one that is built into DuckDB, for which they would answer."""
    functions = {name.lower() for (name,) in connection.execute(FUNCTIONS).fetchall()}
    views = {name.lower() for (name,) in connection.execute(BUILT_IN_VIEWS).fetchall()}
    macros = dict.fromkeys(name for name, *_ in connection.execute(MACROS).fetchall())
    hidden = [("macro", name) for name in macros if name.lower() in functions]
    return hidden + [("view", name) for name, *_ in connection.execute(VIEWS).fetchall() if name.lower() in views]
