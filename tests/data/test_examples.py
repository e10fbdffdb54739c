"""The questions of `traincompute examples`."""

from __future__ import annotations

import csv
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from machine import needs_r

import traincompute
from traincompute.cli import group
from traincompute.commands.examples import PAGE, Example, find_examples, read_examples

EXAMPLES = read_examples()
READ_MODELS = re.search(r'^models <- read.csv\(.*"models.csv".*\)', PAGE.read_text(encoding="utf-8"), re.MULTILINE)
pytestmark = pytest.mark.usefixtures("database")
NAMES = {example.number: example.question for example in EXAMPLES}
# each answer as a CSV file: a number, a table, or a vector with names is made a data frame first
R_ANSWERS = """
answers <- list({answers})
as_table <- function(x) {{
  if (is.data.frame(x)) x
  else if (is.null(names(x))) data.frame(x)
  else data.frame(names(x), as.vector(x))
}}
for (i in seq_along(answers)) {{
  write.csv(format(as_table(answers[[i]]), digits = 15, trim = TRUE), paste0("answer", i, ".csv"), row.names = FALSE)
}}
"""


def test_there_are_forty_and_each_has_one_line_of_all() -> None:
    assert len(EXAMPLES) == len(set(NAMES.values())) == 40
    assert all(example.sql and example.python and example.r for example in EXAMPLES)


@pytest.fixture(scope="module")
def answers(published: Path) -> dict[int, list[list[Any]]]:
    """The answers of SQL by number."""
    return {example.number: _rows(traincompute.sql(example.sql, version=str(published))) for example in EXAMPLES}


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES.values())
def test_sql_and_pandas_agree(example: Example, answers: dict[int, list[list[Any]]], published: Path) -> None:
    tables = {name: _load(name, str(published)) for name in _tables(example.python, published)}
    by_pandas = _rows(_frame(eval(example.python, tables)))
    assert len(by_pandas), "the answer is empty"
    assert by_pandas == [[_close(value) for value in row] for row in answers[example.number]]


@pytest.fixture(scope="module")
def answers_of_r(published: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[list[str]]]:
    """The answers of R by number, on the CSV files of the build."""
    work = tmp_path_factory.mktemp("r")
    used = sorted({name for example in EXAMPLES for name in _tables(example.r, published)})
    assert READ_MODELS
    read = [READ_MODELS[0].replace("models", name) for name in used]
    code = "\n".join([*read, R_ANSWERS.format(answers=",\n".join(example.r for example in EXAMPLES))])
    for name in used:
        (work / f"{name}.csv").symlink_to(published / f"{name}.csv")
    (work / "answers.R").write_text(code, encoding="utf-8")
    done = subprocess.run(
        ["Rscript", "--vanilla", "answers.R"],
        cwd=work,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    files = {number: work / f"answer{number}.csv" for number in NAMES}
    return {
        number: list(csv.reader(file.read_text(encoding="utf-8").splitlines()))[1:] for number, file in files.items()
    }


@needs_r
@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES.values())
def test_sql_and_r_agree(
    example: Example, answers: dict[int, list[list[Any]]], answers_of_r: dict[int, list[list[str]]]
) -> None:
    wanted = [[_as_text(value) for value in row] for row in answers[example.number]]
    assert [[_as_text(cell) for cell in row] for row in answers_of_r[example.number]] == wanted


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (["energy"], "Which training runs used the most energy (GWh)?"),
        (["countries"], "Which countries have produced the most notable models since 2020?"),
        (["open", "weights", "behind"], "How far behind are the largest models with open weights"),
        (["H100"], "How many models were trained on H100s?"),
        (["license"], "Which sources have the most facts, and what are their licences?"),
        (["licence"], "Which sources have the most facts, and what are their licences?"),
        (["9"], "How many months does it take the compute of the ten largest models to double?"),
        (["41"], ""),
    ],
)
def test_words_find_a_question(words: list[str], question: str) -> None:
    found = find_examples(words)
    assert found[0].question.startswith(question) if question else not found


def test_the_command_shows_the_best_and_lists_the_others(published: Path) -> None:
    shown = CliRunner().invoke(group, ["examples", "energy", "--run", "--data", str(published)])
    assert shown.exit_code == 0, shown.output
    assert "SQL     SELECT name, training_energy_kwh" in shown.output
    assert re.search(r"^Grok \d +[\d.]+$", shown.output, re.MULTILINE), "the answer"
    assert "Which training runs cost the most?" in shown.output
    assert "no example is about" in CliRunner().invoke(group, ["examples", "zebra"]).stderr


_loaded: dict[str, pd.DataFrame] = {}


def _load(name: str, folder: str) -> pd.DataFrame:
    return _loaded.setdefault(name, traincompute.load(name, version=folder))


def _tables(line: str, published: Path) -> set[str]:
    """The tables that a line of pandas or R names."""
    return {name for name in re.findall(r"\b[a-z_]+\b", line) if (published / f"{name}.parquet").exists()}


def _frame(answer: Any) -> pd.DataFrame:
    """A number, a column or a table as a table."""
    if isinstance(answer, pd.Series):
        return answer.reset_index()
    return answer if isinstance(answer, pd.DataFrame) else pd.DataFrame([[answer]])


def _close(value: Any) -> Any:
    """A float up to rounding: the two add up in another order."""
    return pytest.approx(value, rel=1e-12, nan_ok=True) if isinstance(value, float) else value


def _as_text(value: Any) -> str:
    """A value as both print it, to ten digits."""
    try:
        return f"{float(value):.10g}"
    except (TypeError, ValueError):
        return str(value).removesuffix(" 00:00:00").strip()


def _rows(table: pd.DataFrame) -> list[list[Any]]:
    return table.to_numpy(dtype=object).tolist()
