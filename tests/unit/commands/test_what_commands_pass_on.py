"""What a command makes of its options, where the work behind it is tried elsewhere."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from pipeline.commands import release as release_command
from pipeline.commands.build_ledger import build_ledger
from pipeline.commands.release import missing_vintages, release
from pipeline.release import make
from pipeline.scale import build as scale_build
from traincompute.commands.convert import convert
from traincompute.commands.examples import examples
from traincompute.examples.search import find_examples

Released = Callable[..., tuple[str, list[make.Request]]]


def test_without_words_all_questions_are_listed_by_their_section_and_none_is_answered() -> None:
    listed = CliRunner().invoke(examples, []).output
    assert listed.startswith("\nCompute\n   1  How many training runs of notable models took at least 1e25 FLOP?\n")
    assert len([line for line in listed.splitlines() if line[:4].strip().isdigit()]) == 40
    assert "SQL " not in listed


def test_the_number_of_a_question_answers_it_and_lists_nothing_below() -> None:
    answered = CliRunner().invoke(examples, ["7"]).output
    assert answered.startswith("7. How long would the fastest supercomputer")
    assert [line[:8].strip() for line in answered.splitlines()[2:]] == ["SQL", "pandas", "R"]


def test_a_word_answers_the_best_question_and_lists_the_others() -> None:
    answered = CliRunner().invoke(examples, ["energy"]).output
    first = answered.split(". ")[1].splitlines()[0]
    assert "SQL " in answered
    assert answered.count(first) == 1
    assert len(re.findall(r"^ +[0-9]+  .*\?$", answered, re.M)) == len(find_examples(["energy"])) - 1
    assert "\nCost, energy, carbon\n" in answered


@pytest.mark.parametrize(("engine", "own"), [("local", False), ("spark", True)])
def test_a_ledger_is_built_by_every_processor_or_as_many_as_are_told(
    engine: str, own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(scale_build, "find_files", lambda *_: [])
    monkeypatch.setattr(scale_build, "build", lambda *_, **given: asked.append(given))
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    words = ["--ledger", str(tmp_path), "--to", str(tmp_path), "--engine", engine]
    for more in ([], ["--jobs", "3", "--models", "5"]):
        assert CliRunner().invoke(build_ledger, [*words, *more]).exit_code == 0
    assert [(given["jobs"], given["models"]) for given in asked] == [(7, 18_000), (3, 5)]
    monkeypatch.setattr(os, "cpu_count", lambda: None)  # where the system does not say
    assert CliRunner().invoke(build_ledger, words).exit_code == 0
    assert asked[-1]["jobs"] == 1
    assert all((given["engine"] is not None) == own for given in asked)


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Released:
    """Runs the command where two vintages are missing and a release is one file of 1.55 MB: output, and what was asked for."""
    (tmp_path / "models.parquet").write_bytes(bytes(1_550_000))

    def run(*words: str) -> tuple[str, list[make.Request]]:
        asked: list[make.Request] = []

        def made(_paths: object, requests: list[make.Request], _say: object) -> list[Path]:
            asked.extend(requests)
            return [tmp_path for _ in requests]

        monkeypatch.setattr(make, "make_releases", made)
        monkeypatch.setattr(release_command, "missing_vintages", lambda _: [date(2025, 1, 2), date(2025, 3, 4)])
        return CliRunner().invoke(release, list(words)).output, asked

    return run


def test_a_release_has_its_version_and_says_how_large_it_is(released: Released, tmp_path: Path) -> None:
    said, (asked,) = released("2026.12.0")
    assert said == f"released 2026.12.0: {tmp_path} (1.6 MB)\n"
    assert (asked.version, asked.as_of) == ("2026.12.0", None)


def test_a_vintage_is_made_of_one_day_or_of_all_that_are_missing(released: Released) -> None:
    (one,) = released("--as-of", "2025-01-02")[1]
    assert (one.version, one.as_of) == ("vintage-2025-01-02", date(2025, 1, 2))
    said, both = released("--vintages")
    assert [asked.version for asked in both] == ["vintage-2025-01-02", "vintage-2025-03-04"]
    assert said.count("released vintage-") == 2
    assert "every snapshot" not in said


def test_no_missing_vintage_is_no_release(released: Released, monkeypatch: pytest.MonkeyPatch) -> None:
    assert released("--vintages")[1] != []
    monkeypatch.setattr(release_command, "missing_vintages", lambda _: [])
    monkeypatch.setattr(make, "make_releases", lambda *_: [])
    assert CliRunner().invoke(release, ["--vintages"]).output == "every snapshot has its vintage\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give one of VERSION, --as-of and --vintages"),
        (["2026.12.0", "--vintages"], "give one of VERSION, --as-of and --vintages"),
        (["vintage-2025-01-02"], "a vintage is made by --as-of DATE"),
        (["2026.12.0", "--url", "https://example.org/{nmae}"], "may hold {folder}, {name} and {asset} only"),
    ],
)
def test_a_release_is_asked_for_in_one_way(words: list[str], said: str, released: Released) -> None:
    output, asked = released(*words)
    assert said in " ".join(output.split())
    assert asked == []


def test_the_newest_snapshot_is_no_vintage_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    days = [date(2024, 7, 16), date(2025, 11, 1), date(2026, 3, 30), date(2026, 7, 19)]
    monkeypatch.setattr("pipeline.registry.sources.load_lock", lambda _: None)
    monkeypatch.setattr("pipeline.registry.sources.locked_snapshots", lambda *_: days)
    monkeypatch.setattr("pipeline.release.index.read_index", lambda _: ["vintage-2025-11-01"])
    monkeypatch.setattr("pipeline.release.index.find", lambda index, version: version in index)
    assert missing_vintages(SimpleNamespace(releases=None)) == [days[0], days[2]]  # type: ignore[arg-type]


def test_a_conversion_for_people_tells_the_utilisation_of_chip_hours_alone() -> None:
    lines = CliRunner().invoke(convert, ["3640 pfs-days"]).output.splitlines()
    assert lines[0] == "3.14496e+23              FLOP"
    assert lines[-1] == "220740                   H100-hour  at 0.4 of the dense FP16 peak"
    assert sum("peak" in line for line in lines) == 2
    assert "700000 " in CliRunner().invoke(convert, ["3640 pfs-days", "--chip", "a100"]).output


def test_a_conversion_for_scripts_is_indented_json() -> None:
    said = CliRunner().invoke(convert, ["3640 pfs-days", "--json"]).output
    assert said == json.dumps(json.loads(said), indent=1) + "\n"
