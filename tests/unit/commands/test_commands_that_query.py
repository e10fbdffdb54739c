"""What the commands that query pass on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import duckdb
import pytest
from click.testing import CliRunner, Result
from tiny_release import write_parquet_folder

from traincompute.commands import examples, figures, revisions, search, sql
from traincompute.query.run import Options

Asked = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a dataset with a few revisions."""
    folder = tmp_path_factory.mktemp("query")
    names = revisions.COLUMNS.replace(",", " varchar,").replace("ratio varchar", "ratio double")
    with duckdb.connect() as connection:
        connection.execute(f"""create table revisions ({names} varchar, record varchar);
            insert into revisions (model_id, record, field, ratio, to_snapshot) values ('a', 'A', 'flop', 2, '2025'),
            ('a', 'A', 'size', 0.25, '2026'), ('b', 'Gone', 'flop', null, '2025')""")
        return write_parquet_folder(connection, folder)


@pytest.fixture
def file(made: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """That folder, which is at hand and the working directory."""
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(made))
    monkeypatch.chdir(made)
    return str(made)


@pytest.fixture
def asked(file: str, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The queries that commands would have run."""
    found: Asked = []
    for module in (sql, search):
        monkeypatch.setattr(module, "run_query", lambda *given, **named: found.append((*given, *named.values())))
    return found


def run(command: click.Command, *words: str, **given: Any) -> Result:
    return CliRunner().invoke(command, list(words), **given)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--parquet", "x", "--csv", "q"], "--parquet goes with none of --csv, "),
        (["--human", "--jsonl", "q"], "--human goes with tables and --markdown only"),
        (["-f", "revisions.parquet", "q"], "give QUERY or --file, not both"),
        (["-f", "revisions.parquet"], "revisions.parquet is not UTF-8 text"),
        ([" "], "the query is empty"),
        ([], "the query is empty"),
    ],
)
def test_a_query_that_is_asked_for_wrongly_is_not_run(asked: Asked, words: list[str], said: str) -> None:
    refused = run(sql.sql, *words)
    assert (refused.exit_code, asked) == (2, [])
    assert refused.stderr.splitlines()[-1].startswith(f"Error: {said}")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", "a,size a,flop b,flop"),
        ("--factor 3", "a,size"),  # the newest first; a fourth is four times as little
        ("Gone", "b,flop"),
        ("another_name_of_b", "b,flop"),
        ("a --factor 1 --field flop", "a,flop"),
    ],
)
@pytest.mark.usefixtures("file")
def test_revisions_are_those_that_are_asked_for(monkeypatch: pytest.MonkeyPatch, words: str, found: str) -> None:
    monkeypatch.setattr("traincompute.explain.lookup.find_model", lambda *_: ("b", "found by another name"))
    head, *lines = run(revisions.revisions, *words.split(), "--csv").stdout.splitlines()
    assert head == revisions.COLUMNS.replace(" ", "")
    assert [line.rsplit(",", 7)[0] for line in lines] == found.split()


def test_with_run_the_answer_of_the_question_is_shown_below_it(asked: Asked, file: str) -> None:
    for words in (["7", "--run"], ["7"]):
        query = re.findall(r"^SQL     (.*)$", run(examples.examples, *words).stdout, re.M)
    assert asked == [(file, query[0], "table", Options(human=True))]


def test_carried_figures_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(figures, "CARRIED_FIGURES", str(tmp_path))
    for name, size in (("a", 1_000_400), ("b", 499)):
        (tmp_path / f"{name}.svg").write_bytes(bytes(size))
    assert run(figures.figures).output == "wrote figures/a.svg (1000 kB)\nwrote figures/b.svg (0 kB)\n"
    for _ in range(2):
        assert run(figures.figures, "b", "--to", "x/y").output == "wrote x/y/b.svg (0 kB)\n"
    assert "no figure c, d; there are a, b" in run(figures.figures, "d", "b", "c").stderr
    assert "[default: figures]" in run(figures.figures, "--help").output
    assert "'a.svg' is a file" in run(figures.figures, "--to", "a.svg").stderr
