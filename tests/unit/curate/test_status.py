"""status: ages of sources, and what is open."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from checkouts import copy_checkout
from click.testing import CliRunner, Result

from pipeline import build
from pipeline.config import load_sources
from pipeline.paths import Paths
from pipeline.pull.snapshot import Request, pull_source
from traincompute.cli import group

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module")
def checkout(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """The small checkout as if a fact about GPT-4 were curated."""
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
    result = CliRunner().invoke(group, ["status", *options])
    assert result.exit_code == 0, result.output
    return result


def read(*options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("--json", *options).output)
    return found


def test_a_source_has_its_newest_snapshot_age_and_way_in() -> None:
    sources = {row["source_id"]: row for row in read("--limit", "99")["03_sources"]["rows"]}
    notable = sources["epoch_notable"]
    assert (notable["snapshot"], notable["how"]) == ("2026-03-30", "pulled by URL")
    assert abs(notable["age_days"] - (date.today() - date(2026, 3, 30)).days) <= 1  # that midnight may pass
    assert (sources["curated"]["snapshot"], sources["curated"]["how"]) == ("2026-11-21", "entered by hand")
    assert notable["last_looked_at"]
    assert sources["curated"]["last_looked_at"] is None
    assert "epoch_notable 2026-03-30 " in " ".join(run().output.split())


def test_a_snapshot_that_is_not_built_yet_asks_for_a_build(checkout: Paths, tmp_path: Path, monkeypatch: Any) -> None:
    paths = copy_checkout(checkout, tmp_path / "copy")
    request = Request(files=(GOLDEN / "epoch_hardware.csv",), as_of=date(2026, 7, 19))
    pull_source(paths, load_sources(paths)["epoch_hardware"], request, lambda _: None)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    assert "the dataset was built with 2026-03-30: run traincompute build" in run().output


def test_what_is_open_is_counted_and_the_limit_cuts_the_rows_alone() -> None:
    found = read("--limit", "1000")
    # "2260275840,2290000001" is the dataset size of AbLang upstream
    unread = {row["field"]: row["reason"] for row in found["07_unread"]["rows"]}
    assert unread["dataset_size"] == "several values in one cell"
    # GPT-4 (Mar 2023), 2.1e25 FLOP, has a curated fact; Llama 3.1-405B has 3.8e25
    names = [row["name"] for row in found["09_uncovered"]["rows"]]
    assert names[0] == "Llama 3.1-405B"
    assert "GPT-4 (Mar 2023)" not in names
    # the small checkout has LLaMA-7B, the base of Goat-7B, and not the base of ALLaM
    assert found["11_base_models"]["rows"] == [{"name": "ALLaM adapted 70B", "base_model": "Llama 2-70B"}]
    cut = read("--limit", "2")["09_uncovered"]
    assert (len(cut["rows"]), cut["total"]) == (2, len(names))
    assert f"no curated fact: {len(names)}, the first 2" in run("--limit", "2").output


def test_a_correction_of_what_upstream_has_changed_since_is_listed_and_stops_no_build(
    small: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (small.raw / "epoch_all" / "facts.csv").open("a") as file:  # the snapshot of 2026-03-30 has 4.7e+17
        file.write("AlexNet,training_compute_flop,9.9e+17,,2022-05-03,2026-03-30\n")
    (small.curated / "corrections.yml").write_text(
        "- {id: alexnet, source: epoch_all, record: AlexNet, field: training_compute_flop, value_text: 99E16 FLOP, "
        "since: 2022-01-01, entered: 2026-03-29, action: drop, upstream: not reported, reason: test}\n"
    )
    made = build.build(small).tables
    (dropped,) = made["claims"].query("correction == 'alexnet'").to_dict("records")
    assert (dropped["source_id"], dropped["value"], dropped["reason_code"]) == ("epoch_all", 4.7e17, "corrected")
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    assert [(row["correction_id"], row["now"]) for row in read()["04_corrections"]["rows"]] == [("alexnet", "4.7e+17")]
