"""status: ages of sources, and counts and names of what is open. The rows are those of golden/."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from checkouts import copy_checkout
from click.testing import CliRunner, Result

from pipeline import build
from pipeline.base.paths import Paths
from pipeline.pull.snapshot import Request, pull_source
from pipeline.registry.context import load_context
from pipeline.registry.sources import load_sources
from traincompute.cli import group

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module")
def checkout(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """The small checkout as if one fact about GPT-4 had been curated before it was built."""
    paths = copy_checkout(built, tmp_path_factory.mktemp("status") / "checkout")
    with duckdb.connect(str(paths.processed / "traincompute.duckdb")) as connection:
        connection.execute(
            "UPDATE claims SET source_id = 'curated' WHERE model_id = 'gpt-4-mar-2023' AND field = 'domain'"
        )
        connection.execute("UPDATE sources SET snapshot = '2026-11-21' WHERE source_id = 'curated'")
    return paths


@pytest.fixture(autouse=True)
def _use(checkout: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(checkout.root))
    monkeypatch.delenv("TRAINCOMPUTE_DATA", raising=False)


def run(*options: str) -> Result:
    result = CliRunner().invoke(group, ["status", "--today", "2026-11-21", *options])
    assert result.exit_code == 0, result.output
    return result


def read(*options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("--json", *options).output)
    return found


def query(paths: Paths, text: str) -> list[Any]:
    with duckdb.connect(str(paths.processed / "traincompute.duckdb"), read_only=True) as connection:
        return connection.execute(text).fetchall()


def test_a_source_has_its_newest_snapshot_age_and_way_in() -> None:
    sources = {row["source_id"]: row for row in read()["sources"]}
    notable = sources["epoch_notable"]
    assert (notable["snapshot"], notable["age_days"], notable["pullable"]) == ("2026-03-30", 236, True)
    assert (sources["curated"]["snapshot"], sources["curated"]["pullable"]) == ("2026-11-21", False)
    assert notable["looked_at"]
    assert sources["curated"]["looked_at"] is None
    assert "epoch_notable 2026-03-30 236 days old" in " ".join(run().output.split())


def test_a_look_at_an_unchanged_source_is_written_down(built: Paths, tmp_path: Path, monkeypatch: Any) -> None:
    shutil.copytree(built.root, tmp_path / "copy", symlinks=True)
    paths = Paths(tmp_path / "copy")
    lock = json.loads(paths.lock.read_text(encoding="utf-8"))
    lock["epoch_hardware"]["snapshots"]["2026-03-30"]["retrieved_at"] = "2026-04-01T00:00:00+00:00"
    paths.lock.write_text(json.dumps(lock), encoding="utf-8")
    request = Request(files=(GOLDEN / "epoch_hardware.csv",), as_of=date(2026, 3, 30))
    assert not pull_source(paths, load_sources(paths)["epoch_hardware"], request, lambda _: None)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    row = next(row for row in read()["sources"] if row["source_id"] == "epoch_hardware")
    assert row["snapshot"] == "2026-03-30"  # it has not changed since
    assert row["looked_at"] == datetime.now(UTC).date().isoformat()


def test_the_share_of_values_with_two_publishers_is_told(built: Paths) -> None:
    rows = {row["field"]: row for row in read()["voices"]}
    expected = query(
        built,
        "SELECT count(*), count(*) FILTER (supporting_publishers > 1) FROM claims WHERE field = 'parameters' AND "
        "status = 'selected' AND model_id IN (SELECT model_id FROM models WHERE is_notable AND "
        "publication_date >= '2020-01-01' AND list_contains(domains, 'Language'))",
    )[0]
    assert (rows["parameters"]["total"], rows["parameters"]["supported"]) == expected
    assert "parameters of notable language models since 2020 with two or more publishers: 0 of" in run().output


def test_the_age_counts_from_the_day_given() -> None:
    result = CliRunner().invoke(group, ["status", "--json", "--today", "2026-04-01"])
    ages = {row["source_id"]: row["age_days"] for row in json.loads(result.output)["sources"]}
    assert ages["epoch_notable"] == 2


def test_a_snapshot_that_is_not_built_yet_asks_for_a_build(checkout: Paths, tmp_path: Path, monkeypatch: Any) -> None:
    paths = copy_checkout(checkout, tmp_path / "copy")
    request = Request(files=(GOLDEN / "epoch_hardware.csv",), as_of=date(2026, 7, 19))
    pull_source(paths, load_sources(paths)["epoch_hardware"], request, lambda _: None)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    assert "the dataset was built with 2026-03-30: run traincompute build" in run().output


def test_quarantined_facts_are_counted_by_field(checkout: Paths) -> None:
    rows = {row["field"]: row for row in read()["quarantine"]["rows"]}
    # "2260275840,2290000001" is the dataset size of AbLang upstream
    assert rows["dataset_size"]["reason"] == "several values in one cell"
    assert read()["quarantine"]["total"] == query(checkout, "SELECT count(*) FROM quarantine")[0][0]


def test_a_mention_that_is_no_hardware_is_listed(checkout: Paths) -> None:
    lost = query(checkout, "SELECT DISTINCT mention FROM model_hardware WHERE hardware_id IS NULL")
    assert {row["mention"] for row in read()["hardware"]["rows"]} == {mention for (mention,) in lost}


def test_the_largest_model_without_a_curated_fact_comes_first() -> None:
    uncovered = read()["uncovered"]
    names = [row["name"] for row in uncovered["rows"]]
    assert "GPT-4 (Mar 2023)" not in names  # 2.1e25 FLOP, but it has a curated fact
    assert names[0] == "Llama 3.1-405B"  # 3.8e25 FLOP upstream
    values = [row["training_compute_flop"] for row in uncovered["rows"]]
    assert values == sorted(values, reverse=True)


def test_the_limit_cuts_the_rows_and_not_the_count() -> None:
    uncovered = read("--limit", "2")["uncovered"]
    assert len(uncovered["rows"]) == 2
    assert uncovered["total"] == len(read("--limit", "1000")["uncovered"]["rows"]) > 2
    assert f"no curated fact: {uncovered['total']}, the first 2" in run("--limit", "2").output


def test_a_base_model_that_no_record_is_called_is_listed() -> None:
    # the small checkout has LLaMA-7B, the base of Goat-7B, and not the base of ALLaM
    assert read()["base_models"]["rows"] == [{"name": "ALLaM adapted 70B", "base_model": "Llama 2-70B"}]


def test_organizations_are_counted(checkout: Paths) -> None:
    total, lacking = query(checkout, "SELECT count(*), count(*) - count(category) FROM organizations")[0]
    assert f"organisations: {lacking} of {total} without a category" in run().output


def test_without_a_dataset_the_message_says_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data" / "raw").mkdir(parents=True)  # a checkout that has built nothing yet
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path))
    result = CliRunner().invoke(group, ["status"])
    assert result.exit_code == 1
    assert "run `traincompute build` first" in str(result.exception or result.output)


def test_a_correction_of_what_upstream_has_changed_since_is_listed_and_stops_no_build(
    small: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (small.raw / "epoch_all" / "facts.csv").open("a") as file:  # the snapshot of 2026-03-30 has 4.7e+17
        file.write("AlexNet,training_compute_flop,9.9e+17,,2022-05-03,2026-03-30\n")
    (small.curated / "corrections.yml").write_text(
        "- {id: alexnet, source: epoch_all, record: AlexNet, field: training_compute_flop, value_text: 99E16 FLOP, "
        "since: 2022-01-01, entered: 2026-03-29, action: drop, upstream: not reported, reason: test}\n"
    )
    made = build.build(small)
    (dropped,) = made["claims"].query("correction == 'alexnet'").to_dict("records")
    assert (dropped["source_id"], dropped["value"], dropped["reason_code"]) == ("epoch_all", 4.7e17, "corrected")
    told = [line for line in build.summarize(load_context(small), made) if line.startswith("correction")]
    assert len(told) == 1
    assert "alexnet keeps its effect, but the cell has 4.7e+17 now" in told[0]
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    assert [row["correction_id"] for row in read()["outdated"]["rows"]] == ["alexnet"]
