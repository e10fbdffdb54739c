"""The views and macros of the DuckDB file: one SQL file each below pipeline/publish/sql/, named after the view or
macro.

A file starts with comment lines. `-- text` says what the view answers, `-- column: text` what one column means.
A macro's file, below pipeline/publish/sql/macros/, holds what follows the macro's name: `(flop) AS flop / 8.64e19`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import duckdb

from pipeline.base.errors import DataError
from pipeline.registry.schema import TableSchema
from pipeline.registry.views import View


def create_views(
    connection: duckdb.DuckDBPyConnection, views: Sequence[View], tables: Mapping[str, TableSchema]
) -> None:
    """Creates them with comments; a column that a table also has takes the table's comment where the file has none.

    Raises DataError with the file's name if the SQL is not valid or the meaning of a column is not given anywhere."""
    known: dict[str, str] = {}
    for table in [tables["models"], *tables.values()] if "models" in tables else tables.values():
        known = {**{column.name: column.comment for column in table.columns}, **known}
    for view in views:
        try:
            connection.execute(_create(view))
            connection.execute(";".join(_comments(view, known, _columns(connection, view))))
        except duckdb.Error as error:
            raise DataError.of(_where(view), str(error).splitlines()[0], "correct the SQL") from error


def _where(view: View) -> str:
    return f"pipeline/publish/sql/{'macros/' if view.is_macro else ''}{view.name}.sql"


def _create(view: View) -> str:
    return f'CREATE MACRO "{view.name}"{view.query}' if view.is_macro else f'CREATE VIEW "{view.name}" AS {view.query}'


def _columns(connection: duckdb.DuckDBPyConnection, view: View) -> list[str]:
    return [] if view.is_macro else [row[0] for row in connection.execute(f'DESCRIBE "{view.name}"').fetchall()]


def _comments(view: View, known: Mapping[str, str], columns: Sequence[str]) -> Iterator[str]:
    table_macro = re.search(r"\)\s*AS\s+TABLE\b", view.query, re.IGNORECASE)
    kind = "VIEW" if not view.is_macro else "MACRO TABLE" if table_macro else "MACRO"
    yield f'COMMENT ON {kind} "{view.name}" IS {_quote(view.description)}'
    for name in columns:
        if name not in view.columns and name not in known:
            raise DataError.of(_where(view), "has no comment", f"add the line `-- {name}: …`", record=name)
        yield f'COMMENT ON COLUMN "{view.name}"."{name}" IS {_quote(view.columns.get(name) or known[name])}'


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
