"""`traincompute match` and `search` on the small dataset."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from click.testing import Result
from command_line import CliRunner

import traincompute as t
from pipeline.paths import Paths
from traincompute.cli import group
from traincompute.names.resolve import resolve

Run = Callable[..., Result]


@pytest.fixture
def run(built: Paths, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(built.processed))
    return lambda *words: CliRunner().invoke(group, list(words))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Somebody's own table, as a spreadsheet writes it."""
    path = tmp_path / "mine.csv"
    path.write_text(
        '\ufeffid,name,how\r\n1,"GPT-3 175b (DAVINCI)",a\r\n2,llama,b\r\n\r\n3,"No, such",c\r\n', encoding="utf-8"
    )
    return path


def rows(result: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_a_table_is_joined_and_what_is_ambiguous_is_not_guessed(run: Run, mine: Path) -> None:
    result = run("match", str(mine), "--column", "name", "--add", "parameters")
    assert result.exit_code == 1
    sure, unclear, unknown = rows(result)
    assert list(sure)[:3] == ["id", "name", "how"]
    assert list(sure)[-1] == "parameters"
    assert (sure["how"], sure["model_id"], sure["parameters"]) == ("a", "gpt-3-175b-davinci", "174600000000.0")
    assert (unclear["model_id"], unclear["traincompute_how"]) == ("", "ambiguous")
    assert unclear["candidates"].split(";") == ["llama-3.1-405b", "llama-7b"]
    assert (unknown["name"], unknown["traincompute_how"], unknown["parameters"]) == ("No, such", "none", "")
    counts, *rest = result.stderr.splitlines()
    assert counts.startswith("3 names: 0 exact, 1 normalised")
    assert rest == ["llama: ambiguous: llama-3.1-405b, llama-7b", "No, such: no model"]


def test_a_file_of_a_build_is_not_overwritten(run: Run, built: Paths) -> None:
    assert "belongs to a build" in run("match", "AlexNet", "--to", str(built.processed / "models.csv")).stderr


def test_a_result_goes_through_a_link_and_into_a_pipe(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").symlink_to(tmp_path / "other.csv")
    run("match", "AlexNet", "--to", str(tmp_path / "mine.csv"))
    assert (tmp_path / "other.csv").read_text() == run("match", "AlexNet", "--to", "-").stdout
    run("match", "AlexNet", "--to", os.devnull)
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["match", "{}"], "say which column of {} has the names, with --column NAME"),
        (["match", "{}", "--column", "nme"], "{} has no column 'nme'; it has id, name, how"),
        (["match", "x.csv", "--column", "name"], "x.csv cannot be read as CSV in UTF-8: "),
        (["match", "{}", "AlexNet", "--column", "name"], "give {} alone"),
        (["match", "GPT-4", "--add", "name, tier"], '"name, tier" not found'),
        (["match", "GPT-4", "--add", "paramters"], '"paramters" not found in FROM clause'),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(run: Run, mine: Path, words: list[str], message: str) -> None:
    result = run(*(word.format(mine) for word in words))
    assert result.exit_code == (1 if "--add" in words else 2)
    assert message.format(mine) in result.stderr


def test_python_sql_and_the_command_give_the_same_answer(built: Paths) -> None:
    names = pd.Series(["GPT-3 175B (davinci)", "gpt3 175b DAVINCI", "llama", None, "cALM"], index=list("abcde"))
    found = t.match(names, version=str(built.processed))
    one = t.match("GPT-3 175B (davinci)", version=str(built.processed))
    assert one["model_id"].to_list() == ["gpt-3-175b-davinci"], "a text is one name"
    assert list(found.index) == list("abcde")
    assert found["how"].to_list() == ["exact", "normalised", "ambiguous", "none", "ambiguous"]
    assert found["candidates"]["c"] == ["llama-3.1-405b", "llama-7b"]
    query = "select name, model_id_of(name) as id from (select unnest($names) as name)"
    asked = {"names": [name for name in names if isinstance(name, str)]}
    ids = t.sql(query, version=str(built.processed), parameters=asked).set_index("name")["id"]
    told = found[found["asked"] != ""].set_index("asked")["model_id"]
    assert ids.fillna("").to_dict() == told.fillna("").to_dict()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("gpt-3", "gpt-3-175b-davinci"),
        ("OpenAI davinci", "gpt-3-175b-davinci"),
        ("arXiv:2005.14165", "gpt-3-175b-davinci"),
        ("https://arxiv.org/abs/2005.14165", "gpt-3-175b-davinci"),
        ("goad-7b", "goat-7b"),
    ],
)
def test_a_model_is_found_by_name_developer_paper_and_a_slip(run: Run, text: str, first: str) -> None:
    found = json.loads(run("search", text, "--json").stdout)
    assert found[0]["model_id"] == first


def test_how_surely_a_name_was_matched(built: Paths, tmp_path: Path) -> None:
    """A source's own name is an alias, however it is written."""
    file = tmp_path / "traincompute.duckdb"
    shutil.copy(built.processed / "traincompute.duckdb", file)
    with duckdb.connect(str(file)) as connection:
        connection.execute("""insert into aliases by name from (values
            ('My Goat', 'goat-7b', 'record', 'mygoat', ['my', 'goat'], true),
            ('Twin', 'goat-7b', 'name', 'twin', ['twin'], false),
            ('Twin', 'gpt-3-175b-davinci', 'name', 'twin', ['twin'], false)
        ) t(alias, model_id, kind, key, words, is_decisive)""")
        found = resolve(connection, ["my goat", "goat 7B", "goat-7b", "Twin"])
    assert [(row["how"], row["model_id"], row["name"]) for row in found] == [
        ("alias", "goat-7b", "Goat-7B"),
        ("normalised", "goat-7b", "Goat-7B"),
        ("exact", "goat-7b", "Goat-7B"),
        ("ambiguous", None, None),
    ]
    assert set(found[-1]["candidates"]) == {"goat-7b", "gpt-3-175b-davinci"}
