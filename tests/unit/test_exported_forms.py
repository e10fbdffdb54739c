"""What the columns of an export mean."""

from __future__ import annotations

import duckdb
import pytest

from traincompute.base.errors import NotFoundError
from traincompute.export import Content, read_content

OF_A_MODEL, COMPUTE = ("of a model", None), ("compute", "FLOP")


def meanings(content: Content) -> list[tuple[str | None, str | None]]:
    return [(column.get("description"), column.get("unit")) for column in content.columns]


def test_columns_mean_what_they_mean_in_the_tables_that_are_read() -> None:
    connection = duckdb.connect()
    connection.execute("""
        create table models as select 'a' as name, 1e25 as flop;
        create table hardware as select 'a' as name, 3 as memory;
        create view leaders as select name from models;
        comment on column models.name is 'of a model';
        comment on column leaders.name is 'of a model';
        create table columns (table_name text, column_name text, description text, unit text, derived text, claim text);
        insert into columns values ('models', 'name', 'of a model', null, null, null),
            ('models', 'flop', 'compute', 'FLOP', null, null), ('hardware', 'name', 'of a chip', 'B', null, null)""")
    found = read_content(connection, "models", None)
    assert (found.name, found.data.to_pylist()) == ("models", [{"name": "a", "flop": 1e25}])
    assert meanings(found) == [OF_A_MODEL, COMPUTE]
    assert meanings(read_content(connection, "leaders", None)) == [OF_A_MODEL]
    query = "select name, flop, 1 as name from Models join hardware using (name)"
    joined = read_content(connection, None, query)
    assert joined.data.column_names == ["name", "flop", "name_1"]
    assert meanings(joined) == [("of a chip", "B"), COMPUTE, (None, None)]
    with pytest.raises(NotFoundError, match="no table modles; did you mean models"):
        read_content(connection, "modles", None)
