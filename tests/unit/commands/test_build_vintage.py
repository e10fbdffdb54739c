"""A vintage has a folder of its own and says what it is; the newest build stays what is read."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import traincompute
from pipeline.base.paths import Paths
from traincompute.cli import group

DAY = "2026-03-30"
FOLDER = f"vintage-{DAY}"
STAGES = ("validate", "impute", "publish")


def run(*words: str) -> str:
    done = CliRunner().invoke(group, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.thorough
def test_a_vintage_leaves_the_newest_build_in_place_and_says_what_it_is(
    built_copy: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(built_copy.root))
    newest = (built_copy.processed / "manifest.json").read_bytes()
    assert FOLDER in run("build", "--as-of", DAY)
    assert (built_copy.processed / "manifest.json").read_bytes() == newest
    folder = built_copy.processed / FOLDER
    assert json.loads((folder / "manifest.json").read_bytes())["as_of"] == DAY
    assert "up to date" in run("build", "--as-of", DAY)
    assert f"Version {FOLDER} [data set]. A build that is not released" in run("cite", "--version", str(folder))
    assert f"version = {{{FOLDER}}}" in (cited := run("cite", "--bibtex", "--version", str(folder)))
    assert "month = mar" in cited
    assert "A build that is not released" in cited
    assert len(traincompute.load("models", version=str(folder))) > 0


@pytest.mark.thorough
def test_so_does_one_made_by_single_stages(built_copy: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(built_copy.root))
    newest = (built_copy.processed / "manifest.json").read_bytes()
    run("stage", "normalize", "--as-of", DAY)
    assert FOLDER in [run("stage", stage) for stage in STAGES][-1]
    assert (built_copy.processed / "manifest.json").read_bytes() == newest
