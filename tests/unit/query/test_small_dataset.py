"""What a dataset of a few columns says about itself."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from traincompute.base.errors import did_you_mean
from traincompute.database import rows, rows_if_held
from traincompute.query.rendering import flatten, to_frame
from traincompute.query.run import describe_table, list_tables, read_columns, read_meanings

COLUMNS = """create table columns as select * from (values
    ('models', 'model_id', 1, null, 'the id', null, null), ('models', 'flop', 2, 'FLOP', 'the compute', null, \
'compute'),
    ('models', 'tags', 3, null, null, 'from the name', null)
) t(table_name, column_name, position, unit, description, derived, claim)"""
MADE = [
    "create table models (model_id varchar, flop double, tags varchar[])",
    "comment on table models is 'one row per model'",
    "comment on column models.flop is 'the compute, in FLOP'",
    "insert into models values ('b', null, ['x', 'y']), ('a', 3.14e23, null), ('c', 2.5, null)",
    "create table nothing (model_id varchar, words varchar[])",
    "create view leaders as select model_id, flop as most, flop from models",
    "comment on column leaders.flop is 'the compute, in FLOP'",
    "comment on column leaders.most is 'the most'",
]


@pytest.fixture(scope="module")
def old() -> Iterator[duckdb.DuckDBPyConnection]:
    """A dataset from before there was a table of columns."""
    with duckdb.connect() as connection:
        for statement in MADE:
            connection.execute(statement)
        yield connection


@pytest.fixture(scope="module")
def new() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for statement in (*MADE, COLUMNS):
            connection.execute(statement)
        yield connection


def column(name: str, kind: str, *about: str | None) -> dict[str, str | None]:
    return dict(zip(("name", "type", "unit", "description", "derived", "claim"), (name, kind, *about), strict=True))


def test_columns_mean_what_the_table_of_columns_says(new: duckdb.DuckDBPyConnection) -> None:
    of_models = [
        column("model_id", "VARCHAR", None, "the id", None, None),
        column("flop", "DOUBLE", "FLOP", "the compute", None, "compute"),
        column("tags", "VARCHAR[]", None, "", "from the name", None),
    ]
    assert read_columns(new, "models") == of_models
    untyped = [{key: value for key, value in each.items() if key != "type"} for each in of_models]
    assert read_meanings(new, "models") == [*untyped[:2], untyped[2] | {"description": None}]
    # what carries the comment of a column means the same; what says something else is something else
    assert read_columns(new, "leaders") == [
        column("model_id", "VARCHAR", None, "", None, None),
        column("most", "DOUBLE", None, "the most", None, None),
        column("flop", "DOUBLE", "FLOP", "the compute", None, "compute"),
    ]


def test_tables_have_rows_and_views_say_that_they_are_views(old: duckdb.DuckDBPyConnection) -> None:
    assert list_tables(old) == [
        {"table": "leaders", "rows": None, "columns": 3, "description": "", "view": True},
        {"table": "models", "rows": 3, "columns": 3, "description": "one row per model"},
        {"table": "nothing", "rows": 0, "columns": 2, "description": ""},
    ]


def test_a_column_has_the_share_that_is_filled_and_an_example(new: duckdb.DuckDBPyConnection) -> None:
    """Of the fullest row that has one, the first by its key where several are as full."""
    described = describe_table(new, {"table": "models", "description": "d"})
    assert (described["rows"], described["description"]) == (3, "d")
    told = [(c["meaning"], c["derived"], c["fill_rate"], c["example"]) for c in described["columns"]]
    assert told == [
        ("the id", None, 1.0, "a"),
        ("the compute", None, 0.6667, "3.14e+23"),
        ("", "from the name", 0.3333, "x;y"),
    ]
    view = describe_table(new, {"table": "leaders", "view": True})
    assert [(c["name"], c["unit"], c["meaning"]) for c in view["columns"]][2] == ("flop", "FLOP", "the compute")
    empty, _ = describe_table(new, {"table": "nothing"})["columns"]
    assert (empty["fill_rate"], empty["example"]) == (None, None)


def test_rows_take_parameters_and_a_table_may_be_missing(old: duckdb.DuckDBPyConnection) -> None:
    assert rows(old, "select $1 as a, $2 as b", 1, "x") == [{"a": 1, "b": "x"}]
    assert rows(old, "select $b as b", b=2) == [{"b": 2}]
    assert rows_if_held(old, "columns", "select * from columns") == []
    assert rows_if_held(old, "nothing", "select model_id from models where flop = ?", 2.5) == [{"model_id": "c"}]
    with pytest.raises(duckdb.CatalogException, match="columns"):
        rows_if_held(old, "models", "select * from columns")


def test_the_nearest_name_is_the_first_that_only_adds_words() -> None:
    names = ["training_compute", "training_compute_flop", "training_compute_low"]
    assert did_you_mean("Training_Compute", names) == "; did you mean training_compute_flop?"
    assert did_you_mean("training_computed", names) == "; did you mean training_compute?"
    assert did_you_mean("abcde", ["abxyz", "model_id"]) == ""
    assert did_you_mean("h1000", ["H100", "A100"]) == "; did you mean H100?"
    assert did_you_mean("energy", ["name", "training_energy_kwh"]) == "; did you mean training_energy_kwh?"


def test_bytes_are_hexadecimal_in_csv() -> None:
    assert flatten(pa.table({"a": [b"\xaa", None]}))["a"].to_pylist() == ["aa", None]


def test_a_frame_keeps_days_whole_numbers_and_lists() -> None:
    day, whole = pd.Timestamp("2020-05-28"), pa.array([1, None], pa.int8())
    table = pa.table(
        {
            "day": pa.array([day.date(), None], pa.date32()),
            "sum": pa.array([Decimal(3), None], pa.decimal128(38, 0)),
            "list": [["a"], None],
            "small": whole,
            "large": whole.cast(pa.uint64()),
            "true": [True, None],
        }
    )
    frame = to_frame(table)
    kinds = {
        "day": "datetime64[s]",
        "sum": "float64",
        "list": "object",
        "small": "Int8",
        "large": "UInt64",
        "true": "boolean",
    }
    assert frame.dtypes.astype(str).to_dict() == kinds
    assert frame.iloc[0].to_list() == [day, 3.0, ["a"], 1, 1, True]
    assert frame.loc[1, "list"] is None
