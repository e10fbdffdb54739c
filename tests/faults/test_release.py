"""Rows 37-42 of the fault list for `release`: whatever happens, the index names only complete releases, and a rerun
repairs."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from checkouts import copy_checkout, git
from once import once_a_run
from revised_rows import revise

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.release import bundle, make
from pipeline.release.commit import Commit
from pipeline.release.describe import changes
from pipeline.release.make import Request, Run, make_releases
from traincompute.base.disk import file_sha256
from traincompute.comparison.compare import Comparison, compare
from traincompute.verification.contents import problems_of

OLD, NEW, NEXT = "2026.10.0", "2026.11.0", "2026.11.1"
RUN = "from traincompute.cli import main; main()"


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
    """That build. Releases copy it instead of building again, and what was compared or verified once is known."""
    known(monkeypatch, made[1])
    monkeypatch.setattr(changes, "compare", compared)
    return made[1]


def known(patched: pytest.MonkeyPatch, build: Path) -> None:
    """Releases have the files of that build, and what was verified once is not verified again."""
    notes = shutil.ignore_patterns(".*")
    patched.setattr(make, "build_into", lambda _p, _d, work, _ground: shutil.copytree(build, work, ignore=notes))
    patched.setattr(make, "problems_of", lambda folder: problems(Path(os.fsdecode(folder))))
    patched.setattr(make.build, "lay_ground", lambda *_: None)


def state(paths: Paths) -> tuple[bytes, list[str]]:
    """The index, and the versions in it; checks that each of them verifies and that nothing else has a release's
    name."""
    content = (paths.releases / "releases.json").read_bytes()
    versions = [entry["version"] for entry in json.loads(content)["releases"]]
    for version in versions:
        assert problems(paths.releases / f"v{version}") == []
    return content, versions


FOUND: dict[tuple[object, ...], list[str]] = {}  # by the name of a release and the bytes of its files


def problems(folder: Path) -> list[str]:
    """What is wrong with a release. The same bytes, which most tests begin with, are not verified again."""
    key = (folder.name, *sorted((file.name, file_sha256(file)) for file in folder.iterdir()))
    if key not in FOUND:
        FOUND[key] = problems_of(os.fsencode(folder))
    return FOUND[key]


COMPARED: dict[tuple[bytes, bytes], Comparison] = {}  # by the manifests, which name the contents of all tables


def compared(old: Path, new: Path) -> Comparison:
    """What differs between two builds."""
    key = (old / "manifest.json").read_bytes(), (new / "manifest.json").read_bytes()
    if key not in COMPARED:
        COMPARED[key] = compare(old, new)
    return COMPARED[key]


def reproducible(folder: Path) -> dict[str, str]:
    return {f.name: file_sha256(f) for f in folder.iterdir() if f.name not in (*bundle.NOT_REPRODUCIBLE, bundle.SUMS)}


def test_a_run_reads_the_ledger_once_for_each_commit(
    repo: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger of another commit would be released under the wrong name."""
    read: list[str] = []
    monkeypatch.setattr(make.build, "lay_ground", lambda *_: read.append("ledger") or len(read))
    run, first, second = Run(), Commit("a" * 40, "2026-10-01"), Commit("b" * 40, "2026-10-02")
    assert [make._ground(repo, commit, tmp_path, run) for commit in (first, first, second)] == [1, 1, 2]


FULL, DENIED, READ_ONLY = (OSError(number, os.strerror(number)) for number in (errno.ENOSPC, errno.EACCES, errno.EROFS))


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


SETTINGS = [
    {"TZ": "Pacific/Kiritimati", "LANG": "C", "LC_ALL": "C", "PYTHONHASHSEED": "4711"},
    {"TZ": "America/St_Johns", "OPENBLAS_NUM_THREADS": "2", "ARROW_NUM_THREADS": "1"},
]


@pytest.fixture(scope="module")
def released(made: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """A copy of that checkout with the second release, built like any other."""
    paths = copy_checkout(Paths(made[0]), tmp_path_factory.mktemp("released") / "checkout")
    release(paths, NEW)
    return paths


def test_what_changed_stands_in_the_release(repo: Paths, prebuilt: Path) -> None:
    folder = release(repo, NEW)
    lines = (folder / "changes.csv").read_text().splitlines()
    assert "changed,alexnet,AlexNet,training_compute_flop,4.7e+17,4.8e+17,1.02128,upstream revision" in "\n".join(lines)  # fmt: skip
    log = (folder / "CHANGELOG.md").read_text()
    assert log.index(f"## {NEW}") < log.index(f"Compared with {OLD}.") < log.index(f"## {OLD}")
