"""What makes a build current: the inputs by name and content, the versions that they were read with, and the published
files as they were written. On a checkout of a few files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import date
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.base.paths import Paths
from pipeline.publish import fingerprint
from pipeline.publish.fingerprint import inputs_digest, is_current

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
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    for name in INPUTS:
        write(tmp_path / name, name)
    monkeypatch.setattr(fingerprint, "CHECKOUT", tmp_path / "code")
    return Paths(tmp_path)


@pytest.fixture
def published(checkout: Paths) -> Paths:
    folder = checkout.processed
    for name in ("models.csv", "models.parquet", "traincompute.duckdb"):
        write(folder / name, name * len(name))
    digests = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    files = {name: {"sha256": digests[name]} for name in ("models.csv", "models.parquet")}
    write(folder / "manifest.json", json.dumps({"tables": {"models": {"files": files}}}))
    write(folder / ".traincompute.duckdb.sha256", f"{digests['traincompute.duckdb']}  traincompute.duckdb\n")
    write(folder / ".inputs", inputs_digest(checkout, None))
    return checkout


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_counts_with_its_name_and_its_content(checkout: Paths, name: str) -> None:
    before, file = inputs_digest(checkout, None), checkout.root / name
    file.write_text("other")
    assert inputs_digest(checkout, None) != before
    file.write_text(name)
    assert inputs_digest(checkout, None) == before
    file.unlink()
    assert inputs_digest(checkout, None) != before


def test_what_nothing_reads_does_not_count(checkout: Paths) -> None:
    before = inputs_digest(checkout, None)
    write(checkout.schemas / "__pycache__" / "models.pyc", "")
    write(checkout.declined, "hub_id\n")
    write(checkout.root / "docs" / "index.md", "")
    (checkout.schemas / "again").symlink_to(checkout.schemas)
    assert inputs_digest(checkout, None) == before
    write(checkout.schemas / "empty.yml", "")
    assert inputs_digest(checkout, None) != before


def test_vintages_versions_and_what_moves_from_one_file_to_the_next_count(
    checkout: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    found = [inputs_digest(checkout, None), inputs_digest(checkout, date(2026, 3, 30))]
    for version in ((3, 11, 90, "final", 0), (3, 11, 91, "final", 0)):
        monkeypatch.setattr(fingerprint, "sys", SimpleNamespace(version_info=version))
        found.append(inputs_digest(checkout, None))
    monkeypatch.setattr(fingerprint, "sys", SimpleNamespace(version_info=(3, 11, 91, "candidate", 1)))
    assert inputs_digest(checkout, None) == found[-1]
    for of_library in ("{}-9".format, missing):
        monkeypatch.setattr(fingerprint, "version", of_library)
        found.append(inputs_digest(checkout, None))
    write(checkout.schemas / "a.yml", "onetwo")
    write(checkout.schemas / "b.yml", "")
    found.append(inputs_digest(checkout, None))
    write(checkout.schemas / "a.yml", "one")
    write(checkout.schemas / "b.yml", "two")
    found.append(inputs_digest(checkout, None))
    assert len(set(found)) == len(found)
    assert {len(digest) for digest in found} == {64}


@pytest.mark.parametrize("name", ["models.csv", "models.parquet", "traincompute.duckdb"])
def test_a_build_is_current_while_each_of_its_files_is_as_it_was_written(published: Paths, name: str) -> None:
    file = published.processed / name
    written = file.read_text()
    assert is_current(published, None)
    file.write_text(written[:-1] + "!")
    assert not is_current(published, None)
    file.write_text(written)
    assert is_current(published, None)
    file.unlink()
    assert not is_current(published, None)


def test_a_build_of_other_inputs_or_half_a_build_is_not_current(published: Paths) -> None:
    assert not is_current(published, date(2026, 3, 30))
    assert not is_current(replace(published, output=published.root / "nothing"), None)
    manifest = published.processed / "manifest.json"
    for text in ("{}", "{"):
        manifest.write_text(text)
        assert not is_current(published, None)
