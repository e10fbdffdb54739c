"""The SQL of a dataset: statements that create its tables, views and macros, with the comments on them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import duckdb
import pyarrow as pa

from traincompute.query.rows import Row, rows

TYPES = {
    "string": "VARCHAR",
    "double": "DOUBLE",
    "int64": "BIGINT",
    "bool": "BOOLEAN",
    "date32[day]": "DATE",
    "list<element: string>": "VARCHAR[]",
    "list<item: string>": "VARCHAR[]",
}
VIEWS = (
    """select view_name, sql, comment from duckdb_views() where database_name = current_database() order by view_name"""
)
VIEW_COLUMNS = """select table_name, column_name, comment from duckdb_columns() where database_name = current_database()
and table_name in (select view_name from duckdb_views() where database_name = current_database()) order by \
table_name, column_index"""


def table_statements(name: str, schema: pa.Schema) -> list[str]:
    """The statements that create a table with the columns and comments of an Arrow schema. Raises ValueError for a type
    that no published table has."""
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
    """The statements that create the macros and views of a database, and explain them. The database is to be read from
    its file."""
    made: dict[str, str] = {}
    comments: dict[str, None] = {}  # each once, though a macro of several forms says it with each
    for macro in _macros(connection):
        name, text, of_rows = (
            macro["function_name"],
            macro["macro_definition"],
            str(macro["function_type"]).startswith("table"),
        )
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


def _macros(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    found = rows(connection, "select * from duckdb_functions() where database_name = current_database()")
    return sorted(found, key=lambda own: (own["function_name"], len(own["parameters"]), own["parameters"]))


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
