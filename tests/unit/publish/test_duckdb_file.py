"""A DuckDB file that begins as a copy of one without rows."""

from __future__ import annotations

from pathlib import Path

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.publish.duckdb import empty_duckdb, open_duckdb
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
