"""`trends`, `thresholds`, `frontier`, `revisions`, `search`, `examples` and `figures`: what each answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result
from tiny_release import write_parquet_folder

import traincompute as t
from pipeline.paths import Paths
from traincompute.base.distributions import normal_cdf
from traincompute.base.errors import InputError
from traincompute.cli import group
from traincompute.commands.models import REVISED, revisions
from traincompute.commands.runs import QUOTED
from traincompute.thresholds import distance

Run = Callable[..., Result]


@pytest.fixture
def run(built: Paths, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(built.processed))
    return lambda line: CliRunner().invoke(group, line.split())


def rows(run: Run, line: str) -> Any:
    result = run(f"{line} --json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", "a,size a,flop b,flop"),
        ("--factor 3", "a,size"),  # the newest first; a fourth is four times as little
        ("Gone", "b,flop"),
        ("--limit 1", "a,size"),
        ("another_name_of_b", "b,flop"),
        ("a --factor 1 --field flop --limit 1", "a,flop"),
    ],
)
def test_revisions_are_those_that_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, found: str
) -> None:
    names = REVISED.replace(",", " varchar,").replace("ratio varchar", "ratio double")
    with duckdb.connect() as connection:
        connection.execute(f"""create table revisions ({names} varchar, record varchar);
            insert into revisions (model_id, record, field, ratio, to_snapshot) values ('a', 'A', 'flop', 2, '2025'),
            ('a', 'A', 'size', 0.25, '2026'), ('b', 'Gone', 'flop', null, '2025')""")
        folder = write_parquet_folder(connection, tmp_path / "data")
    monkeypatch.setattr("traincompute.names.resolve.find_model", lambda *_: ("b", "found by another name"))
    done = CliRunner().invoke(revisions, [*words.split(), "--csv", "--data", str(folder)])
    head, *lines = done.stdout.splitlines()
    assert head == REVISED.replace(" ", "")
    assert [line.rsplit(",", 7)[0] for line in lines] == found.split()


def test_trends_are_those_that_are_quoted_or_asked_for(run: Run) -> None:
    assert {row["trend_id"] for row in rows(run, "trends")} <= set(QUOTED)
    chosen = rows(run, "trends --group notable --since 2010 --quantity parameters")
    assert [row["trend_id"] for row in chosen] == ["parameters:notable:2010"]
    assert "growth_per_year" in run("trends --group notable").stdout.splitlines()[0]
    assert run("trends --group lab").exit_code == 2
    assert "There are no rows." in run("trends --since 1990").stderr


def test_thresholds_are_one_table_and_one_sentence(run: Run) -> None:
    table, _, sentence = run("thresholds 1e22").stdout.partition("\nOf the ")
    found = rows(run, "thresholds 1e22")
    last = found["by_year"][-1]
    assert table.splitlines()[-1].split()[:3] == [last["published_until"], str(last["runs"]), str(last["models"])]
    assert sentence.startswith(f"{last['expected_runs']:.0f} runs of notable models expected at 1e22 FLOP or more")
    assert run("thresholds 1e22 --csv").stdout.splitlines()[0].startswith("threshold_flop,published_until,runs")
    early = rows(run, "thresholds 1e22 --on 2020-06-30")
    assert early["by_year"][-1]["published_until"] == "2020-06-30"
    assert early["data_reach_to"] == found["data_reach_to"]
    assert rows(run, "thresholds 10^22") == found
    assert isinstance(run("thresholds nan").exception, InputError)


def test_listed_models_have_a_probability_a_source_and_a_link(run: Run) -> None:
    models = {row["name"]: row for row in rows(run, "thresholds 1e22")["models"]}
    davinci = models["GPT-3 175B (davinci)"]
    assert (davinci["publication_date"], davinci["rests_on"]) == ("2020-05-28", "published value")
    assert davinci["probability"] == pytest.approx(1, abs=1e-3)
    assert davinci["link"].startswith("https://")
    assert {row["source"] for row in models.values() if row["tier"]} == {"our estimate"}
    known, by_kind = run("thresholds 1e20 --list --all").stdout.split("\nKnown by date and kind alone\n")
    assert "published value" in known
    assert {"date and kind" in line for line in known.splitlines()} == {False}
    assert {"date and kind" in line for line in by_kind.splitlines()[2:]} == {True}


def test_the_listed_probabilities_are_those_that_are_counted(run: Run, built: Paths) -> None:
    bounds = "select m.model_id, p.* exclude (model_id) from models m join predictions p using (model_id)"
    models = t.sql(bounds, str(built.processed)).set_index("model_id")
    counted = dict(zip(models.index, 1 - normal_cdf(distance(models, 1e22)), strict=True))
    found = {row["model_id"]: row["probability"] for row in rows(run, "thresholds 1e22 --all")["models"]}
    assert found == pytest.approx({name: counted[name] for name in found}, abs=2e-6)
    assert len(found) > 5


def test_modified_models_took_more_than_a_third_of_the_base(run: Run) -> None:
    found = rows(run, "thresholds 1e18 --modified")
    assert all(row["further_flop"] > (row["base_flop"] or 1e18) / 3 for row in found)


def test_the_frontier_is_the_largest_published_run_until_each_day(run: Run) -> None:
    found = rows(run, "frontier")
    assert [row["training_compute_flop"] for row in found] == sorted(row["training_compute_flop"] for row in found)
    assert found[-1]["until"] == rows(run, "thresholds 1e25")["by_year"][-1]["published_until"]


@pytest.mark.parametrize(
    ("words", "question"),
    [("electricity", "energy"), ("GPU", "chips"), ("EU AI Act", "1e25"), ("license", "licence"), ("biggest", "most")],
)
def test_examples_are_found_by_the_words_that_people_type(run: Run, words: str, question: str) -> None:
    assert question in run(f"examples {words}").stdout.splitlines()[0]


def test_with_run_the_answer_of_the_question_is_shown_below_it(run: Run) -> None:
    question, answered = run("examples 7").stdout, run("examples 7 --run").stdout
    assert answered.startswith(question)
    assert "----" in answered.removeprefix(question)
