"""`traincompute tables` on a small built checkout."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from pipeline.paths import Paths
from pipeline.schema import load_schemas
from traincompute.commands.sql import tables
from traincompute.query.run import list_tables

Run = Callable[..., Result]


@pytest.fixture
def run(built: Paths, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(built.root / "data" / "processed"))
    return lambda *words: CliRunner().invoke(tables, list(words))


def test_every_table_is_listed_with_its_rows(run: Run, built: Paths) -> None:
    listed = json.loads(run("--json").stdout)
    with duckdb.connect(str(built.processed / "traincompute.duckdb"), read_only=True) as connection:
        assert list_tables(connection) == listed
    assert {entry["table"] for entry in listed} == {file.stem for file in built.processed.glob("*.parquet")}
    assert all(entry["description"] for entry in listed)
    shown = run().stdout
    assert all(entry["table"] in shown for entry in listed)


def test_no_tables_are_listed_without_the_files_of_the_manifest(run: Run, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    assert "manifest.json cannot be used" in str(run("--data", str(tmp_path)).exception)


def test_a_column_has_unit_meaning_fill_rate_and_example(run: Run, built: Paths) -> None:
    described = json.loads(run("models", "--json").stdout)
    columns = {column["name"]: column for column in described["columns"]}
    assert list(columns) == [column.name for column in load_schemas(built)["models"].columns]
    flop = columns["training_compute_flop"]
    assert (flop["type"], flop["unit"]) == ("DOUBLE", "FLOP")
    assert "one multiply-add is two operations" in flop["meaning"]
    assert 0 < flop["fill_rate"] < 1
    assert float(flop["example"]) > 1e17
    # a petaflop/s-day is 1e15 FLOP/s for 86,400 s
    assert columns["training_compute_pfs_days"]["derived"].startswith("training_compute_flop / 8.64e19")


def test_a_column_is_found_by_its_name_in_the_file_of_epoch_ai(run: Run) -> None:
    found = json.loads(run("training compute (flop)", "--json").stdout)
    assert (found["table"], [column["name"] for column in found["columns"]]) == ("models", ["training_compute_flop"])
    assert [column["name"] for column in json.loads(run("Domain", "--json").stdout)["columns"]] == ["domains"]
    assert run("Training compute (dollars)").exit_code == 1


def test_what_people_read(run: Run) -> None:
    lines = run("models").stdout.splitlines()
    (first,) = [number for number, line in enumerate(lines) if line.startswith("model_id ")]
    assert "VARCHAR" in lines[first]
    assert "100 %" in lines[first]
    assert lines[first + 1].startswith("    Key: ")
    assert max(map(len, lines)) <= 100


def test_a_table_without_rows_has_no_fill_rate(run: Run) -> None:
    empty = [entry["table"] for entry in json.loads(run("--json").stdout) if not entry["rows"]]
    assert empty, "the small checkout has a table without rows"
    columns = json.loads(run(empty[0], "--json").stdout)["columns"]
    assert {(column["fill_rate"], column["example"]) for column in columns} == {(None, None)}
    assert run(empty[0]).exit_code == 0
