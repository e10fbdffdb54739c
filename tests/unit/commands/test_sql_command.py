"""`traincompute sql` on a small built checkout."""

from __future__ import annotations

import re
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
GPT_3 = "select name, parameters, training_compute_flop from models where model_id = 'gpt-3-175b-davinci'"
# the golden row of GPT-3: 174.6e9 parameters and 3.14e23 FLOP
FORMS = {
    "": "name                    parameters  training_compute_flop\n"
    "--------------------  ------------  ---------------------\n"
    "GPT-3 175B (davinci)  174600000000               3.14e+23\n",
    "--csv": "name,parameters,training_compute_flop\nGPT-3 175B (davinci),174600000000.0,3.14e+23\n",
    "--json": '[\n {"name": "GPT-3 175B (davinci)", "parameters": 174600000000.0, '
    '"training_compute_flop": 3.14e+23}\n]\n',
    "--markdown --human": "| name | parameters | training_compute_flop |\n|---|---:|---:|\n"
    "| GPT-3 175B (davinci) | 174.6B | 3.14e23 |\n",
}


@pytest.fixture
def data(built: Paths, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(built.processed))
    return built.processed


@pytest.fixture
def run(data: Path) -> Run:
    return lambda *words, input=None: CliRunner().invoke(sql, list(words), input=input)


@pytest.mark.parametrize("form", FORMS)
def test_a_result_has_the_form_that_is_asked_for(run: Run, form: str) -> None:
    assert run(*form.split(), GPT_3).stdout == FORMS[form]


def test_the_limit_and_long_cells_say_that_there_is_more(run: Run) -> None:
    cut = run("--csv", "--limit", "2", "select * from range(5)")
    assert cut.stdout == "range\n0\n1\n"
    assert "Cut off by --limit 2; the result has more rows." in cut.stderr
    assert run("--csv", "--limit", "5", "select * from range(5)").stderr == ""
    cut = run("select repeat('x', 81) as a, 1 as b")
    assert cut.stdout.splitlines()[-1] == "x" * 79 + "…  1"
    assert cut.stderr == "Cells were cut; --json is complete\n"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select training_flop from models", 'Referenced column "training_flop" not found in FROM clause! Candidate'),
        ("select * from modls", 'Table with name modls does not exist! Did you mean "models"?\n  select'),
        ("select cuont(1)", "Scalar Function with name cuont does not exist! Did you mean"),
        ("selec 1", 'syntax error at or near "selec"\n  selec 1\n  ^^^^^'),
    ],
)
def test_a_mistake_is_one_clean_message(run: Run, query: str, message: str) -> None:
    result = run(query)
    assert (result.exit_code, result.stdout, result.stderr[: len(message) + 7]) == (1, "", f"Error: {message}")


def test_the_query_may_come_from_standard_input(run: Run) -> None:
    for words in (["-"], []):
        assert run("--csv", *words, input="-- how many\nselect 42 as n;\n").stdout == "n\n42\n"
    assert run("--human", "--json", "select 1").exit_code == 2
    assert "is empty" in run(input=" ").stderr
    done = subprocess.run(
        [sys.executable, "-m", "traincompute", "sql"], input=b"\xff", capture_output=True, check=False
    )
    assert (done.returncode, done.stderr[:35]) == (1, b"Error: this is not UTF-8 text: 'utf")


def test_another_dataset_may_be_named(run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(tmp_path))
    assert run("--data", str(data), "select 1 as n").exit_code == 0
    assert "missing is no folder" in str(run("--data", str(tmp_path / "missing"), "select 1").exception)
    assert "name the folder of a release" in str(run("select 1").exception)


@pytest.mark.parametrize("condition", ["hardware like '%A100%'", "hardware = 'x'", "lower(hardware) = 'x'"])
def test_a_filter_on_a_list_says_how_to_ask_for_an_item(run: Run, condition: str) -> None:
    result = run(f"select count(*) from models where {condition}")
    assert result.exit_code == 1
    told = re.findall(r"(?:list_contains|array_to_string)\(.*?(?= asks| for)", result.stderr)
    codes = [run(f"select count(*) from models where {line}").exit_code for line in told]
    assert codes == [0, 0], "both run as printed"
