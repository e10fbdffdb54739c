"""Rows 37-42 of the fault list for `release`: whatever happens, the index names only complete releases, and a rerun
repairs."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from checkouts import copy_checkout, git
from machine import needs_ssh_keygen
from once import once_a_run
from revised_rows import revise

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.release import make
from pipeline.release.make import Request, make_releases
from traincompute.index import parse_index
from traincompute.verification import verify_folder

OLD, NEW = "2026.10.0", "2026.11.0"


def release(paths: Paths, version: str, **options: Any) -> Path:
    (folder,) = make_releases(paths, [Request(version, **options)], lambda _: None)
    return folder


@pytest.fixture(scope="session")
def made(
    small_template: Paths, built: Paths, revised: tuple[Paths, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """A committed checkout with release 2026.10.0, whose facts have changed since, and a build of the changed facts."""

    def begin(folder: Path) -> tuple[Path, Path]:
        paths = copy_checkout(small_template, folder / "checkout")
        (paths.root / ".gitignore").write_text("data/processed/\ndata/cache/\n")
        git(paths.root, "init", "-q")
        git(paths.root, "add", "-A")
        git(paths.root, "commit", "-qm", "first")
        with pytest.MonkeyPatch.context() as patched:
            known(patched, (built.processed / ".current").resolve())
            release(paths, OLD)
        revise(paths)
        git(paths.root, "commit", "-qam", "second")
        return paths.root, revised[1]

    return once_a_run(tmp_path_factory, "faults_release", begin)


@pytest.fixture
def repo(made: tuple[Path, Path], tmp_path: Path) -> Paths:
    """A copy of that checkout."""
    return copy_checkout(Paths(made[0]), tmp_path / "checkout")


@pytest.fixture
def prebuilt(made: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """That build. Releases copy it instead of building again."""
    known(monkeypatch, made[1])
    return made[1]


def known(patched: pytest.MonkeyPatch, build: Path) -> None:
    """Releases have the files of that build."""
    notes = shutil.ignore_patterns(".*")
    patched.setattr(make, "build_into", lambda _p, _d, work, _ground: shutil.copytree(build, work, ignore=notes))
    patched.setattr(make.build, "lay_ground", lambda *_: None)


def state(paths: Paths) -> tuple[bytes, list[str]]:
    """The index, and the versions in it; checks that each of them verifies and that nothing else has a release's
    name."""
    content = (paths.releases / "releases.json").read_bytes()
    versions = [entry["version"] for entry in json.loads(content)["releases"]]
    for version in versions:
        assert verify_folder(paths.releases / f"v{version}").problems == []
    return content, versions


def test_a_release_holds_these_files_and_its_index_names_it(repo: Paths, prebuilt: Path) -> None:
    folder = release(repo, NEW)
    others = {f.name for f in folder.iterdir() if f.suffix not in (".parquet", ".csv")}
    assert others == {
        *("traincompute.duckdb", "traincompute.sql", "manifest.json", "datapackage.json", "croissant.json"),
        *("CITATION.cff", "README.md", "LICENSE-DATA.md", "SHA256SUMS"),
    }
    tables = json.loads((folder / "manifest.json").read_text())["tables"]
    assert {f.stem for f in folder.glob("*.csv")} == {f.stem for f in folder.glob("*.parquet")} == set(tables)
    index = parse_index((repo.releases / "releases.json").read_bytes(), str(repo.releases / "releases.json"))
    assert (index.serial, index.latest, list(index.releases)) == (2, NEW, [OLD, NEW])
    assert verify_folder(folder, index.releases[NEW]).vouched == "listed in the index"


FULL, DENIED, READ_ONLY = (OSError(number, os.strerror(number)) for number in (errno.ENOSPC, errno.EACCES, errno.EROFS))


def test_a_folder_that_no_index_names_and_that_differs_is_not_overwritten(repo: Paths, prebuilt: Path) -> None:
    stray = repo.releases / f"v{NEW}"
    stray.mkdir()
    (stray / "note.txt").write_text("mine")
    with pytest.raises(DataError, match=r"is not in releases\.json, and differs"):
        release(repo, NEW)
    assert [file.name for file in stray.iterdir()] == ["note.txt"]


def test_fault_40_without_a_whole_release_before_there_is_no_new_one(repo: Paths, prebuilt: Path) -> None:
    file = repo.releases / f"v{OLD}" / "models.parquet"
    file.chmod(0o644)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    before = (repo.releases / "releases.json").read_bytes()
    with pytest.raises(DataError, match=r"models\.parquet"):
        release(repo, NEW)
    shutil.rmtree(repo.releases / f"v{OLD}")
    with pytest.raises(DataError, match="the previous release is not here"):
        release(repo, NEW)
    assert (repo.releases / "releases.json").read_bytes() == before


def test_nothing_new_is_no_release_and_an_older_version_neither(repo: Paths, prebuilt: Path) -> None:
    release(repo, NEW)
    before = state(repo)
    with pytest.raises(DataError, match=f"nothing differs from v{NEW}"):
        release(repo, "2026.11.1")
    with pytest.raises(DataError, match=f"is older than the latest release {NEW}"):
        release(repo, "2026.9.0")
    assert state(repo) == before


@needs_ssh_keygen
def test_a_release_is_signed_by_those_who_may_and_by_nobody_else(
    repo: Paths, prebuilt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("maker", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    (tmp_path / "signers").write_text(f"publisher {(tmp_path / 'maker.pub').read_text()}")
    monkeypatch.setattr("traincompute.verification.SIGNERS", tmp_path / "nobody")
    with pytest.raises(DataError, match="nobody is known who may sign"):
        release(repo, NEW, key=tmp_path / "maker")
    monkeypatch.setenv("TRAINCOMPUTE_SIGNERS", str(tmp_path / "signers"))
    with pytest.raises(DataError, match="signers says that releases are signed") as unsigned:
        release(repo, NEW)
    assert "--key" in str(unsigned.value)
    monkeypatch.setattr(make, "_folder_of", lambda paths, entry: paths.releases / f"v{entry['version']}")
    first = release(repo, NEW, key=tmp_path / "maker")
    assert json.loads((repo.releases / "releases.json").read_text())["releases"][1]["signed"] is True
    assert verify_folder(first).vouched == "signed by a known signer"
    monkeypatch.setattr(make, "_contents", lambda folder: folder.name)
    monkeypatch.setattr(make, "_folder_of", lambda *_: first)
    with pytest.raises(DataError, match="nobody in"):
        release(repo, "2026.11.1", key=tmp_path / "other")
    with pytest.raises(DataError, match="give an SSH key"):
        release(repo, "2026.11.1", key=tmp_path / "nothing")
