"""`traincompute sql` on a small built checkout."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from command_line import CliRunner

from pipeline.paths import Paths
from traincompute.commands.sql import sql

Run = Callable[..., Result]
KINDS = """select 3.14e23::double as flop, 174600000000::double as parameters, null as nothing, true as yes,
    ['a', 'b'] as list, date '2024-02-29' as day, '=1+1' as formula, -5 as below, ['-a', 'b'] as tagged,
    'x|' || chr(10) || 'y' as text"""
GPT_3 = "select name, parameters, training_compute_flop from models where model_id = 'gpt-3-175b-davinci'"


@pytest.fixture(scope="module")
def data(built: Paths) -> Path:
    return built.processed


@pytest.fixture
def run(data: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(data))
    return lambda *words, input=None: CliRunner().invoke(sql, list(words), input=input)


def started(data: Path, *words: str) -> subprocess.Popen[str]:
    """The command as a process that hears Ctrl-C."""
    return subprocess.Popen(
        [sys.executable, "-m", "traincompute.cli", "sql", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TRAINCOMPUTE_DATA": str(data)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )


def test_a_table_for_people(run: Run) -> None:
    # the golden row of GPT-3: 174.6e9 parameters and 3.14e23 FLOP
    assert run(GPT_3).stdout.splitlines() == [
        "name                    parameters  training_compute_flop",
        "--------------------  ------------  ---------------------",
        "GPT-3 175B (davinci)  174600000000               3.14e+23",
    ]
    assert run("--human", GPT_3).stdout.split()[-2:] == ["174.6B", "3.14e23"]


def test_csv_is_exact_and_safe_in_a_spreadsheet(run: Run) -> None:
    row = next(csv.DictReader(io.StringIO(run("--csv", KINDS).stdout)))
    assert row == {
        "flop": "3.14e+23",
        "parameters": "174600000000.0",
        "nothing": "",
        "yes": "TRUE",
        "list": "a;b",
        "day": "2024-02-29",
        "formula": "'=1+1",
        "below": "-5",
        "tagged": "'-a;b",
        "text": "x|\ny",
    }


@pytest.mark.parametrize("form", ["--json", "--jsonl"])
def test_json_keeps_nulls_numbers_and_lists(run: Run, form: str) -> None:
    printed = run(form, KINDS + ", 1.5 as decimal, 'nan'::double as odd, {'a': 1} as record").stdout
    row = json.loads(printed)[0] if form == "--json" else json.loads(printed)
    assert (row["flop"], row["nothing"], row["list"], row["day"]) == (3.14e23, None, ["a", "b"], "2024-02-29")
    assert (row["formula"], row["decimal"], row["odd"], row["record"]) == ("=1+1", 1.5, None, {"a": 1})


def test_markdown_escapes_its_own_signs(run: Run) -> None:
    assert run("--markdown", "select 'x|y' as text, 2 as n").stdout == "| text | n |\n|---|---:|\n| x\\|y | 2 |\n"


def test_parquet_keeps_types(run: Run, tmp_path: Path) -> None:
    from pyarrow import parquet

    file = tmp_path / "out.parquet"
    result = run("--parquet", str(file), "--limit", "1", "select name, organizations, parameters from models")
    assert (result.exit_code, result.stdout) == (0, "")
    table = parquet.read_table(file)
    assert (table.num_rows, str(table.schema.field("parameters").type)) == (1, "double")
    assert str(table.schema.field("organizations").type).startswith("list")
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


def test_a_failed_query_leaves_the_earlier_parquet_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "out.parquet"
    file.write_text("earlier")
    failing = "select cast('x' || name as int) from models"
    assert run("--parquet", str(file), failing).exit_code == 1
    assert (file.read_text(), len(list(tmp_path.iterdir()))) == ("earlier", 1)


def test_the_limit_says_that_there_is_more(run: Run) -> None:
    cut = run("--csv", "--limit", "2", "--time", "select * from range(5)")
    assert cut.stdout == "range\n0\n1\n"
    assert "Only the first 2 rows; the result has more (--limit 2)." in cut.stderr
    assert "2 rows in " in cut.stderr
    assert run("--csv", "--limit", "5", "select * from range(5)").stderr == ""


def test_long_cells_are_cut_and_the_cut_is_said(run: Run) -> None:
    cut = run("select repeat('x', 61) as a")
    assert cut.stdout.splitlines()[-1] == "x" * 59 + "…"
    assert cut.stderr == "Cells were cut; --csv and --json are complete\n"
    assert run("select repeat('x', 60) as a").stderr == ""


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select training_flop from models", "no column training_flop in models; did you mean"),
        ("pivot models on country using count(*)", "no column country; did you mean countries?"),  # clusters has one
        ("select zzzzzz from models", "no column zzzzzz in models; `traincompute tables"),
        ("select * from modls", "no table modls; did you mean models?"),
        ("select * from zzzzzz", "no table zzzzzz; `traincompute tables` lists them"),
        ("select cuont(1)", "Scalar Function with name cuont does not exist! Did you mean"),
        ("selec 1", 'syntax error at or near "selec"\n  selec 1\n  ^^^^^'),
        ("select now()", "times with a time zone cannot be shown; "),
    ],
)
def test_a_mistake_is_one_clean_message(run: Run, query: str, message: str) -> None:
    result = run(query)
    assert (result.exit_code, result.stdout, result.stderr[: len(message) + 7]) == (1, "", f"Error: {message}")


def test_the_query_may_come_from_a_file_or_standard_input(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "query.sql"
    file.write_text("-- how many\nselect 42 as n;\n")
    for words, piped in ((["-f", str(file)], None), (["-"], "select 42 as n"), ([], "select 42 as n")):
        assert run("--csv", *words, input=piped).stdout == "n\n42\n"


def test_another_dataset_may_be_named(run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(tmp_path))
    assert run("--data", str(data), "select 1 as n").exit_code == 0
    assert run("--data", str(tmp_path / "missing"), "select 1").exit_code == 2
    assert run("--data", str(data / "traincompute.duckdb"), "select 1").exit_code == 2
    assert "holds no Parquet files" in str(run("select 1").exception)


def test_a_closed_pipe_is_no_traceback(data: Path) -> None:
    program = started(data, "--csv", "select * from range(3000000)")
    assert program.stdout
    assert program.stderr
    assert program.stdout.readline() == "range\n"
    program.stdout.close()
    assert program.stderr.read() == ""
    program.stderr.close()
    program.wait(timeout=120)


def test_neither_pandas_nor_pyarrow_is_loaded(data: Path) -> None:
    code = (
        "import sys; from traincompute.commands.sql import sql\n"
        "sql(['select 1'], standalone_mode=False); print({'pandas', 'pyarrow', 'numpy'} & set(sys.modules))"
    )
    env = os.environ | {"TRAINCOMPUTE_DATA": str(data)}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert ended.stdout.splitlines()[-1] == "set()"


@pytest.mark.parametrize("condition", ["hardware like '%A100%'", "hardware = 'x'", "lower(hardware) = 'x'"])
def test_a_filter_on_a_list_says_how_to_ask_for_an_item(run: Run, condition: str) -> None:
    result = run(f"select count(*) from models where {condition}")
    assert result.exit_code == 1
    assert "hardware holds lists: list_contains(hardware, " in result.stderr
    told = re.findall(r"(?:list_contains|array_to_string)\(.*?(?= asks| for)", result.stderr)
    codes = [run(f"select count(*) from models where {line}").exit_code for line in told]
    assert codes == [0, 0], "both run as printed"
