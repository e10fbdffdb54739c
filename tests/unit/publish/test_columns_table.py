"""The published table `columns`: what the schemas declare is what people and programs read, without any parsing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
from click.testing import CliRunner

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.publish.views import create_views
from pipeline.registry.schema import load_schemas
from pipeline.registry.views import load_views
from traincompute.commands.explain import explain
from traincompute.query.columns import read_columns

FLOP, DAYS = "training_compute_flop", "training_compute_pfs_days"
MULTIPLY_ADD = "Compute of the whole training run (base models included): one multiply-add is two operations"


def in_database(built: Paths, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(built.processed / "traincompute.duckdb"), read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_every_column_of_every_table_has_a_row_in_its_place(built: Paths) -> None:
    named = in_database(built, "select table_name, column_name, position from columns order by table_name, position")
    declared = [
        (table.name, column.name, place)
        for table in load_schemas(built).values()
        for place, column in enumerate(table.columns, 1)
    ]
    assert named == sorted(declared, key=lambda row: (row[0], row[2]))
    # DuckDB's own list of the file, which knows nothing of the schemas
    found = in_database(
        built,
        "select table_name, column_name from duckdb_columns() join duckdb_tables() using (table_name, internal) "
        "where not internal order by all",
    )
    assert found == sorted((table, column) for table, column, _ in named)


def test_unit_derivation_vocabulary_and_claim_are_columns(built: Paths) -> None:
    query = "select unit, derived, vocab, claim from columns where table_name = 'models' and column_name = '{}'"
    assert in_database(built, query.format(FLOP)) == [("FLOP", None, None, None)]
    assert in_database(built, query.format("countries")) == [(None, None, "countries", "country")]
    ((unit, derived, *_),) = in_database(built, query.format(DAYS))
    # a petaflop/s-day is 1e15 FLOP/s for 86,400 s
    assert (unit, str(derived).split(" (")[0]) == ("petaflop/s-day", "training_compute_flop / 8.64e19")


def test_brackets_and_the_word_derived_in_a_description_stay_in_it(tmp_path: Path) -> None:
    """A description may say anything: unit and derivation are not taken from its words."""
    file = tmp_path / "traincompute.duckdb"
    odd = "Share of the run [see docs]. Derived: from a note [1]"
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table t (a double)")
        connection.execute(
            "create table columns as select 't' as table_name, 'a' as column_name, $odd as description, null as unit, "
            "null as derived, null as claim",
            {"odd": odd},
        )
        (column,) = read_columns(connection, "t")
    assert (column["description"], column["unit"], column["derived"]) == (odd, None, None)


def test_a_view_knows_the_unit_of_the_column_that_it_shows(built: Paths, tmp_path: Path) -> None:
    """large_scale_models shows training_compute_flop of models; is_top5 of frontier_models is its own."""
    file = tmp_path / "traincompute.duckdb"
    shutil.copy(built.processed / "traincompute.duckdb", file)
    with duckdb.connect(str(file)) as connection:
        views = [view for view in load_views(Paths(CHECKOUT)) if not view.is_macro]  # those it has
        create_views(connection, views, load_schemas(built))
        shown = {row["name"]: row for row in read_columns(connection, "large_scale_models", is_view=True)}
        own = {row["name"]: row for row in read_columns(connection, "frontier_models", is_view=True)}
    assert (shown[FLOP]["description"], shown[FLOP]["unit"]) == (MULTIPLY_ADD, "FLOP")
    assert (own["is_top5"]["description"], own["is_top5"]["unit"]) == ("whether it was among the five largest", None)
    assert list(own)[-1] == "is_frontier_upstream"


def test_a_field_is_found_by_its_own_name_first(built: Paths) -> None:
    """organization is a column, and the field of the claims that the column organizations carries."""

    def asked(name: str) -> dict[str, object]:
        found = CliRunner().invoke(explain, ["gpt-3", "--field", name, "--json", "--data", str(built.processed)])
        known: dict[str, object] = json.loads(found.stdout)
        return known

    lists = asked("organizations")
    assert [asked("organization")["field"], lists["field"]] == ["organization", "organizations"]
    assert asked("base-model")["field"] == "base_model_id"
    assert lists["claims"], "the claims of `organization` are those of the column"
