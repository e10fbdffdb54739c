"""The published table `columns` says what the schemas do."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb

from pipeline.paths import CHECKOUT, Paths
from pipeline.publish.publication import create_views
from pipeline.schema import load_schemas, load_views
from traincompute.query.columns import read_columns

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
    query = "select unit, derived, vocab, claim from columns where table_name = 'models' and column_name = '{}'"
    assert in_database(built, query.format("countries")) == [(None, None, "countries", "country")]
    ((unit, derived, *_),) = in_database(built, query.format(DAYS))
    # a petaflop/s-day is 1e15 FLOP/s for 86,400 s
    assert (unit, str(derived).split(" (")[0]) == ("petaflop/s-day", "training_compute_flop / 8.64e19")


def test_a_view_knows_the_unit_of_the_column_that_it_shows(built: Paths, tmp_path: Path) -> None:
    """The FLOP of large_scale_models are those of models."""
    file = tmp_path / "traincompute.duckdb"
    shutil.copy(built.processed / "traincompute.duckdb", file)
    with duckdb.connect(str(file)) as connection:
        views = [view for view in load_views(Paths(CHECKOUT)) if not view.is_macro]  # those it has
        create_views(connection, views, load_schemas(built))
        shown = {row["name"]: row for row in read_columns(connection, "large_scale_models", is_view=True)}
        own = {row["name"]: row for row in read_columns(connection, "frontier_models", is_view=True)}
    assert shown[FLOP]["unit"] == "FLOP"
    assert (own["is_top5"]["description"], own["is_top5"]["unit"]) == ("whether it was among the five largest", None)
