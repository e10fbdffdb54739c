"""`traincompute sql` against queries that try to leave the dataset or never end; names give the row of the fault
list."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from click.testing import Result
from command_line import CliRunner
from strange_rows import HOSTILE

from pipeline.base.paths import Paths
from pipeline.registry.frames import Tables
from traincompute import reader
from traincompute import sql as sql_in_python
from traincompute.base.errors import FileError
from traincompute.commands.explain import explain
from traincompute.commands.revisions import revisions
from traincompute.commands.sql import sql
from traincompute.query import sealed as query

Run = Callable[..., Result]
SECRET = "sentinel-4711-must-not-leak"
ENDLESS = "select count(*) from claims a, claims b, claims c, claims d"
# functions that ignore an interrupt: the whole program must end
DEAF = "select list_sum(list_transform(range(50000000), lambda x: x * x % 7))"
IMPATIENT = "from traincompute.query import sealed; sealed.GRACE_S = 0.1; from traincompute.cli import main; main()"


@pytest.fixture(scope="module")
def data(strange: tuple[Paths, Tables]) -> Path:
    """The published files of the small checkout with a record under a hostile name."""
    return strange[0].processed


@pytest.fixture
def run(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `sql` in a folder with a sentinel, and checks whether anything has been added to it."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "secret.csv").write_text(f"a,b\n1,{SECRET}\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(data))
    monkeypatch.setenv("SENTINEL", SECRET)
    before = sorted(path.name for path in data.resolve().rglob("*"))

    def invoke(*words: str) -> Result:
        result = CliRunner().invoke(sql, list(words))
        assert [path.name for path in folder.iterdir()] == ["secret.csv"], "a file was written"
        assert sorted(path.name for path in data.resolve().rglob("*")) == before, "the dataset's folder has changed"
        return result

    return invoke


@pytest.mark.parametrize("command", [explain, revisions], ids=lambda command: command.name)
def test_row_34_a_hostile_name_is_a_bound_parameter(run: Run, command: object) -> None:
    assert CliRunner().invoke(command, [HOSTILE]).exit_code == 0
    assert CliRunner().invoke(command, ["x' or '1'='1"]).output.count("\n") <= 2, "the condition was taken as SQL"
    assert run("select count(*) > 0 as alive from models").output.split()[-1] == "true"


@pytest.mark.parametrize(
    "statement",
    [
        "select * from read_text('secret.csv')",
        "select * from read_blob('secret.csv')",
        "select * from read_csv('secret.csv')",
        "select * from read_json('secret.csv', format = 'unstructured')",
        "select * from sniff_csv('secret.csv')",
        "select * from 'secret.csv'",
        "select * from glob('*')",
        "select * from query('select * from read_text(''secret.csv'')')",
        "with a as (from read_text('secret.csv')) select * from a",
        "explain analyze select * from read_text('secret.csv')",
        "summarize 'secret.csv'",
        "select getenv('SENTINEL')",
        "select * from sql",  # a Python variable of that name is not a table
        "select * from 'https://example.org/a.parquet'",
    ],
)
def test_row_35_nothing_outside_the_dataset_is_read(run: Run, statement: str) -> None:
    result = run(statement)
    assert result.exit_code == 1
    assert SECRET not in result.output
    assert result.output.startswith("Error: ")
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "statement",
    [
        "COPY models TO 'out.csv'",
        "COPY (SELECT 1) TO '/dev/stdout'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO 'out.csv'",
        "EXPLAIN COPY models TO 'out.csv'",
        "ATTACH 'out.duckdb' AS other",
        "ATTACH ':memory:' AS other",
        "INSTALL httpfs",
        "LOAD httpfs",
        "UPDATE EXTENSIONS",
        "SET enable_external_access = true",
        "SET VARIABLE x = 1",
        "RESET threads",
        "EXPORT DATABASE 'out'",
        "IMPORT DATABASE 'out'",
        "PRAGMA table_info('models')",
        "PRAGMA enable_profiling",
        "CALL pragma_version()",
        "CREATE TABLE x AS SELECT 1",
        "CREATE TEMP TABLE x AS SELECT 1",
        "CREATE TEMP TABLE x AS PIVOT models ON is_notable USING count(*)",
        "COPY (PIVOT models ON is_notable USING count(*)) TO 'out.csv'",
        "CREATE SECRET x (TYPE s3)",
        "DROP TABLE models",
        "DELETE FROM models",
        "UPDATE models SET name = 'x'",
        "USE memory",
        "CHECKPOINT",
        "/* select */ BEGIN",
    ],
)
def test_row_35_what_does_not_read_is_refused_before_it_runs(run: Run, statement: str) -> None:
    result = run(statement)
    assert result.exit_code == 1
    assert "is not for `sql`, which only reads" in result.output


@pytest.mark.parametrize(
    "statement", ["select 1; select 2", "select 1; COPY models TO 'out.csv'", "; select 1; drop table models"]
)
def test_row_35_one_statement_only(run: Run, statement: str) -> None:
    result = run(statement)
    assert result.exit_code == 1
    assert "one statement at a time" in result.output


def test_row_35_a_change_hidden_in_a_reading_statement_fails(run: Run) -> None:
    result = run("with gone as (delete from models returning *) select * from gone")
    assert (result.exit_code, result.output) == (1, "Error: the dataset is open for reading only\n")
    assert run("select count(*) > 0 as alive from models").output.split()[-1] == "true"


@pytest.mark.parametrize(
    "statement",
    [
        "select 1",
        "-- a remark\n(select 1)",
        "with a as (select 1) select * from a",
        "from models limit 1",
        "values (1)",
        "table sources",
        "describe models",
        "show tables",
        "summarize sources",
        "pivot models on is_notable using count(*) group by organization_category",
        "explain select 1",
        "explain analyze select 1;",
    ],
)
def test_row_35_what_reads_is_allowed(run: Run, statement: str) -> None:
    assert run("--", statement).exit_code == 0


def test_row_36_a_runaway_cross_join_ends_at_the_time_limit(run: Run) -> None:
    start = time.process_time()
    result = run("--timeout", "0.2", ENDLESS)
    assert time.process_time() - start < 10
    assert (result.exit_code, result.output) == (
        1,
        "Error: stopped after 0.2 s; --timeout SECONDS allows it more time\n",
    )


def test_row_36_endless_rows_end_at_the_time_limit(run: Run) -> None:
    start = time.process_time()
    result = run("--timeout", "0.05", "--csv", "select 1 as one from range(1000000000000)")
    assert time.process_time() - start < 30
    assert result.exit_code == 1
    assert "stopped after 0.05 s" in result.stderr


def test_row_36_a_function_deaf_to_interrupts_ends_too(data: Path) -> None:
    words = [sys.executable, "-c", IMPATIENT, "sql", "--timeout", "0.5", DEAF]
    ended = subprocess.run(
        words, capture_output=True, text=True, timeout=300, env=os.environ | {"TRAINCOMPUTE_DATA": str(data)}
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "Traceback" not in ended.stderr
    assert "stopped after 0.5 s" in ended.stderr


def test_fault_69_a_file_that_is_cut_is_one_line_where_it_is_read(tmp_path: Path) -> None:
    """What DuckDB needs to open a file stands before the rows, so that only reading them fails."""
    file = tmp_path / "cut.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table kept as select 1 as n")
        connection.execute("checkpoint")
        connection.execute("create table t as select sha256(range::text) as digest from range(60000)")
    file.write_bytes(file.read_bytes()[: -2 * 262_144])
    with pytest.raises(FileError) as caught, query.open_sealed(file) as connection:
        connection.execute("select count(distinct digest) from t").fetchall()
    assert re.fullmatch(rf"{file} cannot be (opened|read): [^\n]+", str(caught.value))
    assert str(caught.value).endswith("; build the dataset or download the release again")


def test_fault_92_an_endless_result_in_python_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LARGEST_RESULT", 10_000_000)
    with pytest.raises(ValueError, match=r"the result is larger than 0\.01 GB; select fewer rows or columns"):
        sql_in_python("select * from range(300000000)", version=str(data))
    assert sql_in_python("select 1 as a, 2 as a", version=str(data)).columns.tolist() == ["a", "a_1"]
