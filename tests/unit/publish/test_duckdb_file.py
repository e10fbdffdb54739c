"""The DuckDB file: one that begins as a copy of one without rows, and what is kept of it in memory."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.publish.duckdb import empty_duckdb, insert_table, open_duckdb
from pipeline.registry.schema import load_schemas
from pipeline.registry.views import load_views
from traincompute.query.catalogue import list_tables

STORED_AS = slice(12, 20)  # the version of the storage format, after a checksum and the letters DUCK


def test_a_copy_has_what_a_new_file_has(tmp_path: Path) -> None:
    paths = Paths(CHECKOUT)
    declared = load_schemas(paths), load_views(paths)
    empty = empty_duckdb(tmp_path / "empty.duckdb", *declared)
    found = []
    for name, kept in (("new.duckdb", None), ("copy.duckdb", empty)):
        with open_duckdb(tmp_path / name, *declared, kept) as connection:
            found.append(list_tables(connection))
    assert found[0] == found[1]
    assert len(found[0]) > len(declared[0])  # the views too
    assert (tmp_path / "new.duckdb").read_bytes()[STORED_AS] == (tmp_path / "copy.duckdb").read_bytes()[STORED_AS]


def test_what_was_inserted_is_let_go_of(tmp_path: Path) -> None:
    made = pa.table(
        {letter: [f"{letter} {number * 7919 % 100_003:030}" for number in range(100_000)] for letter in "abcdef"}
    )
    with open_duckdb(tmp_path / "a.duckdb", {}, []) as connection:
        limit = connection.sql("SELECT current_setting('memory_limit')").fetchall()
        for name in ("one", "two"):
            connection.execute(
                f"CREATE TABLE {name} (a VARCHAR, b VARCHAR, c VARCHAR, d VARCHAR, e VARCHAR, f VARCHAR)"
            )
            insert_table(connection, made, name)
            held = connection.sql("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchall()[0][0]
            assert held <= 16_000_000
        assert connection.sql("SELECT current_setting('memory_limit')").fetchall() == limit
        assert connection.sql("SELECT count(DISTINCT a) FROM one").fetchall() == [(100_000,)]


def test_a_table_is_filled_with_no_more_memory_than_is_given(tmp_path: Path) -> None:
    made = pa.table({"a": [f"{number * 7919 % 1_000_003:060}" for number in range(300_000)]})
    with open_duckdb(tmp_path / "a.duckdb", {}, []) as connection:
        connection.execute("CREATE TABLE one (a VARCHAR)")
        with pytest.raises(duckdb.OutOfMemoryException):
            insert_table(connection, made, "one", "1MB")
