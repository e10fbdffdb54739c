"""What a DuckDB file of a release defines: its tables as their Parquet files describe them, and the views and macros that the
SQL beside it creates. That is made anew in memory and compared with what the file has, thing by thing.

How a definition is worded depends on the version of DuckDB and on whether it was read from a file. So the SQL is what DuckDB
says of a file, and what it says of the file in question is made anew as well before the two are compared.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from traincompute.base.places import DUCKDB_NAME, SQL_NAME, ReleaseError
from traincompute.query.rows import Row, rows
from traincompute.query.sealed import open_sealed
from traincompute.verification.functions import OWN, Functions, is_of_rows, macros_of

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
    "type": ("duckdb_types", "schema_name", "type_name"),
    "table": ("duckdb_tables", "schema_name", "table_name"),
    "column": ("duckdb_columns", "schema_name", "table_name", "column_name"),
    "constraint": ("duckdb_constraints", "schema_name", "table_name"),
    "index": ("duckdb_indexes", "schema_name", "index_name"),
    "sequence": ("duckdb_sequences", "schema_name", "sequence_name"),
    "trigger": ("duckdb_triggers", "schema_name", "table_name"),
    "view": ("duckdb_views", "schema_name", "view_name"),
    "macro": ("duckdb_functions", "schema_name", "function_name"),
}
LEFT_OUT = ("database_name", "estimated_size", "is_bound")  # and all that ends with oid: no two files agree in that
WORDED = {"view": "sql", "macro": "macro_definition"}  # what is compared only once it was made anew
BUILT_IN_VIEWS = "select view_name from duckdb_views() where internal and schema_name = 'main'"
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


def view_statements(connection: duckdb.DuckDBPyConnection, macros: Sequence[Row] | None = None) -> list[str]:
    """The statements that create the macros and views of a database, and explain them. The database is to be read from its
    file."""
    made: dict[str, str] = {}
    comments: dict[str, None] = {}  # each once, though a macro of several forms says it with each
    for macro in macros_of(connection) if macros is None else macros:
        name, text, of_rows = macro["function_name"], macro["macro_definition"], is_of_rows(macro)
        before = f"{made[name]}, " if name in made else f"CREATE MACRO {quoted(name)}"
        made[name] = (
            f"{before}({', '.join(map(quoted, macro['parameters']))}) AS {f'TABLE {text}' if of_rows else f'({text})'}"
        )
        comments[f"COMMENT ON MACRO{' TABLE' * of_rows} {quoted(name)} IS {_text(macro['comment'])}"] = None
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
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    schemas: Mapping[str, pa.Schema],
    functions: Functions,
    memory: str,
) -> list[str]:
    """Kind and name of each thing that the database, which has these functions, defines otherwise than the Parquet files and
    the SQL of the folder.

    Raises ReleaseError where that SQL does anything but create those tables and the views and macros over them."""
    of_tables = [statement for name, schema in schemas.items() for statement in table_statements(name, schema)]
    stated = _statements(folder / SQL_NAME)
    _check_statements(stated, of_tables, schemas)
    with _made(stated, SQL_NAME, memory) as wanted:
        known, of_wanted = {about.name for about in functions.built_in}, macros_of(wanted)
        wrong = _unlike(_definitions(connection, functions.macros, known), _definitions(wanted, of_wanted, known))
        right = _worded(wanted, of_wanted)
        if not wrong and _worded(connection, functions.macros) != right:
            with _made(of_tables + view_statements(connection, functions.macros), DUCKDB_NAME, memory) as again:
                wrong = _unlike(_worded(again, macros_of(again)), right)
    return wrong


def _unlike(found: Definitions, right: Definitions) -> list[str]:
    return [name for name in {**right, **found} if found.get(name) != right.get(name)]


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


def _definitions(connection: duckdb.DuckDBPyConnection, macros: Sequence[Row], known: Container[str]) -> Definitions:
    """All that is known of each thing in the file but how it is worded, whether it says that it is internal or not. `known`
    are the functions that list things."""
    found: Definitions = {}
    for kind, (function, *names) in KINDS.items():
        listed = f"select * from {function}() where {OWN}"
        held = macros if kind == "macro" else rows(connection, listed) if function in known else []
        for thing in held:
            about = {key: value for key, value in thing.items() if key not in (*LEFT_OUT, WORDED.get(kind))}
            found.setdefault(f"{kind} {'.'.join(thing[name] for name in names)}", []).append(_as_text(about))
    for macro in macros:
        name = macro["function_name"]
        found[f"parameters of {name}"] = [_parameters(connection, name, is_of_rows(macro))]
    return {name: sorted(about) for name, about in found.items()}


def _as_text(about: Row) -> str:
    return repr([value for key, value in about.items() if not key.endswith("oid")])


def _worded(connection: duckdb.DuckDBPyConnection, macros: Sequence[Row]) -> Definitions:
    """The text of every view and macro."""
    found: Definitions = {}
    for macro in macros:
        found.setdefault(f"macro main.{macro['function_name']}", []).append(macro["macro_definition"])
    return found | {f"view main.{name}": [text] for name, text, _ in connection.execute(VIEWS).fetchall()}


def _parameters(connection: duckdb.DuckDBPyConnection, macro: str, of_rows: bool) -> str:
    """The parameters of a macro with their defaults, which DuckDB tells nobody but whoever gives one that there is not."""
    call = f"{quoted(macro)}(no_parameter_has_this_name := 1)"
    try:
        connection.execute(f"from {call}" if of_rows else f"select {call}")
    except duckdb.Error as error:
        return str(error)
    return "any"


def hidden_names(connection: duckdb.DuckDBPyConnection, functions: Functions) -> list[tuple[str, str]]:
    """The macros and views that bear the name of one that is built into DuckDB, for which they would answer."""
    built_in = {about.name.lower() for about in functions.built_in}
    views = {name.lower() for (name,) in connection.execute(BUILT_IN_VIEWS).fetchall()}
    macros = dict.fromkeys(macro["function_name"] for macro in functions.macros)
    hidden = [("macro", name) for name in macros if name.lower() in built_in]
    return hidden + [("view", name) for name, *_ in connection.execute(VIEWS).fetchall() if name.lower() in views]
