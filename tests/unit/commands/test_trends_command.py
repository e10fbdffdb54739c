"""`traincompute trends`, `thresholds`, `frontier` and `examples`: what each answers about compute."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pipeline.paths import Paths
from traincompute.cli import group
from traincompute.commands.trends import QUOTED

Run = Callable[..., Result]


@pytest.fixture
def run(built: Paths, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(built.processed))
    return lambda line: CliRunner().invoke(group, line.split())


def rows(run: Run, line: str) -> Any:
    result = run(f"{line} --json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_trends_are_those_that_are_quoted_or_asked_for(run: Run) -> None:
    assert {row["trend_id"] for row in rows(run, "trends")} <= set(QUOTED)
    chosen = rows(run, "trends --group notable --since 2010 --quantity parameters")
    assert [row["trend_id"] for row in chosen] == ["parameters:notable:2010"]
    assert "growth_per_year" in run("trends --group notable").stdout.splitlines()[0]
    assert run("trends --group lab").exit_code == 2


def test_thresholds_are_one_table_and_one_sentence(run: Run) -> None:
    table, _, sentence = run("thresholds 1e22").stdout.partition("\nOf the ")
    found = rows(run, "thresholds 1e22")
    last = found["by_year"][-1]
    assert table.splitlines()[-1].split()[:3] == [last["published_until"], str(last["runs"]), str(last["models"])]
    assert sentence.startswith(f"{last['expected_runs']:.0f} runs of notable models expected at 1e22 FLOP or more")
    assert run("thresholds 1e22 --csv").stdout.splitlines()[0].startswith("threshold_flop,published_until,runs")
    early = rows(run, "thresholds 1e22 --on 2020-06-30")
    assert early["by_year"][-1]["published_until"] == "2020-06-30"
    assert {row["published_until"] for row in early["by_year"][:-1]} <= {
        row["published_until"] for row in found["by_year"]
    }
    assert run("thresholds 0").exit_code == 2


def test_listed_models_have_a_probability_a_source_and_a_link(run: Run) -> None:
    models = {row["name"]: row for row in rows(run, "thresholds 1e22 --list")["models"]}
    davinci = models["GPT-3 175B (davinci)"]
    assert (davinci["publication_date"], davinci["rests_on"]) == ("2020-05-28", "published value")
    assert davinci["probability"] == pytest.approx(1, abs=1e-3)
    assert davinci["link"].startswith("https://")
    assert {row["source"] for row in models.values() if row["tier"]} == {"our estimate"}
    listed = run("thresholds 1e20 --list --all").stdout
    first, _, apart = listed.partition("Estimated from date and kind alone:")
    assert "GPT-3 175B (davinci)" in first
    assert "GPT-3 175B (davinci)" not in apart


def test_modified_models_took_more_than_a_third_of_the_base(run: Run) -> None:
    found = rows(run, "thresholds 1e18 --modified")
    assert all(row["further_flop"] > (row["base_flop"] or 1e18) / 3 for row in found)


def test_the_frontier_is_printed_as_json_says(run: Run) -> None:
    shown, found = run("frontier").stdout, rows(run, "frontier")
    assert "Largest known run" in shown
    assert found["largest"][-1]["model_id"] in shown
    last = found["largest"][-1]["published_until"]
    alone = rows(run, "frontier --organization OpenAI")
    (line,) = [line for line in found["by_organization"] if line["organization"] == "OpenAI"]
    assert (alone["largest"][-1], [row for row in alone["runs"] if row["published_until"] == last]) == (
        line["largest"][0],
        line["runs"],
    )
    assert "did you mean OpenAI?" in run("frontier --organization OpenAi").output


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("electricity", "energy"),
        ("GPU", "chips"),
        ("EU AI Act", "1e25"),
        ("threshold", "1e25"),
        ("license", "licence"),
        ("biggest", "most"),
    ],
)
def test_examples_are_found_by_the_words_that_people_type(run: Run, words: str, question: str) -> None:
    assert question in run(f"examples {words}").stdout.splitlines()[0]
