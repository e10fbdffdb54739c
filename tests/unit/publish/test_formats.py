"""Tables as Parquet, CSV and DuckDB, and the views over them."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline.errors import DataError
from pipeline.paths import CHECKOUT, Paths
from pipeline.publish.publication import create_duckdb, create_views, write_files
from pipeline.schema import Column, TableSchema, load_schemas, load_views

DATA = pa.table({"name": ["a", "=b", "=c"], "n": [1, 2, None], "authors": [["x", "y"], None, ["z"]]})


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_table_is_written_with_its_digests_and_without_formulas(tmp_path: Path) -> None:
    entry = write_files("made", DATA, tmp_path)
    head = '"name","n","authors"\n'
    assert (tmp_path / "made.csv").read_text() == head + '"a",1,"x;y"\n"\'=b",2,\n"\'=c",,"z"\n'
    assert parquet.read_table(tmp_path / "made.parquet").equals(DATA)
    assert (entry["rows"], entry["columns"]) == (3, 3)
    assert entry["content_sha256"] == sha256(head + '"a",1,"x;y"\n"=b",2,\n"=c",,"z"\n'), "as the sources have it"
    csv = (tmp_path / "made.csv").read_text()
    assert entry["files"]["made.csv"] == {"bytes": len(csv), "sha256": sha256(csv)}


def test_models_csv_alone_has_the_notable_and_the_newest_first(tmp_path: Path) -> None:
    """Parquet, DuckDB and the digest keep the order of the key."""
    ids, days = ["a", "b", "c", "d"], [date(2020, 1, 1), date(2021, 1, 1), None, date(2021, 1, 1)]
    data = pa.table({"model_id": ids, "is_notable": [True, False, True, True], "publication_date": days})
    models, others = (write_files(name, data, tmp_path) for name in ("models", "others"))
    order = {
        name: [line[1] for line in (tmp_path / f"{name}.csv").read_text().split()][1:] for name in ("models", "others")
    }
    assert order == {"models": list("dacb"), "others": ids}
    assert parquet.read_table(tmp_path / "models.parquet").equals(data)
    assert models["content_sha256"] == others["content_sha256"]


def test_the_sql_beside_a_duckdb_file_makes_the_same_tables_and_views(tmp_path: Path) -> None:
    """Of the real schemas and views, with every comment."""
    paths = Paths(CHECKOUT)
    create_duckdb(tmp_path, load_schemas(paths), load_views(paths)).close()
    listed = """select table_name, column_name, data_type, comment from duckdb_columns() where not internal
                union all select function_name, comment, function_type, null from duckdb_functions()
                where not internal order by all"""
    with duckdb.connect(str(tmp_path / "traincompute.duckdb"), read_only=True) as made, duckdb.connect() as again:
        again.execute((tmp_path / "traincompute.sql").read_text())
        assert again.execute(listed).fetchall() == made.execute(listed).fetchall()


def write_views(root: Path, **files: str) -> Paths:
    folder = root / "pipeline" / "publish" / "sql"
    (folder / "macros").mkdir(parents=True)
    for name, text in files.items():
        (folder / f"{name.replace('macros_', 'macros/')}.sql").write_text(text + "\n")
    return Paths(root)


def test_a_view_may_read_another_and_a_macro_and_explains_its_columns(tmp_path: Path) -> None:
    """A column without a comment means what it does in models."""
    paths = write_views(
        tmp_path,
        macros_twice="-- Two times\n-- x.\n(x) AS x * 2",
        a="-- It's all of b.\n-- two: twice one\nSELECT * FROM b",
        b="-- One row.\n-- two: twice one\nSELECT twice(1) AS two, 3 AS hub_id, 4 AS only;",
    )
    tables = {
        name: TableSchema(name, "", "", ("hub_id",), tuple(Column(c, "number", f"{c} of {name}") for c in columns))
        for name, columns in (("runs", ("hub_id", "only")), ("models", ("hub_id",)))
    }
    connection = duckdb.connect()
    create_views(connection, load_views(paths), tables)
    assert connection.execute("SELECT * FROM a").fetchall() == [(2, 3, 4)]
    comments = connection.execute("SELECT comment FROM duckdb_columns() WHERE table_name = 'a'").fetchall()
    assert comments == [("twice one",), ("hub_id of models",), ("only of runs",)]
    named = "SELECT function_name, comment FROM duckdb_functions() WHERE NOT internal"
    assert connection.execute(named).fetchall() == [("twice", "Two times x.")]


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"a": "-- A.\nSELECT 1 AS one"}, r"a\.sql \[one\].*add the line"),
        ({"a": "-- A.\nSELECT nothing FROM nowhere"}, r"sql/a\.sql: Catalog Error: .* nowhere .*; correct"),
    ],
)
def test_a_faulty_file_is_named(tmp_path: Path, files: dict[str, str], fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        create_views(duckdb.connect(), load_views(write_views(tmp_path, **files)), {})
