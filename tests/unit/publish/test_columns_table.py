"""The published table `columns` says what the schemas do."""

from __future__ import annotations

import duckdb

from pipeline.paths import Paths
from pipeline.schema import load_schemas

FLOP, DAYS = "training_compute_flop", "training_compute_pfs_days"


def in_database(built: Paths, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(built.processed / "traincompute.duckdb"), read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_every_column_of_every_table_has_a_row_in_its_place(built: Paths) -> None:
    named = in_database(built, "select table_name, column_name, position from columns")
    declared = {(t.name, c.name, n) for t in load_schemas(built).values() for n, c in enumerate(t.columns, 1)}
    assert set(named) == declared
    listed = """select table_name, column_name, column_index from duckdb_columns()
                join duckdb_tables() using (table_name, internal) where not internal"""
    assert set(in_database(built, listed)) == declared, "DuckDB's own list, which knows nothing of the schemas"
    query = """select unit, derived, vocab, claim from columns
        where table_name = 'models' and column_name = '{}'"""
    assert in_database(built, query.format("countries")) == [(None, None, "countries", "country")]
    ((unit, derived, *_),) = in_database(built, query.format(DAYS))
    # a petaflop/s-day is 1e15 FLOP/s for 86,400 s
    assert (unit, str(derived).split(" (")[0]) == ("petaflop/s-day", "training_compute_flop / 8.64e19")
