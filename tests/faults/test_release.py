"""Rows 37-42 of the fault list for `release`: whatever happens, the index names only complete releases, and a rerun
repairs."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from checkouts import copy_checkout, git
from forked import command, fork
from once import once_a_run
from revised_rows import revise

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
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


# what an audit hook sees before it happens: the event, and what its arguments contain
KILLS = [
    ("os.mkdir", ".making"),
    ("open", "datapackage.json"),
    ("open", "changes.csv"),
    ("open", f"traincompute-{NEW}.zip"),
    ("open", "SHA256SUMS"),
    ("os.chmod", "models.parquet"),
    ("os.rename", f".tmp/v{NEW}"),
    ("shutil.rmtree", ".tmp'"),  # the folder has its name
    ("open", ".releases.json"),
    ("os.rename", ".releases.json"),
    ("open", "releases',"),  # the index has its name
]


def release_and_die(root: Path, kept: Path, event: str, part: str) -> None:
    """Makes the release of a build until the event happens; the process kills itself."""
    begun = [event == "os.mkdir"]

    def hook(name: str, arguments: object) -> None:
        text = str(arguments)
        begun[0] = begun[0] or (name == "os.mkdir" and ".making" in text)
        if begun[0] and name == event and part in text:
            os.kill(os.getpid(), signal.SIGKILL)

    make.build_into = lambda _p, _d, work, _ground: shutil.copytree(kept, work)
    make.problems_of = lambda _: []  # whoever looks at what is left judges it
    sys.addaudithook(hook)
    release(Paths(root), NEW)


@pytest.mark.thorough
@pytest.mark.parametrize(("event", "part"), KILLS)
def test_fault_37_sigkill_leaves_whole_releases_and_a_rerun_heals(
    repo: Paths, prebuilt: Path, event: str, part: str
) -> None:
    before = state(repo)
    process = fork(release_and_die, repo.root, prebuilt, event, part)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    content, versions = state(repo)
    assert content == before[0] or versions == [OLD, NEW]
    if versions == [OLD]:
        release(repo, NEW)
    content, versions = state(repo)
    assert versions == [OLD, NEW]
    assert json.loads(content)["latest"] == NEW
    assert json.loads(content)["serial"] == json.loads(before[0])["serial"] + 1
    with pytest.raises(DataError, match="already been released"):
        release(repo, NEW)
    assert {path.name for path in repo.releases.iterdir()} == {"releases.json", f"v{OLD}", f"v{NEW}"}


def test_a_run_reads_the_ledger_once_for_each_commit(
    repo: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger of another commit would be released under the wrong name."""
    read: list[str] = []
    monkeypatch.setattr(make.build, "lay_ground", lambda *_: read.append("ledger") or len(read))
    run, first, second = Run(), Commit("a" * 40, "2026-10-01"), Commit("b" * 40, "2026-10-02")
    assert [make._ground(repo, commit, tmp_path, run) for commit in (first, first, second)] == [1, 1, 2]


def release_two(paths: Paths) -> list[Path]:
    """Two releases of one run; the facts of the second differ, as those of two vintages do."""
    return list(make_releases(paths, [Request(NEW), Request(NEXT)], lambda _: None))


@pytest.fixture
def alternating(prebuilt: Path, repo: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second build of a run has the files of the release that the checkout begins with."""
    first = make.build_into

    def second(_paths: Paths, _day: object, work: Path, _ground: object) -> None:
        shutil.copytree(repo.releases / f"v{OLD}", work, ignore=shutil.ignore_patterns("*.zip", f"{bundle.SUMS}*"))
        for file in work.iterdir():
            file.chmod(0o644)

    def either(paths: Paths, day: object, work: Path, ground: object) -> None:
        (second if work.name == f"v{NEXT}" else first)(paths, day, work, ground)

    monkeypatch.setattr(make, "build_into", either)


@pytest.mark.thorough
def test_the_release_before_is_checked_once_in_a_run(
    repo: Paths, alternating: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(make, "problems_of", lambda folder: seen.append(Path(os.fsdecode(folder)).name) or [])
    release_two(repo)
    assert seen == [f"v{version}" for version in (OLD, NEW, NEXT)]


@pytest.mark.thorough
def test_releases_of_one_run_are_those_of_two(repo: Paths, alternating: None, tmp_path: Path) -> None:
    other = copy_checkout(repo, tmp_path / "other")
    together = [reproducible(folder) for folder in release_two(repo)]
    assert together == [reproducible(release(other, version)) for version in (NEW, NEXT)]
    assert "Compared with 2026.11.0." in (repo.releases / f"v{NEXT}" / "CHANGELOG.md").read_text()


@pytest.mark.thorough
def test_a_release_that_fails_leaves_those_that_the_run_made_before(
    repo: Paths, alternating: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    zipped = bundle.write_zip

    def fail(folder: Path, version: str) -> None:
        if version == NEXT:
            raise FULL
        zipped(folder, version)

    monkeypatch.setattr(bundle, "write_zip", fail)
    with pytest.raises(OSError, match="No space left"):
        release_two(repo)
    assert state(repo)[1] == [OLD, NEW]
    assert {path.name for path in repo.releases.iterdir()} == {"releases.json", f"v{OLD}", f"v{NEW}"}


@pytest.mark.thorough
def test_a_build_that_fails_ends_the_run_and_those_behind_it_are_not_begun(
    repo: Paths, prebuilt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def fail(_paths: Paths, _day: object, work: Path, _ground: object) -> None:
        begun.append(work.name)
        raise FULL

    monkeypatch.setattr(make, "build_into", fail)
    with pytest.raises(OSError, match="No space left"):
        release_two(repo)
    assert begun == [f"v{NEW}"]
    assert state(repo)[1] == [OLD]


FULL, DENIED, READ_ONLY = (OSError(number, os.strerror(number)) for number in (errno.ENOSPC, errno.EACCES, errno.EROFS))


FAILING = (
    (make, "describe", READ_ONLY),
    (bundle, "write_zip", FULL),
    (bundle, "write_sums", DENIED),
    (make, "sync", FULL),
    (make, "place", READ_ONLY),
)


@pytest.mark.thorough
def test_fault_38_a_full_or_read_only_disk_leaves_the_old_state_and_no_rest(repo: Paths, prebuilt: Path) -> None:
    before = state(repo)
    for target, name, error in FAILING:
        failing = mock.patch.object(target, name, side_effect=error)
        with failing, pytest.raises(OSError, match=str(error.strerror)):
            release(repo, NEW)
        assert state(repo) == before, name
        assert {path.name for path in repo.releases.iterdir()} == {"releases.json", f"v{OLD}"}, name
    release(repo, NEW)
    assert state(repo)[1] == [OLD, NEW]


@pytest.mark.thorough
@pytest.mark.parametrize("largest", [10, 200, 1100], ids="{} kB".format)
def test_fault_38_files_that_cannot_grow_end_in_a_clear_error(repo: Paths, tmp_path: Path, largest: int) -> None:
    """The system refuses to write more than a certain amount to one file, as a full disk does."""
    before, said = state(repo), tmp_path / "said"
    process = fork(command, repo.root, ["release", NEW], said, largest * 1024)
    process.join()
    assert process.exitcode == 1, said.read_text()
    assert "File too large" in said.read_text()
    assert "Traceback" not in said.read_text()
    assert state(repo) == before
    assert {path.name for path in repo.releases.iterdir()} == {"releases.json", f"v{OLD}"}


@pytest.mark.thorough
def test_fault_38_an_index_that_cannot_be_written_stays_and_the_rerun_adopts_the_folder(
    repo: Paths, prebuilt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(repo)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left")))
        patch.setattr(make, "sync", lambda _: None)
        with pytest.raises(OSError, match="No space left"):
            release(repo, NEW)
    assert state(repo) == before
    assert not list(repo.releases.glob(".*"))
    left = reproducible(repo.releases / f"v{NEW}")
    release(repo, NEW)
    assert state(repo)[1] == [OLD, NEW]
    assert reproducible(repo.releases / f"v{NEW}") == left


@pytest.mark.thorough
def test_a_folder_that_no_index_names_and_that_differs_is_not_overwritten(repo: Paths, prebuilt: Path) -> None:
    stray = repo.releases / f"v{NEW}"
    stray.mkdir()
    (stray / "note.txt").write_text("mine")
    with pytest.raises(DataError, match=r"is not in releases\.json, and differs"):
        release(repo, NEW)
    assert [file.name for file in stray.iterdir()] == ["note.txt"]


@pytest.mark.thorough
def test_fault_39_of_two_at_once_one_makes_the_release(repo: Paths, tmp_path: Path) -> None:
    both = [fork(command, repo.root, ["release", NEW], tmp_path / f"said-{number}") for number in range(2)]
    for process in both:
        process.join()
    ends = [((tmp_path / f"said-{number}").read_text(), process.exitcode) for number, process in enumerate(both)]
    codes = [code for _, code in ends]
    assert codes.count(0) == 1, ends
    assert set(codes) <= {0, 1, 3}, ends
    assert any("another release is being made" in text or "already been released" in text for text, _ in ends)
    content, versions = state(repo)
    assert versions == [OLD, NEW]
    assert json.loads(content)["serial"] == 2


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


CLOCK = """
import duckdb, pandas, pyarrow.parquet, pyarrow.csv, pandera.pandas  # these want the real classes
import datetime, time
LATE = 4070908800.0  # 2099-01-01
class Kind(type):
    def __instancecheck__(cls, value): return isinstance(value, cls.__bases__[0])
class Day(datetime.date, metaclass=Kind):
    @classmethod
    def today(cls): return cls(2099, 1, 1)
class Moment(datetime.datetime, metaclass=Kind):
    @classmethod
    def now(cls, tz=None): return cls.fromtimestamp(LATE, tz)
datetime.date, datetime.datetime = Day, Moment
time.time, time.time_ns = lambda: LATE, lambda: int(LATE) * 10**9
"""
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


@pytest.mark.thorough
@pytest.mark.parametrize("settings", SETTINGS, ids=["locale", "threads"])
def test_faults_41_and_42_other_settings_and_a_clock_in_2099_give_the_same_bytes(
    released: Paths, repo: Paths, settings: dict[str, str]
) -> None:
    words = [sys.executable, "-c", CLOCK + RUN, "release", NEW]
    env = {**os.environ, "TRAINCOMPUTE_ROOT": str(repo.root), "PYTHONPATH": str(CHECKOUT), **settings}
    subprocess.run(["sh", "-c", 'umask 077; exec "$@"', "sh", *words], cwd="/", env=env, check=True, timeout=120)
    folders = [paths.releases / f"v{NEW}" for paths in (released, repo)]
    assert reproducible(folders[0]) == reproducible(folders[1])
    assert len(reproducible(folders[0])) >= 15
    entries = [json.loads((p.releases / "releases.json").read_text())["releases"][1] for p in (released, repo)]
    told = [[entry[key] for key in ("date", "models", "notable", "manifest_sha256")] for entry in entries]
    assert told[0] == told[1]
    modes = [{f.name: f.stat().st_mode & 0o777 for f in folder.iterdir()} for folder in folders]
    assert modes[0] == modes[1]


@pytest.mark.thorough
def test_nothing_new_is_no_release_and_an_older_version_neither(repo: Paths, prebuilt: Path) -> None:
    release(repo, NEW)
    before = state(repo)
    with pytest.raises(DataError, match=f"nothing differs from {NEW}"):
        release(repo, "2026.11.1")
    with pytest.raises(DataError, match=f"is older than the latest release {NEW}"):
        release(repo, "2026.9.0")
    assert state(repo) == before


def test_what_changed_stands_in_the_release(repo: Paths, prebuilt: Path) -> None:
    folder = release(repo, NEW)
    lines = (folder / "changes.csv").read_text().splitlines()
    assert "changed,alexnet,AlexNet,training_compute_flop,4.7e+17,4.8e+17,1.02128,upstream revision" in "\n".join(lines)  # fmt: skip
    log = (folder / "CHANGELOG.md").read_text()
    assert log.index(f"## {NEW}") < log.index(f"Compared with {OLD}.") < log.index(f"## {OLD}")
