"""What each format of an export holds of rows made by hand: meanings, limits, and the values that it has no type
for."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from python_calamine import CalamineWorkbook
from release_folders import EPOCH
from test_citation import BUILD

from traincompute.base.errors import NotFoundError
from traincompute.export.files import Content, excel_file, meaning, read_content


def content(**columns: object) -> Content:
    """A table of FLOP of a build with one source."""
    data = pa.table(columns)
    return Content("n" * 32, data, [meaning("what it is", "FLOP")] * data.num_columns, BUILD, [EPOCH])


def test_columns_mean_what_they_mean_in_the_tables_that_are_read() -> None:
    connection = duckdb.connect()
    connection.execute("""
        create table models as select 'a' as name, 1e25 as flop;
        create table hardware as select 'a' as name, 3 as memory;
        create view leaders as select name from models;
        create table sources as select 'Epoch' as attribution, 'Epoch AI' as publisher, 3 as facts, 'e' as source_id;
        comment on column models.name is 'of a model';
        comment on column leaders.name is 'of a model';
        create table columns (table_name text, column_name text, description text, unit text, derived text, claim text);
        insert into columns values ('models', 'name', 'of a model', null, null, null),
            ('models', 'flop', 'compute', 'FLOP', null, null), ('hardware', 'name', 'of a chip', 'B', null, null)""")
    found = read_content(connection, "models", None, BUILD)
    assert (found.name, found.data.to_pylist()) == ("models", [{"name": "a", "flop": 1e25}])
    assert found.meanings == [meaning("of a model", ""), meaning("compute", "FLOP")]
    assert [source["attribution"] for source in found.sources] == ["Epoch"]
    assert read_content(connection, "leaders", None, BUILD).meanings == [meaning("of a model", "")]
    query = "select name, flop, 1 as name from Models join hardware using (name)"
    joined = read_content(connection, None, query, BUILD)
    assert joined.data.column_names == ["name", "flop", "name_1"]
    assert joined.meanings == [meaning("of a chip", "B"), meaning("compute", "FLOP"), meaning("", "")]
    with pytest.raises(NotFoundError, match="no table modles; did you mean models"):
        read_content(connection, "modles", None, BUILD)


def test_a_workbook_has_the_rows_the_meanings_and_the_origin(tmp_path: Path) -> None:
    made = content(
        **{
            "=1+1": ["=2+2", "b"],
            "42": [1.5, None],
            "https://example.org": [True, None],
            "day": [date(1900, 3, 1), None],
        }
    )
    excel_file(made, tmp_path / "x.xlsx")
    book = CalamineWorkbook.from_path(str(tmp_path / "x.xlsx"))
    assert book.sheet_names == ["n" * 31, "columns"], "Excel allows 31 signs"
    sheets = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]
    assert sheets[0] == [made.data.column_names, ["=2+2", 1.5, True, date(1900, 3, 1)], ["b", *[""] * 3]]
    assert sheets[1][:2] == [["column", "unit", "meaning"], ["=1+1", "FLOP", "what it is"]]
    assert str(EPOCH["attribution"]) in sheets[1][-1][2]
