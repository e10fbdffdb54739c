"""What is said of a DuckDB file that is not what the manifest, the Parquet files and the SQL beside it say."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet
from tiny_release import MODELS

from traincompute.base.places import ReleaseError
from traincompute.verification.database import check_database
from traincompute.verification.definitions import definition_faults, table_statements, view_statements
from traincompute.verification.functions import Functions

DATABASE, SQL = "traincompute.duckdb", "traincompute.sql"
MADE = f"is not what {SQL} and the Parquet files make"
LONG = "x" * 101


def spoil(folder: Path, *statements: str) -> None:
    """Runs the statements on the database, beside which no hash is left."""
    (folder / f"{DATABASE}.sha256").unlink()
    with duckdb.connect(str(folder / DATABASE)) as connection:
        for statement in statements:
            connection.execute(statement)


def problems(folder: Path) -> list[str]:
    tables = json.loads((folder / "manifest.json").read_bytes())["tables"]
    return [line.removeprefix(f"{DATABASE}: ") for line in check_database(folder, tables)]


def test_a_sound_database_with_sql_of_two_megabytes(tiny_release: Path) -> None:
    sql = (tiny_release / SQL).read_bytes()
    (tiny_release / SQL).write_bytes(sql.ljust(2_000_000))
    assert problems(tiny_release) == []
    with (tiny_release / SQL).open("ab") as file:
        file.truncate(2_000_001)
    assert problems(tiny_release) == [f"{SQL}: is larger than 2 MB"]


def test_a_file_that_is_missing_or_is_another(tiny_release: Path) -> None:
    (tiny_release / SQL).unlink()
    (tiny_release / f"{DATABASE}.sha256").write_text("0")
    assert problems(tiny_release) == [f"{DATABASE}.sha256: is not the sha256 of {DATABASE}", f"{SQL}: is missing"]
    with (tiny_release / DATABASE).open("ab") as file:
        file.write(b"more")
    assert "has bytes that are not of the database" in problems(tiny_release)
    (tiny_release / DATABASE).write_bytes(b"garbage")
    assert "cannot be opened" in problems(tiny_release)[1]
    (tiny_release / DATABASE).unlink()
    assert problems(tiny_release) == ["is missing"]


def test_tables_too_many_or_too_few_and_names_that_none_has(tiny_release: Path) -> None:
    spoil(
        tiny_release,
        "drop table sources",
        f"create table {LONG} (a int)",
        "create schema other",
        "create table other.models (a int)",
        f'create view "A{LONG}" as select 1',
        'create macro "Tera"(x) as x',
    )
    plain = "is not the name of a table, view or macro of a release"
    assert problems(tiny_release) == [
        f"other.models {plain}",
        f"main.A{'x' * 94} {plain}",  # the first hundred letters
        f"main.Tera {plain}",
        "sources is no table of it",
        f"{'x' * 100} is not described in manifest.json",
    ]


def test_macros_and_views_that_reach_out_change_or_stand_in_for_what_is_built_in(tiny_release: Path) -> None:
    spoil(
        tiny_release,
        "create macro notes() as table select * from read_text('/etc/hostname')",
        "create macro sum(x) as 42",
        "create view by_chance as select uuid() as a, random() as b",
        "create view recent as select current_date as a",
        "create view listed as select * from duckdb_tables()",  # a view may list, a macro not
        "create view duckdb_columns as select 1 as a",
    )
    depends = "depends on a setting, the time or chance"
    assert problems(tiny_release) == [
        "the macro notes reaches beyond the tables",
        f"the view by_chance {depends}: random",
        f"the view recent {depends}: current_date",
        "the macro sum bears the name of a function of DuckDB",
        "the view duckdb_columns bears the name of a view of DuckDB",
    ]


def test_things_that_are_defined_otherwise_are_named_by_kind(tiny_release: Path) -> None:
    spoil(
        tiny_release,
        "comment on table sources is 'Voices'",
        "alter table models alter parameters set default 0",
        f"create index {LONG} on sources (source_id)",
        "create sequence counted",
        "create or replace macro pfs_days(flop := 1) as flop / 8.64e19",
        "create or replace view leaders as select name from models order by parameters",
    )
    assert problems(tiny_release) == [
        f"table main.models {MADE}",
        f"table main.sources {MADE}",
        f"column main.models.parameters {MADE}",
        f"parameters of pfs_days {MADE}",
        f"index main.{'x' * 89} {MADE}",  # a hundred letters
        f"sequence main.counted {MADE}",
    ]


def test_views_and_macros_that_are_worded_otherwise_are_named(tiny_release: Path) -> None:
    spoil(
        tiny_release,
        "create or replace macro pfs_days(flop) as flop / 8.64e16",
        "create or replace view leaders as select name from models order by training_compute_flop",
    )
    assert problems(tiny_release) == [f"macro main.pfs_days {MADE}", f"view main.leaders {MADE}"]


def test_rows_that_are_others_are_told_of_each_table(tiny_release: Path) -> None:
    spoil(
        tiny_release,
        "insert into sources values ('third', true)",
        "update models set parameters = 1 where model_id = 'bert'",
    )
    assert problems(tiny_release) == [
        "the contents of models are not those that manifest.json describes",
        "sources has 3 rows, but 2 in manifest.json",
    ]


@pytest.mark.parametrize(
    ("message", "said"), [("x" * 301 + "\nmore", "x" * 300), ("first\nsecond", "first"), ("", "ArrowInvalid")]
)
def test_a_message_of_the_reader_is_told_in_one_line_of_at_most_300_characters(
    tiny_release: Path, monkeypatch: pytest.MonkeyPatch, message: str, said: str
) -> None:
    def refuse(*_: object) -> None:
        raise pa.ArrowInvalid(message)

    monkeypatch.setattr(parquet, "read_schema", refuse)
    assert problems(tiny_release) == [said]


# --- the SQL beside it ---


DESCRIBED = pa.schema([pa.field("a", pa.string(), metadata={"description": "x" * 300})])


def refused(folder: Path, *sql: str) -> str:
    (folder / SQL).write_text(";\n".join(sql))
    with duckdb.connect() as connection, pytest.raises(ReleaseError) as error:
        definition_faults(connection, folder, {"t": DESCRIBED}, Functions([], []), "100MB")
    return str(error.value)


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ("comment on column t.a is 'other'", "\"comment on column t.a is 'other'\""),
        (f"insert into t values ('{LONG}')", f'"insert into t values (\'{"x" * 77}"'),  # a hundred letters
    ],
)
def test_sql_that_does_something_else_is_refused(tmp_path: Path, more: str, shown: str) -> None:
    told = refused(tmp_path, *table_statements("t", DESCRIBED), more)
    assert told == f"{SQL}: {shown} is nothing that makes a release's database"


def test_sql_that_cannot_be_run_is_told_in_300_letters(tmp_path: Path) -> None:
    assert refused(tmp_path, "create view").startswith(f"{SQL}: Parser Error: syntax error")
    told = refused(tmp_path, *table_statements("t", DESCRIBED), f'create view v as select "{"y" * 400}" from t')
    assert told.startswith(f"{SQL}: Binder Error: ")
    assert len(told) == len(f"{SQL}: ") + 300


def test_sql_that_lacks_what_the_parquet_file_says_is_refused(tmp_path: Path) -> None:
    create, *_, comment = table_statements("t", DESCRIBED)
    assert refused(tmp_path, create) == f"{SQL}: lacks {comment[:200]!a}, as the Parquet file has it"


def test_a_table_is_made_with_types_and_comments_of_its_schema() -> None:
    about = {"description": "It's compute", "unit": "FLOP", "derived": "6·N·D"}
    schema = pa.schema(
        [pa.field("id", pa.string(), nullable=False), pa.field("flop", pa.float64(), metadata=about)],
        metadata={"title": "Models", "description": "All"},
    )
    assert table_statements('a"b', schema) == [
        'CREATE TABLE "a""b" ("id" VARCHAR NOT NULL, "flop" DOUBLE)',
        'COMMENT ON TABLE "a""b" IS \'Models. All\'',
        'COMMENT ON COLUMN "a""b"."id" IS \'\'',
        'COMMENT ON COLUMN "a""b"."flop" IS \'It\'\'s compute [FLOP]. Derived: 6·N·D\'',
    ]
    with pytest.raises(ValueError, match="column big of t is of no published type"):
        table_statements("t", pa.schema([("big", pa.decimal128(9)), ("bigger", pa.decimal128(12))]))


def test_views_and_macros_are_made_anew_each_behind_what_it_names(tmp_path: Path) -> None:
    statements = [
        *table_statements("models", MODELS.schema),
        "create view b as select name, training_compute_flop as flop from models",
        "create view a as select tera(flop) as tera, tera(flop, 2) as twice from b",
        "create macro tera(x) as x / 1e12, (x, n) as n * x / 1e12",
        "create macro above(least) as table select name from b where flop > least",
        "comment on macro tera is 'In TFLOP'",
        "comment on view b is 'Compute'",
        "comment on column b.flop is 'FLOP'",
    ]
    with duckdb.connect(str(tmp_path / "made.duckdb")) as made:
        for statement in (*statements[:-6], *statements[-5:-3], statements[-6], *statements[-3:]):
            made.execute(statement)
    with duckdb.connect(str(tmp_path / "made.duckdb")) as made, duckdb.connect() as again:
        for statement in (*table_statements("models", MODELS.schema), *view_statements(made)):
            again.execute(statement)
        again.execute("insert into models (name, training_compute_flop) values ('AlexNet', 4.7e17)")
        assert again.sql("from a").fetchall() == [(4.7e5, 9.4e5)]
        assert again.sql("from above(1e17)").fetchall() == [("AlexNet",)]
        listed = "select comment from duckdb_functions() where function_name = 'tera'"
        assert again.sql(listed).fetchall() == [("In TFLOP",)] * 2
        assert again.sql("select comment from duckdb_columns() where column_name = 'flop'").fetchall()[-1] == ("FLOP",)
