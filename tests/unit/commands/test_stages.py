"""The stages, run one at a time, and a vintage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline import cli
from pipeline.paths import Paths
from traincompute.cli import group

DAY = "2026-03-30"


def run(*words: str) -> str:
    done = CliRunner().invoke(group, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def published(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for pattern in ("*.csv", "*.parquet") for file in folder.glob(pattern)}


def test_the_stages_publish_what_a_build_does(small: Paths, built: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    assert "quarantined" in run("stage", "normalize")
    early = CliRunner().invoke(group, ["stage", "publish"])
    assert (early.exit_code, "stage impute" in early.stderr) == (2, True)
    assert "estimates" not in run("stage", "validate")
    assert "values" in run("stage", "impute")
    assert "estimates" in run("stage", "validate")
    run("stage", "publish")
    assert published(small.processed) == published(built.processed)


def test_a_vintage_leaves_the_newest_build_as_it_is(built_copy: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(built_copy.root))
    before = published(built_copy.processed)
    assert run("build").startswith("up to date")
    assert f"vintage-{DAY} in " in run("build", "--as-of", DAY)
    manifest = json.loads((built_copy.processed / f"vintage-{DAY}" / "manifest.json").read_text())
    assert (manifest["version"], manifest["as_of"]) == (f"vintage-{DAY}", DAY)
    assert published(built_copy.processed) == before


def test_a_full_disk_is_said_to_leave_what_is_published(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    monkeypatch.setattr("pipeline.build.build", full)
    result = CliRunner().invoke(cli.build)
    assert "No space left on device" in str(result.exception)
    assert result.exit_code == 1
