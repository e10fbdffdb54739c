"""The views and macros of the DuckDB file: one SQL file each below pipeline/sql/, named after the view or macro.

A file starts with comment lines. `-- text` is what the view answers; `-- column: text` tells what one column means.
A macro's file, below pipeline/sql/macros/, holds what follows its name: `(flop) AS flop / 8.64e19`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import DataError, Problem
from pipeline.paths import Paths
from pipeline.schema import TableSchema

if TYPE_CHECKING:
    import duckdb

COLUMN = re.compile(r"([a-z][a-z0-9_]*): (.+)")


@dataclass(frozen=True)
class View:
    """A view, or a macro where `is_macro`: name, what it answers, the meaning of each column, and the SQL."""

    name: str
    description: str
    columns: Mapping[str, str]
    query: str
    is_macro: bool = False


def load_views(paths: Paths) -> list[View]:
    """All macros, then all views, each view after those that it reads. Raises DataError for a file without a comment."""
    macros = [_read(file, paths.short(file), True) for file in sorted(paths.sql.glob("macros/*.sql"))]
    return macros + _ordered([_read(file, paths.short(file), False) for file in sorted(paths.sql.glob("*.sql"))])


def _read(file: Path, where: str, is_macro: bool) -> View:
    lines = file.read_text(encoding="utf-8").splitlines()
    head = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
    columns = {found[1]: found[2] for line in head if (found := COLUMN.fullmatch(line))}
    description = " ".join(line for line in head if not COLUMN.fullmatch(line))
    if not description:
        raise DataError(
            [Problem(where, file.stem, "", "", "has no comment", "begin the file with `-- what it answers`")]
        )
    query = "\n".join(line for line in lines if not line.startswith("--")).strip().rstrip(";")
    return View(file.stem, description, columns, query, is_macro)


def _ordered(views: Sequence[View]) -> list[View]:
    """The views, each after those whose names occur in it."""
    waiting = {view.name: view for view in views}
    done: list[View] = []
    while waiting:
        ready = [v for v in waiting.values() if not _reads(v, waiting)]
        if not ready:
            names = sorted(waiting)
            raise DataError(
                [
                    Problem(
                        "pipeline/sql", names[0], "", "", f"views read each other: {', '.join(names)}", "break the ring"
                    )
                ]
            )
        done += ready
        waiting = {name: view for name, view in waiting.items() if view not in ready}
    return done


def _reads(view: View, names: Mapping[str, View]) -> bool:
    return any(re.search(rf"\b{name}\b", view.query) for name in names if name != view.name)


def create_views(
    connection: duckdb.DuckDBPyConnection, views: Sequence[View], tables: Mapping[str, TableSchema]
) -> None:
    """Creates them with comments; a column that a table has too takes the table's comment where the file has none.

    Raises DataError with the file's name where the SQL does not hold or a column's meaning is nowhere told."""
    import duckdb

    known: dict[str, str] = {}
    for table in [tables["models"], *tables.values()] if "models" in tables else tables.values():
        known = {**{column.name: column.comment for column in table.columns}, **known}
    for view in views:
        try:
            connection.execute(_create(view))
            connection.execute(";".join(_comments(view, known, _columns(connection, view))))
        except duckdb.Error as error:
            raise DataError([Problem(_where(view), "", "", "", str(error).splitlines()[0], "mend the SQL")]) from error


def _where(view: View) -> str:
    return f"pipeline/sql/{'macros/' if view.is_macro else ''}{view.name}.sql"


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
            raise DataError([Problem(_where(view), name, "", "", "has no comment", f"add the line `-- {name}: …`")])
        yield f'COMMENT ON COLUMN "{view.name}"."{name}" IS {_quote(view.columns.get(name) or known[name])}'


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
