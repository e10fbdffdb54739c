"""The index names only whole releases, and a rerun repairs."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from checkouts import copy_checkout, git
from click.testing import CliRunner
from machine import needs_ssh_keygen
from once import once_a_run
from revised_rows import revise

from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.publish import release
from traincompute.cli import group
from traincompute.published import parse_index, verify_folder

OLD, NEW, NEXT = "2026.10.0", "2026.11.0", "2026.11.1"


def copies(built: Path) -> Callable[[Paths, date | None], Any]:
    """A build that takes its files from another one."""

    def build(paths: Paths, _: date | None) -> Any:
        shutil.copytree(built, paths.processed / "build")
        (paths.processed / ".current").symlink_to("build")
        return SimpleNamespace(tables={"predictions": None}, verdict=SimpleNamespace(tables={}, findings=[]))

    return build


def make(
    paths: Paths, version: str, built: Path, baseline: Callable[..., bytes] = lambda *_: b"released", **options: Any
) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "__version__", version)
        patch.setattr(release, "baseline_content", baseline)
        return release.make_release(paths, version, copies(built), **options)


@pytest.fixture(scope="session")
def released(
    small_template: Paths, built: Paths, revised: tuple[Paths, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A committed checkout with a release and newer facts."""

    def begin(folder: Path) -> Path:
        paths = copy_checkout(small_template, folder / "checkout")
        (paths.root / ".gitignore").write_text("data/processed/\ndata/cache/\n")
        git(paths.root, "init", "-q")
        git(paths.root, "add", "-A")
        git(paths.root, "commit", "-qm", "first")
        make(paths, OLD, (built.processed / ".current").resolve())
        revise(paths)
        git(paths.root, "add", "-A")
        git(paths.root, "commit", "-qm", "second")
        return paths.root

    return once_a_run(tmp_path_factory, "faults_release", begin)


@pytest.fixture
def repo(released: Path, tmp_path: Path) -> Paths:
    """A copy of that checkout."""
    return copy_checkout(Paths(released), tmp_path / "checkout")


@pytest.fixture
def new(revised: tuple[Paths, Path]) -> Path:
    """A build of the changed facts."""
    return revised[1]


def state(paths: Paths) -> tuple[bytes, list[str]]:
    """The index and the folders, once all are verified."""
    index = parse_index((paths.releases / "releases.json").read_bytes(), str(paths.releases / "releases.json"))
    for entry in index.releases.values():
        assert verify_folder(entry.place, entry).problems == []
    return Path(index.address).read_bytes(), sorted(path.name for path in paths.releases.iterdir())


def test_a_release_holds_these_files_and_its_index_names_it(repo: Paths, new: Path) -> None:
    folder = make(repo, NEW, new)
    others = {f.name for f in folder.iterdir() if f.suffix not in (".parquet", ".csv")}
    assert others == {
        *("traincompute.duckdb", "traincompute.sql", "manifest.json", "datapackage.json", "croissant.json"),
        *("CITATION.cff", "README.md", "LICENSE-DATA.md", "SHA256SUMS"),
    }
    tables = json.loads((folder / "manifest.json").read_text())["tables"]
    assert {f.stem for f in folder.glob("*.csv")} == {f.stem for f in folder.glob("*.parquet")} == set(tables)
    for name in ("models.parquet", "models.csv", "claims.parquet", "claims.csv"):
        assert (folder / name).read_bytes() == (new / name).read_bytes()
    index = parse_index((repo.releases / "releases.json").read_bytes(), str(repo.releases / "releases.json"))
    assert (index.latest, list(index.releases)) == (NEW, [OLD, NEW])
    assert verify_folder(folder, index.releases[NEW]).vouched == "listed in the index"


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("describe", KeyboardInterrupt()),
        ("seal", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
        ("baseline_content", KeyboardInterrupt()),
        ("place", KeyboardInterrupt()),
        ("write_index", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
    ],
)
def test_a_release_that_dies_is_not_in_the_index_and_a_rerun_makes_it(
    repo: Paths, new: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    index, folders = state(repo)

    def dies(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch, pytest.raises(type(error)):  # noqa: PT012
        patch.setattr(release, step, dies)
        make(repo, NEW, new, **({"baseline": dies} if step == "baseline_content" else {}))
    assert state(repo) == (index, sorted([*folders, f"v{NEW}"]) if step == "write_index" else folders)
    make(repo, NEW, new, lambda *_: b"released again")
    assert state(repo)[1] == sorted([*folders, f"v{NEW}"])
    assert repo.baseline.read_bytes() == b"released again"


def test_without_a_whole_release_before_there_is_no_new_one(repo: Paths, new: Path) -> None:
    before, file = state(repo)[0], repo.releases / f"v{OLD}" / "models.parquet"
    file.chmod(0o644)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"models\.parquet"):
        make(repo, NEW, new)
    shutil.rmtree(repo.releases / f"v{OLD}")
    with pytest.raises(DataError, match="the previous release is not here"):
        make(repo, NEW, new)
    assert (repo.releases / "releases.json").read_bytes() == before


def test_nothing_new_files_that_are_not_committed_and_another_version_are_no_release(
    repo: Paths, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(repo, NEW, new)
    before = state(repo)
    with pytest.raises(DataError, match=f"nothing differs from v{NEW}"):
        make(repo, NEXT, new)
    (repo.raw / "note.txt").write_text("mine")
    with pytest.raises(DataError, match=r"data/raw/note\.txt.*--allow-dirty"):
        make(repo, NEXT, new)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(repo.root))
    refused = CliRunner().invoke(group, ["dev", "release", "2026.11.7"])
    assert "announces" in str(refused.exception)
    assert state(repo) == before


@needs_ssh_keygen
def test_signing_begins_after_an_unsigned_release_and_who_may_not_sign_is_refused(
    repo: Paths, new: Path, built: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("maker", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    (tmp_path / "signers").write_text(f"publisher {(tmp_path / 'maker.pub').read_text()}")
    monkeypatch.setattr("traincompute.published.SIGNERS", tmp_path / "nobody")
    with pytest.raises(DataError, match="nobody is known who may sign"):
        make(repo, NEW, new, key=tmp_path / "maker")
    monkeypatch.setenv("TRAINCOMPUTE_SIGNERS", str(tmp_path / "signers"))
    with pytest.raises(DataError, match="signers says that releases are signed"):
        make(repo, NEW, new)
    first = make(repo, NEW, new, key=tmp_path / "maker")
    assert json.loads((repo.releases / "releases.json").read_text())["releases"][1]["signed"] is True
    assert verify_folder(first).vouched == "signed by a known signer"
    with pytest.raises(DataError, match="nobody in"):
        make(repo, NEXT, (built.processed / ".current").resolve(), key=tmp_path / "other")
    (first / "SHA256SUMS.sig").unlink()
    with pytest.raises(DataError, match=r"SHA256SUMS\.sig: is missing"):
        make(repo, NEXT, (built.processed / ".current").resolve(), key=tmp_path / "maker")
    # readers who know the signers take the unsigned release, too, if they say so
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    words = ["download", OLD, "--index", str(repo.releases), "--to", str(tmp_path / "to")]
    assert "has to be signed" in str(CliRunner().invoke(group, words).exception)
    assert CliRunner().invoke(group, [*words, "--unsigned"]).exit_code == 0
