"""Views and macros: read from their files, created in an order that works, every column with its meaning."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.publish.views import create_views
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


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"a": "SELECT 1 AS one"}, "has no comment"),
        ({"a": "-- A.\nSELECT 1 AS one"}, "add the line `-- one:"),
        ({"a": "-- A.\nSELECT one FROM b", "b": "-- B.\nSELECT one FROM a"}, r"sql \[a\]: views read each other: a, b"),
        ({"a": "-- A.\nSELECT nothing FROM nowhere"}, "pipeline/publish/sql/a.sql"),
    ],
)
def test_a_faulty_file_is_named(tmp_path: Path, files: dict[str, str], fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        create_views(duckdb.connect(), load_views(write(tmp_path, **files)), {})
