"""What each format of an export holds of rows made by hand: meanings, limits, and the values that it has no type
for."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from python_calamine import CalamineWorkbook

from traincompute.base.errors import InputError, NotFoundError
from traincompute.citation import cite_short
from traincompute.export import files
from traincompute.export.content import Column, Content, read_content
from traincompute.export.files import write_file

EDITION = {
    "version": "2026.11.0",
    "date": None,
    "facts_until": "2026-08-22",
    "entered_until": "2026-11-28",
    "manifest_sha256": "0" * 64,
    "url": None,
}
RELEASED = {**EDITION, "date": "2026-11-27"}
EPOCH = {"source_id": "epoch_all", "publisher": "Epoch AI", "attribution": "Epoch AI (2026)", "facts": 3, "url": None}
HELM = EPOCH | {"publisher": "Stanford", "attribution": "HELM (2025)", "url": "https://crfm.stanford.edu/helm"}


def content(**columns: object) -> Content:
    """A table of FLOP of a build without sources."""
    data = pa.table(columns)
    return Content("made_up", data, [Column("what it is", "FLOP")] * data.num_columns, EDITION, [])


def written(made: Content, file: Path) -> None:
    write_file(made, file, file)


CITED = cite_short(RELEASED)


@pytest.fixture(scope="module")
def dataset() -> duckdb.DuckDBPyConnection:
    """Two tables with a column of the same name, and a view."""
    connection = duckdb.connect()
    connection.execute(f"""
        create table models as select 'a' as name, 1e25 as flop, 2 as note;
        create table hardware as select 'a' as name, 3 as memory, 4 as plain;
        create view leaders as select name from models;
        create table sources as select '{EPOCH["attribution"]}' as attribution, 'Epoch AI' as publisher, 3 as facts,
            'epoch_all' as source_id, null as url;
        comment on column models.name is 'of a model';
        comment on column leaders.name is 'of a model';
        create table columns (table_name text, column_name text, description text, unit text, derived text, claim text);
        insert into columns values ('models', 'name', 'of a model', null, null, null),
            ('models', 'flop', 'compute', 'FLOP', null, null), ('hardware', 'name', 'of a chip', 'B', null, null),
            ('hardware', 'memory', 'bytes', 'byte', null, null), ('models', 'note', 'a remark', null, null, null)""")
    return connection


def test_a_table_is_exported_with_its_name_meanings_and_sources(dataset: duckdb.DuckDBPyConnection) -> None:
    found = read_content(dataset, "models", None, EDITION)
    assert (found.name, found.data.to_pylist()) == ("models", [{"name": "a", "flop": 1e25, "note": 2}])
    assert found.columns == [Column("of a model"), Column("compute", "FLOP"), Column("a remark")]
    assert [source["attribution"] for source in found.sources] == ["Epoch AI (2026)"]
    assert read_content(dataset, "leaders", None, EDITION).columns == [Column("of a model")]
    with pytest.raises(NotFoundError, match="no table modles; did you mean models"):
        read_content(dataset, "modles", None, EDITION)


def test_a_column_of_a_query_means_what_it_means_in_the_tables_that_are_read(
    dataset: duckdb.DuckDBPyConnection,
) -> None:
    both = "select name, memory, plain, 1 as note, 2 as name from hardware"
    found = read_content(dataset, None, both, EDITION)
    assert (found.name, found.data.column_names) == ("query", ["name", "memory", "plain", "note", "name_1"])
    assert found.columns == [Column("of a chip", "B"), Column("bytes", "byte"), Column(), Column(), Column()]
    joined = read_content(dataset, None, "select name, flop from Models join hardware using (name)", EDITION)
    assert joined.columns == [Column("of a chip", "B"), Column("compute", "FLOP")], "of hardware, the first by name"


def test_a_workbook_has_the_rows_the_meanings_and_the_origin(tmp_path: Path) -> None:
    file = tmp_path / "x.xlsx"
    data = pa.table(
        {
            "=1+1": ["=2+2", ""],
            "42": [1.5, float("nan")],
            "https://example.org": [True, None],
            "day": [date(1900, 3, 1), date(1900, 2, 28)],
            "time": [datetime(2024, 2, 29, 12, 30), None],
        }
    )
    columns = [Column("a sum"), Column("how much", "FLOP"), *[Column()] * 3]
    written(Content("n" * 32, data, columns, RELEASED, [EPOCH, HELM]), file)
    book = CalamineWorkbook.from_path(str(file))
    assert book.sheet_names == ["n" * 31, "columns", "about"], "Excel allows 31 signs"
    sheets = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]
    assert sheets[0] == [
        data.column_names,
        ["=2+2", 1.5, True, date(1900, 3, 1), "2024-02-29 12:30:00"],
        ["", "", "", "1900-02-28", ""],  # before March 1900 Excel counts a day that never was
    ]
    assert sheets[1][:3] == [["column", "unit", "meaning"], ["=1+1", "", "a sum"], ["42", "FLOP", "how much"]]
    assert sheets[2] == [
        ["what", ""],
        ["version", "2026.11.0"],
        ["facts to", "2026-08-22"],
        ["entered by hand to", "2026-11-28"],
        ["licence", "CC-BY-4.0, https://creativecommons.org/licenses/by/4.0/"],
        ["how to cite", CITED],
        ["with facts of", "Epoch AI (2026)"],
        ["with facts of", "HELM (2025)"],
    ]


def test_what_a_sheet_cannot_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.xlsx"
    with pytest.raises(InputError, match=r"1,048,576 rows .*; export CSV"):
        written(content(a=pa.nulls(files.SHEET_ROWS + 1)), file)
    monkeypatch.setattr(files, "SHEET_ROWS", 2)
    written(content(a=[1, 2]), file)
    written(content(a=["x" * 32_767]), file)
    with pytest.raises(InputError, match=r"row 2, column 3: .*; export CSV"):
        written(content(a=[1, 2], b=[1, 2], c=["x", "x" * 32_768]), file)


def test_what_stata_can_hold(tmp_path: Path) -> None:
    file = tmp_path / "x.dta"
    made = content(
        text=["é" * 3000, None],
        small=[1, None],
        whole=[2_147_483_620, 1],
        large=[2_147_483_621, None],
        below=[-(2**53), 2**53],
        none=pa.nulls(2, pa.int32()),
        yes=[True, None],
        share=[0.25, None],
        day=[date(2020, 5, 28), None],
        time=[datetime(2024, 2, 29), None],
    )
    written(made, file)
    found = pd.read_stata(file)
    assert list(found) == made.data.column_names
    assert found["text"].tolist() == ["é" * 3000, ""]
    assert found["whole"].tolist() == [2_147_483_620, 1]
    assert found["below"].tolist() == [-(2**53), 2**53]
    assert (found["small"][0], found["large"][0], found["yes"][0], found["share"][0]) == (1, 2_147_483_621, 1, 0.25)
    assert (found["day"][0], found["time"][0]) == (pd.Timestamp(2020, 5, 28), pd.Timestamp(2024, 2, 29))
    assert found[["small", "large", "yes", "share", "day", "time"]].isna().iloc[1].all()
    assert found["none"].isna().all()
    assert file.read_bytes().startswith(b"<stata_dta><header><release>118</release>")


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ([-(2**53) - 1, 0], "column wide holds numbers that Stata cannot hold exactly"),
        ([float("inf")], "Stata cannot hold this: .*wide"),
    ],
)
def test_a_number_that_stata_cannot_hold_is_refused(tmp_path: Path, column: list[float], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        written(content(wide=column), tmp_path / "x.dta")
