"""Only a build that would change something is made."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pipeline.paths import Paths
from pipeline.publish import builds
from pipeline.publish.builds import inputs_digest, is_current, write_stamp

INPUTS = (
    "code/pipeline/a.py",
    "code/traincompute/deeper/b.py",
    "data/constants.yml",
    "data/calibration/c.csv",
    "schemas/models.yml",
    "pipeline/publish/sql/v.sql",
    "data/raw/lock.json",
    "data/raw/curated/facts.csv",
)


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A checkout of a few files with a build of two."""
    for name in (*INPUTS, "data/processed/models.csv", "data/processed/traincompute.duckdb"):
        write(tmp_path / name, name)
    monkeypatch.setattr(builds, "CHECKOUT", tmp_path / "code")
    paths = Paths(tmp_path)
    write_stamp(paths.processed, inputs_digest(paths, None))
    return paths


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_counts_with_its_name_and_its_content(published: Paths, name: str) -> None:
    file = published.root / name
    file.write_text("other")
    assert not is_current(published, None)
    file.write_text(name)
    assert is_current(published, None)
    file.unlink()
    assert not is_current(published, None)


def test_vintages_and_libraries_count_and_what_nothing_reads_does_not(
    published: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(published.schemas / "__pycache__" / "models.pyc", "")
    write(published.declined, "hub_id\n")
    write(published.root / "docs" / "index.md", "")
    (published.schemas / "again").symlink_to(published.schemas)
    assert is_current(published, None)
    assert not is_current(published, date(2026, 3, 30))
    monkeypatch.setattr(builds, "version", "{}-9".format)
    assert not is_current(published, None)


@pytest.mark.parametrize("name", ["models.csv", "traincompute.duckdb", ".inputs"])
def test_a_published_file_that_was_touched_or_is_gone_is_built_anew(published: Paths, name: str) -> None:
    file = published.processed / name
    file.write_text(file.read_text()[:-1] + "!")
    assert not is_current(published, None)
    file.unlink()
    assert not is_current(published, None)
