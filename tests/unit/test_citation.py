"""How a dataset is cited: the styles, and the sources that are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from release_folders import write_release

import traincompute as t
from pipeline.files import load_yaml
from pipeline.paths import Paths
from pipeline.publish.describe import ABOUT as DESCRIBED
from pipeline.publish.describe import ABOUT_SHAPE as SHAPE
from traincompute.citation import ABOUT
from traincompute.cli import group


@pytest.fixture
def released(built: Paths, tmp_path: Path) -> Path:
    write_release(built.processed, tmp_path, "2026.11.0")
    return tmp_path / "v2026.11.0"


@pytest.mark.parametrize("style", ["text", "apa", "bibtex", "csl"])
def test_every_style_has_version_hash_and_epoch_ai_with_its_address(released: Path, style: str) -> None:
    shown = t.cite(str(released), style)
    for word in ("2026.11.0", t.load("models", str(released)).attrs["manifest_sha256"], "Epoch AI", "Data on AI Models",
                 "https://epoch.ai/data/ai-models"):  # fmt: skip
        assert word in shown
    words = [] if style == "text" else [f"--{style}"]
    assert CliRunner().invoke(group, ["cite", *words, "--version", str(released)]).output == shown


def test_csl_is_a_list_of_items_with_the_day_of_the_release(released: Path) -> None:
    ours, *sources = json.loads(t.cite(str(released), "csl"))
    assert (ours["type"], ours["issued"]) == ("dataset", {"date-parts": [[2026, 11, 21]]})
    assert {"id", "type", "title", "author", "URL"} <= set(sources[0])


def test_a_build_says_that_it_is_not_released(built: Paths) -> None:
    assert "A build that is not released, facts to 2026-03-30" in t.cite(str(built.processed))
    assert json.loads(t.cite(str(built.processed), "csl"))[0]["issued"] == {
        "date-parts": [list(map(int, t.__version__.split(".")[:2]))]
    }


def test_the_reader_describes_the_dataset_as_releases_do() -> None:
    described = load_yaml(DESCRIBED, "about.yml", SHAPE)
    assert {name: described[name] for name in ABOUT} == ABOUT


def test_another_style_is_refused(built: Paths) -> None:
    with pytest.raises(ValueError, match="no style 'mla'; there are: text, apa"):
        t.cite(str(built.processed), "mla")
