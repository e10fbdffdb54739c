"""Views and macros: read from their files, created in an order that works, every column with its meaning."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.publish.views import create_views
from pipeline.registry.schema import Column, TableSchema
from pipeline.registry.views import load_views


def write(root: Path, **files: str) -> Paths:
    folder = root / "pipeline" / "publish" / "sql"
    (folder / "macros").mkdir(parents=True)
    for name, text in files.items():
        (folder / f"{name.replace('macros_', 'macros/')}.sql").write_text(text + "\n")
    return Paths(root)


def test_a_view_may_read_another_and_a_macro(tmp_path: Path) -> None:
    paths = write(
        tmp_path,
        macros_twice="-- Two times x.\n(x) AS x * 2",
        a="-- All of b.\n-- two: twice one\nSELECT two FROM b",
        b="-- One row.\n-- two: twice one\nSELECT twice(1) AS two",
    )
    connection = duckdb.connect()
    create_views(connection, load_views(paths), {})
    assert connection.execute("SELECT two FROM a").fetchone() == (2,)
    comments = connection.execute("SELECT comment FROM duckdb_columns() WHERE table_name = 'a'").fetchall()
    assert comments == [("twice one",)]


def test_each_view_macro_and_column_has_its_comment(tmp_path: Path) -> None:
    """A column of which the file says nothing means what it does in models, else in the first table that has it."""
    paths = write(
        tmp_path,
        macros_twice="-- Two times x.\n(x) AS x * 2",
        macros_rows="-- A row\n-- of x.\n(x) as  table SELECT x",
        a="-- It's a row.\n-- size: its size\nSELECT 1 AS size, 2 AS hub_id, 3 AS only;",
    )
    tables = {
        name: TableSchema(
            name, "", "", ("hub_id",), tuple(Column(column, "number", f"{column} of {name}") for column in columns)
        )
        for name, columns in (
            ("runs", ("size", "hub_id", "only")),
            ("models", ("hub_id",)),
            ("hubs", ("hub_id", "only")),
        )
    }
    connection = duckdb.connect()
    create_views(connection, load_views(paths), tables)
    views = connection.execute("SELECT comment FROM duckdb_views() WHERE view_name = 'a'").fetchall()
    assert views == [("It's a row.",)]
    macros = "SELECT function_name, function_type, comment FROM duckdb_functions() WHERE NOT internal ORDER BY ALL"
    assert connection.execute(macros).fetchall() == [
        ("rows", "table_macro", "A row of x."),
        ("twice", "macro", "Two times x."),
    ]
    columns = connection.execute("SELECT comment FROM duckdb_columns() WHERE table_name = 'a'").fetchall()
    assert columns == [("its size",), ("hub_id of models",), ("only of runs",)]
    tables.pop("models")
    connection = duckdb.connect()
    create_views(connection, load_views(paths), tables)
    columns = connection.execute("SELECT comment FROM duckdb_columns() WHERE table_name = 'a'").fetchall()
    assert columns == [("its size",), ("hub_id of runs",), ("only of runs",)]


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"a": "SELECT 1 AS one"}, "has no comment"),
        ({"a": "-- A.\nSELECT 1 AS one"}, "add the line `-- one:"),
        ({"a": "-- A.\nSELECT one FROM b", "b": "-- B.\nSELECT one FROM a"}, r"sql \[a\]: views read each other: a, b"),
        (
            {"a": "-- A.\nSELECT nothing FROM nowhere"},
            r"^pipeline/publish/sql/a\.sql: Catalog Error: .* nowhere .*; correct",
        ),
        ({"macros_m": "-- M.\n(x) AS"}, r"^pipeline/publish/sql/macros/m\.sql: Parser Error: .*!?; correct the SQL$"),
    ],
)
def test_a_faulty_file_is_named(tmp_path: Path, files: dict[str, str], fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        create_views(duckdb.connect(), load_views(write(tmp_path, **files)), {})
