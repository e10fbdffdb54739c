"""`traincompute verify current`: the files of a build, or of the dataset in the package, are those of its manifest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipeline.base.paths import Paths
from traincompute.cli import group


@pytest.fixture
def folder(built: Paths, tmp_path: Path) -> Path:
    """A dataset as the package carries it: without CSV."""
    return Path(
        shutil.copytree(built.processed, tmp_path / "dataset", ignore=shutil.ignore_patterns("*.csv", "stages"))
    )


def verify(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(folder))
    return CliRunner().invoke(group, ["verify", "current"])


def test_a_dataset_without_csv_is_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = verify(folder, monkeypatch)
    assert (done.exit_code, done.stdout) == (0, f"{folder}: as its manifest says\n")


def test_every_file_that_is_another_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "claims.parquet").unlink()
    (folder / "mine.parquet").write_bytes(b"")
    for name in ("models.parquet", "traincompute.duckdb"):
        content = bytearray((folder / name).read_bytes())
        content[-9] ^= 1
        (folder / name).write_bytes(content)
    done = verify(folder, monkeypatch)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"{folder}/mine.parquet: in no manifest",
        f"{folder}/claims.parquet: missing",
        f"{folder}/models.parquet: another file than the manifest names",
        f"{folder}/traincompute.duckdb: another file than the manifest names",
    ]
