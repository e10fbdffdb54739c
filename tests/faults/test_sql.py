"""`traincompute sql` against queries that try to leave the dataset or never end; names give the row of the fault
list."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from command_line import CliRunner
from strange_rows import HOSTILE

from pipeline.frames import Tables
from pipeline.paths import Paths
from traincompute import sql as sql_in_python
from traincompute.base.errors import ReleaseError
from traincompute.commands.models import explain, revisions
from traincompute.commands.sql import sql

Run = Callable[..., Result]
SECRET = "sentinel-4711-must-not-leak"
MAIN = "from traincompute.cli import main; main()"
ENDLESS = "select count(*) from claims a, claims b, claims c, claims d"


@pytest.fixture(scope="module")
def data(strange: tuple[Paths, Tables]) -> Path:
    """The small checkout with a record of a hostile name."""
    return strange[0].processed


@pytest.fixture
def run(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `sql` in a folder to which nothing may be added."""
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
        "select * from 'secret.csv'",
        """select * from query('select *
            from read_text(''secret.csv'')')""",
        "explain analyze select * from read_text('secret.csv')",
        """COPY (PIVOT models ON is_notable
            USING count(*)) TO 'out.csv'""",
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
        "ATTACH 'out.duckdb' AS other",
        "INSTALL httpfs",
        "UPDATE EXTENSIONS",
        "SET enable_external_access = true",
        "EXPORT DATABASE 'out'",
        "PRAGMA enable_profiling",
        "DROP TABLE models",
        "/* select */ BEGIN",
    ],
)
def test_row_35_what_does_not_read_is_refused_before_it_runs(run: Run, statement: str) -> None:
    result = run(statement)
    assert result.exit_code == 1
    assert "`sql` only reads" in result.output


def test_row_35_a_change_hidden_in_a_reading_statement_fails(run: Run) -> None:
    result = run("""with gone as (delete
        from models returning *) select * from gone""")
    assert result.exit_code == 1
    assert run("select count(*) > 0 as alive from models").output.split()[-1] == "true"


@pytest.mark.parametrize(
    "statement",
    [
        "-- a remark\n(select 1)",
        "with a as (select 1) select * from a",
        "from models limit 1",
        "describe models",
        """pivot models on is_notable using count(*)
            group by organization_category""",
        "summarize models;",
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


def test_row_36_a_long_step_that_hears_no_interrupt_ends_soon_after(data: Path) -> None:
    query = "select list_sum(list_transform(range(100000000), lambda x: x * x))"
    environment = os.environ | {"TRAINCOMPUTE_DATA": str(data)}
    command = [sys.executable, "-c", MAIN, "sql", "--timeout", "0.2", query]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=30)
    assert (ended.returncode, ended.stderr) == (
        1,
        "Error: stopped after 0.2 s; --timeout SECONDS allows it more time\n",
    )


def test_texts_that_no_limit_of_duckdb_covers_end_at_the_limit_of_the_process(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = """select max(length(x))
        from (select hex(repeat('a', 900000000)) x from range(6))"""
    limit = f"import traincompute.commands.sql as s; s.MOST_MEMORY = 600_000_000; {MAIN}"
    environment = os.environ | {"TRAINCOMPUTE_DATA": str(data)}
    ended = subprocess.run([sys.executable, "-c", limit, "sql", query], capture_output=True, text=True, env=environment)
    assert ended.returncode == 1
    assert "memory" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_cache_that_cannot_be_written_stops_no_query(
    tiny_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "full" / "databases").mkdir(parents=True)
    (tmp_path / "secret.csv").touch()
    for cache in ("file", "full"):
        monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / cache))
        monkeypatch.setattr(Path, "replace", full)
        found = CliRunner().invoke(sql, ["--data", str(tiny_release), "--csv", "select max(name) n from leaders"])
        assert (found.exit_code, found.stdout) == (0, "n\nGPT-3 175B (davinci)\n")
        assert re.fullmatch(r"the cache cannot be used: .*\n", found.stderr)
        refused = CliRunner().invoke(sql, ["--data", str(tiny_release), f"from '{tmp_path / 'secret.csv'}'"])
        assert "out of its reach" in refused.stderr


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _flipped_in_a_table(content: bytearray) -> bytes:
    content[content.index(b"davinci")] ^= 1
    return bytes(content)


@pytest.mark.parametrize("spoil", [_flipped_in_a_table, lambda _: b""])
def test_a_damaged_database_in_the_cache_is_made_anew(
    tiny_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[bytearray], bytes]
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    command = ["--data", str(tiny_release), "--csv", "select max(name) n from models"]
    assert CliRunner().invoke(sql, command).output == "n\nGPT-3 175B (davinci)\n"
    (made,) = (tmp_path / "cache" / "databases").iterdir()
    content = made.read_bytes()
    made.unlink()
    made.write_bytes(spoil(bytearray(content)))
    first = CliRunner().invoke(sql, command)
    if spoil is _flipped_in_a_table:
        assert "run it again" in first.output
    else:
        assert first.output == "n\nGPT-3 175B (davinci)\n"
    assert CliRunner().invoke(sql, command).output == "n\nGPT-3 175B (davinci)\n"
    assert made.stat().st_size == len(content)


def test_sql_beside_the_tables_reaches_no_file_and_an_altered_table_is_refused(
    tiny_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "secret.csv").write_text(f"{SECRET}\n1\n")
    (tiny_release / "SHA256SUMS").unlink()
    with (tiny_release / "traincompute.sql").open("a") as file:
        file.write(f"copy models to '{tmp_path / 'out.csv'}';\n")
    assert sql_in_python("from leaders", version=str(tiny_release)).shape == (3, 1)
    assert not (tmp_path / "out.csv").exists()
    with (tiny_release / "traincompute.sql").open("a") as file:  # the view would have the first line as its columns
        file.write(f"create view leaked as select * from read_csv('{tmp_path / 'secret.csv'}');\n")
    with pytest.raises(ReleaseError, match=r"traincompute\.sql is not that of this dataset") as caught:
        sql_in_python("from duckdb_columns()", version=str(tiny_release))
    assert SECRET not in str(caught.value)
    (tiny_release / "models.parquet").write_bytes((tiny_release / "sources.parquet").read_bytes())
    (tiny_release / "traincompute.sql").unlink()
    with pytest.raises(ReleaseError, match=r"models\.parquet has sha256"):
        sql_in_python("from models", version=str(tiny_release))
