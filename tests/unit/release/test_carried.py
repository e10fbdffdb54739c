"""`traincompute verify current`: the files of a build, or of the dataset in the package, are those of its manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from traincompute.cli import group


@pytest.fixture
def folder(tiny_release: Path) -> Path:
    """A dataset as the package carries it: without CSV."""
    for file in tiny_release.glob("*.csv"):
        file.unlink()
    return tiny_release


def verify(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(folder))
    return CliRunner().invoke(group, ["verify", "current"])


def test_a_dataset_without_csv_is_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = verify(folder, monkeypatch)
    assert (done.exit_code, done.stdout) == (0, f"{folder}: as its manifest says\n")


def test_every_file_that_is_another_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sources.parquet").unlink()
    for name in ("mine.parquet", "mine.csv"):
        (folder / name).write_bytes(b"")
    for name in ("models.parquet", "traincompute.duckdb"):
        content = bytearray((folder / name).read_bytes())
        content[-9] ^= 1
        (folder / name).write_bytes(content)
    done = verify(folder, monkeypatch)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{folder}/mine.csv: in no manifest",
        f"{folder}/mine.parquet: in no manifest",
        f"{folder}/sources.parquet: missing",
        f"{folder}/models.parquet: another file than the manifest names",
        f"{folder}/traincompute.duckdb: another file than the manifest names",
    ]
