"""`traincompute releases`, `download` and `verify`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from release_folders import write_index, write_release

from pipeline.paths import Paths
from traincompute.cli import group
from traincompute.commands.releases import LISTED, download, releases

VERSION = "2026.11.0"


@pytest.fixture
def folder(built: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a release that the index in use lists."""
    write_index(tmp_path / "releases", [write_release(built.processed, tmp_path / "releases", VERSION)])
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(tmp_path / "releases"))
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "releases" / f"v{VERSION}"


def test_releases_for_people_and_for_scripts(folder: Path) -> None:
    lines = CliRunner().invoke(releases).stdout.splitlines()
    assert lines[0].split() == [*LISTED, "here", "latest"]
    assert lines[2].split()[:2] == [VERSION, "2026-11-21"]
    assert lines[2].endswith("true  true"), "an index of a folder lists what lies in it"
    [found] = json.loads(CliRunner().invoke(releases, ["--json"]).stdout)
    assert (found["version"], found["latest"], found["here"]) == (VERSION, True, True)
    assert found["models"] == 16, "rows of the golden file"


def test_download_says_where_it_is_and_who_vouches(folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(download, ["--to", str(tmp_path / "to")])
    assert result.stdout.startswith(f"{tmp_path / 'to' / folder.name}: release {VERSION}, ")
    assert result.stdout.endswith("verified: listed in the index\n")


def test_verify_of_a_version_that_is_not_here_says_how_to_get_it(folder: Path) -> None:
    index = json.loads((folder.parent / "releases.json").read_text())
    index["releases"][0]["url"] = "elsewhere"
    (folder.parent / "releases.json").write_text(json.dumps(index))
    result = CliRunner().invoke(group, ["verify", VERSION])
    assert "run `traincompute download 2026.11.0`" in str(result.exception)
    assert result.exception.exit_code == 2  # type: ignore[union-attr]
