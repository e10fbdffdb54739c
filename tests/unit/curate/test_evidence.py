"""evidence: figures at permalinks, in a repository that the tests make with git, bare or as a work tree."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from checkouts import copy_checkout
from click.testing import CliRunner

from pipeline.base.paths import Paths
from pipeline.curate.evidence import Finding, count_by_field
from pipeline.curate.snapshots import Snapshots
from traincompute.cli import group

HEADER = "record,field,value_text,locator,since,until,reference,evidence,accessed"
CARD = """# DeepSeek-V3
We pre-train on 14.8 trillion tokens,
with 671B parameters, of which 37B are active.
It took 2.664M H800 GPU hours. Released on December 26, 2024.
| model | batch | steps |
| V3 | 256K | 150K |
"""
DAY = "2026-11-21"
WRONG = "0123456789abcdef0123456789abcdef01234567"


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with the work tree lab/card and the bare lab+bare/repo, and the commit that both have."""
    folder = tmp_path_factory.mktemp("snapshots")
    (tree := folder / "lab" / "card").mkdir(parents=True)
    (tree / "model card.md").write_text(CARD, encoding="utf-8")
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "card")
    git(folder, "clone", "-q", "--bare", str(tree), "lab+bare/repo")
    return folder, git(tree, "rev-parse", "HEAD")


class Desk:
    """A checkout whose curated facts a test writes."""

    def __init__(self, paths: Paths, folder: Path, commit: str) -> None:
        self.paths, self.folder, self.commit = paths, folder, commit

    def link(self, at: str, repository: str = "lab/card", commit: str = "") -> str:
        return f"https://github.com/{repository}/blob/{commit or self.commit}/model%20card.md#{at}"

    def check(self, *facts: tuple[str, ...], exit_code: int = 0) -> dict[str, Any]:
        """The findings on facts of (field, value, reference), and of another locator, evidence or last day."""
        defaults = ("", "", "", "README", "seen", "")
        with (self.paths.curated / "facts_from_2023.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(HEADER.split(","))
            for field, value, link, locator, evidence, until in ((*f, *defaults[len(f) :]) for f in facts):
                rows.writerow(["DeepSeek-V3", field, value, locator, DAY, until, link, evidence, DAY])
        result = CliRunner().invoke(group, ["evidence", "--snapshots", str(self.folder), "--json"])
        assert result.exit_code == exit_code, result.output
        found: dict[str, Any] = json.loads(result.output)
        return found


@pytest.fixture
def desk(small_template: Paths, snapshots: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    paths = copy_checkout(small_template, tmp_path / "checkout")
    for file in paths.curated.glob("facts*.csv"):
        file.unlink()
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    return Desk(paths, *snapshots)


def outcomes(found: dict[str, Any]) -> list[str]:
    return [finding["outcome"] for finding in found["findings"]]


def test_a_figure_is_found_at_its_line_in_any_of_its_spellings(desk: Desk) -> None:
    for value in ("14.8T", "14.8 trillion", "14,800B", "1.48e13", "14.8 trillion tokens"):
        assert outcomes(desk.check(("training_tokens", value, desk.link("L2")))) == ["found"], value


def test_a_bare_repository_one_folder_below_is_read_too(desk: Desk) -> None:
    link = desk.link("L2-L3", "lab/bare")
    assert outcomes(desk.check(("parameters", "671B", link), ("training_tokens", "14.8T", link))) == ["found"] * 2


def test_a_wrong_figure_line_commit_and_file_are_each_named(desk: Desk) -> None:
    found = desk.check(
        ("parameters", "617B", desk.link("L3")),
        ("parameters_active", "37B", desk.link("L2")),
        ("training_tokens", "14.8T", desk.link("L2", commit=WRONG)),
        ("training_hours", "37 days", desk.link("L2").replace("card.md", "paper.md")),
        exit_code=1,
    )
    told = {finding["field"]: (finding["outcome"], finding["detail"]) for finding in found["findings"]}
    assert told == {
        "parameters": ("not there", "the file does not print it"),
        "parameters_active": ("moved", "line 3"),
        "training_tokens": ("not there", "the copy of the repository has no such commit"),
        "training_hours": ("not there", "no such file in that commit"),
    }


def test_a_repository_that_is_not_at_hand_is_no_fault(desk: Desk) -> None:
    found = desk.check(("parameters", "671B", desk.link("L3", "lab/elsewhere")))
    assert outcomes(found) == ["not at hand"]


def test_what_no_repository_shows_is_counted_by_its_kind(desk: Desk) -> None:
    found = desk.check(
        ("parameters", "671B", "arXiv:2412.19437"),
        ("training_tokens", "14.8T", "doi:10.1038/nature14539"),
        ("chip_hours", "2.664M", "https://github.com/lab/card"),
        ("batch_size", "256K", desk.link("L6").split("#")[0]),
        ("training_hours", "37 days", "https://example.org/post"),
    )
    assert found["findings"] == []
    assert list(found["elsewhere"].values()) == [1, 1, 2, 1]


def test_only_facts_that_were_seen_and_stand_now_are_opened(desk: Desk) -> None:
    link = desk.link("L3")
    facts = [
        ("parameters", "1B", link, "README", "secondary"),
        ("parameters", "2B", link, "README", "seen", "2026-11-22"),
    ]
    assert desk.check(*facts)["findings"] == []


def test_factors_that_the_locator_names_give_a_figure(desk: Desk) -> None:
    link = desk.link("L6")
    assert outcomes(desk.check(("training_tokens", "38.4B", link, "256K × 150K"))) == ["found"]
    assert outcomes(desk.check(("training_tokens", "38400.15M", link, "256K × 150K + 150K"))) == ["found"]
    assert outcomes(desk.check(("training_tokens", "51.2B", link, "256K × 200K"), exit_code=1)) == ["not there"]
    assert outcomes(desk.check(("training_tokens", "99B", link, "256K × 150K"), exit_code=1)) == ["not there"]


@pytest.mark.parametrize(
    ("at", "outcome", "detail"),
    [
        ("page=2", "found", ""),
        ("L2", "found", ""),
        ("L1-L2", "found", ""),
        ("page=1", "moved", "page 2, 4, 5"),
        ("L3", "moved", "line 2, 4, 5"),
    ],
)
def test_where_a_figure_has_moved_three_of_its_places_are_named(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, at: str, outcome: str, detail: str
) -> None:
    parts = ("model card", "671B", "of parameters", "671B", "671B", "671B")
    monkeypatch.setattr(Snapshots, "_read", lambda *_: parts)
    found = desk.check(("parameters", "671B", desk.link(at)), exit_code=int(outcome != "found"))
    assert [(finding["outcome"], finding["detail"]) for finding in found["findings"]] == [(outcome, detail)]


def test_references_are_counted_by_field_and_the_field_with_most_comes_first() -> None:
    seen = [
        ("hardware", "found"),
        ("parameters", "moved"),
        ("epochs", "found"),
        ("epochs", "not at hand"),
        ("hardware", "found"),
    ]
    counts = count_by_field([Finding("", "", field, "", "", outcome, "") for field, outcome in seen])
    none = {"found": 0, "moved": 0, "not there": 0, "not at hand": 0}
    assert list(counts.items()) == [
        ("epochs", none | {"found": 1, "not at hand": 1}),
        ("hardware", none | {"found": 2}),
        ("parameters", none | {"moved": 1}),
    ]


def test_words_and_days_are_looked_up_as_such(desk: Desk) -> None:
    link = desk.link("L4")
    assert outcomes(desk.check(("hardware", "H800", link), ("publication_date", "2024-12-26", link))) == ["found"] * 2
    assert (
        outcomes(desk.check(("hardware", "H100", link), ("publication_date", "2024-12-27", link), exit_code=1))
        == ["not there"] * 2
    )


def test_the_table_counts_by_field_and_names_what_is_wrong(desk: Desk) -> None:
    desk.check(("parameters", "671B", desk.link("L3")))
    result = CliRunner().invoke(group, ["evidence", "--snapshots", str(desk.folder)])
    assert "parameters" in result.output
    desk.check(("parameters", "617B", desk.link("L3")), exit_code=1)
    result = CliRunner().invoke(group, ["evidence", "--snapshots", str(desk.folder)])
    assert "facts_from_2023.csv:2 [DeepSeek-V3] parameters 617B: not there" in result.output
