"""Files and folders that appear whole or not at all, who may write to them, and what is said where that fails."""

from __future__ import annotations

import errno
import fcntl
import resource
from pathlib import Path
from types import SimpleNamespace

import pytest

from traincompute.base import errors, locks
from traincompute.base.disk import disk_errors, file_sha256, unique, write_whole
from traincompute.base.errors import ReleaseError
from traincompute.base.locks import claims, held, locked, sole_writer, sweep_litter
from traincompute.base.memory import ran_short, too_little
from traincompute.base.staging import staging


@pytest.fixture(autouse=True)
def _few_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tries again and again to make a folder ends with the ninth."""
    monkeypatch.setattr("traincompute.base.staging.unique", iter("abcdefgh").__next__)


@pytest.mark.parametrize(
    ("error", "ordinary", "exit_code"),
    [
        (errors.TraincomputeError("x"), Exception, 1),
        (ReleaseError("x"), ValueError, 1),
        (ReleaseError("x", 3), ValueError, 3),
        (errors.NotFoundError("x"), LookupError, 1),
        (errors.QueryError("x"), ValueError, 1),
        (errors.QueryTimeoutError("x"), TimeoutError, 1),
        (errors.InputError("x"), ValueError, 2),
        (errors.FileError("x"), OSError, 1),
        (errors.MissingExtraError("x"), ImportError, 1),
    ],
)
def test_an_error_is_an_ordinary_one_and_has_the_exit_code_of_its_command(
    error: errors.TraincomputeError, ordinary: type[Exception], exit_code: int
) -> None:
    assert isinstance(error, ordinary)
    assert (str(error), error.exit_code) == ("x", exit_code)


def test_a_file_is_written_whole_and_readable_for_all(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"abc")
    assert (tmp_path / "a").read_bytes() == b"abc"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644
    assert file_sha256(tmp_path / "a").startswith("ba7816bf"), "FIPS 180-2, appendix B.1"
    assert [len(unique()), unique() == unique()] == [16, False], "64 random bits"
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"no file can take the place of a folder")
    assert not list(tmp_path.parent.glob(f".{tmp_path.name}.*.tmp"))


@pytest.mark.parametrize(("file", "named"), [("/other", "/other"), (None, "/folder")])
def test_what_the_disk_did_not_allow_is_one_line(file: str | None, named: str) -> None:
    with pytest.raises(ReleaseError) as caught, disk_errors(Path("/folder")):
        raise OSError(errno.ENOSPC, "No space left on device", file)
    words = "No space left on device; check space and permissions. What was downloaded before is intact"
    assert (str(caught.value), caught.value.exit_code) == (f"{named}: {words}", 1)


@pytest.mark.parametrize(("refusal", "ours"), [(None, True), (BlockingIOError, False), (OSError, None)])
def test_a_lock_is_waited_for_only_where_that_is_asked(
    monkeypatch: pytest.MonkeyPatch, refusal: type[OSError] | None, ours: bool | None
) -> None:
    asked: list[tuple[int, int]] = []

    def flock(handle: int, how: int) -> None:
        asked.append((handle, how))
        if refusal:
            raise refusal

    monkeypatch.setattr(fcntl, "flock", flock)
    assert claims(7) is ours
    assert claims(7, wait=True) is ours
    assert asked == [(7, fcntl.LOCK_EX | fcntl.LOCK_NB), (7, fcntl.LOCK_EX)]


@pytest.mark.parametrize("no_locks", [True, False])
def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_locks: bool) -> None:
    with held(tmp_path, without_locks=no_locks) as first, held(tmp_path, without_locks=no_locks) as second:
        assert (first, second) == (True, False)
    with held(tmp_path, without_locks=no_locks) as after, held(tmp_path / "gone", without_locks=True) as gone:
        assert (after, gone) == (True, False)
    for has_locks, reply in ((True, None), (False, True)):  # on this file system, on this system
        monkeypatch.setattr(locks, "LOCKS", has_locks)
        monkeypatch.setattr(locks, "claims", lambda handle, reply=reply: reply)
        with held(tmp_path, without_locks=no_locks) as ours, locked(tmp_path) as alone:
            assert (ours, alone) == (no_locks, False)


@pytest.mark.parametrize(("times", "waits"), [([5, 5.5, 6.0], False), ([5, 6.0, 6.001], True)])
def test_who_waits_longer_than_a_second_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], times: list[float], waits: bool
) -> None:
    replies, pauses, patient = [False, False, True], list[float](), list[bool]()

    def answer(_: int, wait: bool = False) -> bool:
        patient.append(wait)
        return replies.pop(0)

    monkeypatch.setattr(locks, "claims", answer)
    monkeypatch.setattr(locks, "time", SimpleNamespace(monotonic=iter(times).__next__, sleep=pauses.append))
    with locked(tmp_path) as ours:
        assert ours
        assert patient == [False, False, waits]
    assert pauses == [0.005] * (1 if waits else 2)
    told = f"waiting for another process that writes to {tmp_path}\n"
    assert capsys.readouterr().err == (told if waits else "")


def test_what_killed_processes_left_is_swept_unless_another_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, kept = tmp_path / "below" / ".a.1.tmp", tmp_path / "a.tmp"
    left.parent.mkdir()
    (tmp_path / ".another.2.tmp").mkdir()
    for file in (left, kept):
        file.touch()
    sweep_litter(tmp_path)
    assert (left.exists(), kept.exists()) == (False, True)
    left.touch()
    with held(tmp_path, without_locks=False):
        sweep_litter(tmp_path)
        assert left.exists()
    with sole_writer(tmp_path):
        assert not left.exists()
    left.touch()
    monkeypatch.setattr(locks, "LOCKS", False)
    sweep_litter(tmp_path)
    assert left.exists(), "where there are no locks another may be at it"


def test_a_folder_is_made_beside_its_place_and_those_that_died_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, dead = tmp_path / "new" / "release", tmp_path / "new" / ".release.1.tmp"
    dead.mkdir(parents=True)
    (dead / "file").touch()
    with staging(target) as first:
        assert not dead.exists()
        assert (first.parent, first.name[:9], first.name[-4:]) == (target.parent, ".release.", ".tmp")
        with staging(target) as second:
            assert first.is_dir(), "another process is at it"
            assert second != first
    assert not any(target.parent.iterdir())
    target = tmp_path / "one" / "two" / "release"
    with staging(target) as work:
        work.rename(target)
    monkeypatch.setattr(locks, "LOCKS", False)
    dead = target.with_name(".release.2.tmp")
    dead.mkdir()
    with staging(target):
        assert dead.is_dir(), "where there are no locks another may be at it"
    assert {each.name for each in target.parent.iterdir()} == {"release", dead.name}


@pytest.mark.parametrize("taken", ["held by another", "gone"])
def test_a_folder_that_was_taken_for_dead_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: str
) -> None:
    tried: list[Path] = []

    class Held:
        def __init__(self, folder: Path, without_locks: bool) -> None:
            tried.append(folder)
            assert without_locks, "where there are no locks the folder is ours"

        def __enter__(self) -> bool:
            if taken == "gone" and len(tried) == 1:
                tried[0].rmdir()
            return taken == "gone" or len(tried) > 1

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr("traincompute.base.staging.held", Held)
    with staging(tmp_path / "release") as work:
        assert [work] == tried[1:]


@pytest.mark.parametrize(
    ("builder", "limit", "lack"),
    [
        (False, 800_000_000, ""),
        (False, 799_999_999, "800 MB of memory, and this process may have 799 MB; raise `ulimit -v`"),
        (True, 3_000_000_000, ""),
        (True, 2_999_999_999, "3000 MB of memory, and this process may have 2999 MB; raise `ulimit -v`"),
        (True, resource.RLIM_INFINITY, ""),
    ],
)
def test_a_lack_of_memory_is_told_before_it_is_met(
    monkeypatch: pytest.MonkeyPatch, builder: bool, limit: int, lack: str
) -> None:
    monkeypatch.setattr(resource, "getrlimit", {resource.RLIMIT_AS: (limit, -2)}.__getitem__)
    assert too_little(builder) == lack


def test_memory_that_ran_out_is_known_by_its_kind_or_its_words() -> None:
    short = [MemoryError(), OSError(errno.ENOMEM, "x"), RuntimeError("std::bad_alloc: bad allocation")]
    assert [ran_short(error) for error in short] == [True] * 3
    assert [ran_short(error) for error in (OSError(errno.ENOSPC, "x"), ValueError("x"))] == [False] * 2
