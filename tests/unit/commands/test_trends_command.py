"""`traincompute trends`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from click.testing import Result
from command_line import CliRunner
from tiny_release import write_parquet_folder
from trend_models import models

from pipeline.config import load_constants
from pipeline.frames import to_arrow
from pipeline.impute import on_demand
from pipeline.impute.trends.prepare import prepare
from pipeline.impute.trends.table import make_trends
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from traincompute import needs
from traincompute.commands.trends import trends

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame]:
    """A dataset with the trends of 60 made-up models."""
    folder = tmp_path_factory.mktemp("trends")
    made_up = prepare({"models": models(domains="Vision", countries="France")}, load_constants(Paths(CHECKOUT))["eras"])
    schema = load_schemas(Paths(CHECKOUT))["trends"]
    with duckdb.connect() as connection:
        connection.register("made", to_arrow(make_trends(made_up, schema), schema))
        connection.execute("create table trends as from made order by random()")
        write_parquet_folder(connection, folder)
    return folder, made_up


@pytest.fixture
def run(made: tuple[Path, pd.DataFrame], monkeypatch: pytest.MonkeyPatch) -> Run:
    folder, made_up = made
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(folder))
    monkeypatch.setattr(on_demand, "trend_models", lambda _: made_up)
    return lambda *arguments: CliRunner().invoke(trends, list(arguments))


def test_growth(run: Run) -> None:
    lines = run("--quantity", "flop", "--group", "notable").stdout.splitlines()
    assert lines[0].split()[:5] == ["quantity", "group", "runs", "models", "×/year"]
    assert lines[1].split()[:5] == ["flop", "notable", "60", "60", "10.00"]


def test_json_holds_no_nan(run: Run) -> None:
    found = json.loads(run("--json").stdout, parse_constant=pytest.fail)
    rows = {row["trend_id"]: row for row in found["trends"]}
    assert rows["training_compute_flop:notable"]["growth_per_year"] == 10.0
    assert rows["parameters:notable"]["doubling_months"] is None
    assert rows["training_compute_flop:notable"]["first_date"] == "2018-01-01"


def test_what_is_published_is_what_would_be_computed(run: Run) -> None:
    published = json.loads(run("--json").stdout)["trends"]
    computed = json.loads(run("--json", "--as-of", "2025-01-01").stdout)["trends"]
    assert [row["trend_id"] for row in published] == [row["trend_id"] for row in computed]
    assert [{k: v for k, v in row.items() if v is not None} for row in published] == [
        {k: v for k, v in row.items() if v is not None and k in published[0]} for row in computed
    ]


def test_a_projection_says_what_it_assumes(run: Run) -> None:
    result = run("--quantity", "flop", "--group", "notable", "--project", "2030-01-01")
    assert "1.0e+32" in result.stdout
    assert "assumed: growth continues" in result.stdout
    assert json.loads(run("--project", "2030-01-01", "--json").stdout)["projected_to"] == "2030-01-01"


def test_a_projection_needs_a_checkout(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "has_checkout", lambda: False)
    result = run("--project", "2030-01-01")
    assert result.exit_code == 1
    assert "--project needs a checkout: clone the repository" in result.stderr


def test_nothing_to_show(run: Run) -> None:
    result = run("--quantity", "cost")
    assert result.exit_code == 1
    assert "no group has enough models" in result.stderr
