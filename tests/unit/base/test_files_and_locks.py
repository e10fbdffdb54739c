"""Files and folders that appear whole or not at all, who may write to them, and what is said where that fails."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from traincompute.base import errors
from traincompute.base.disk import disk_errors, file_sha256, write_whole
from traincompute.base.errors import ReleaseError
from traincompute.base.locks import held, locked, sole_writer, sweep_litter
from traincompute.base.staging import staging


@pytest.mark.parametrize(
    ("error", "ordinary", "exit_code"),
    [
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
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"no file can take the place of a folder")
    assert not list(tmp_path.parent.glob(f".{tmp_path.name}.*.tmp"))


@pytest.mark.parametrize(("file", "named"), [("/other", "/other"), (None, "/folder")])
def test_what_the_disk_did_not_allow_is_one_line(file: str | None, named: str) -> None:
    with pytest.raises(ReleaseError) as caught, disk_errors(Path("/folder")):
        raise OSError(errno.ENOSPC, "No space left on device", file)
    assert str(caught.value).startswith(f"{named}: No space left on device; ")


WRITER = """
import sys
from pathlib import Path
from traincompute.base.locks import sole_writer
with sole_writer(Path(sys.argv[1])):
    print("writes", flush=True)
    sys.stdin.read()
"""


def test_a_folder_has_one_writer_and_who_waits_says_so(tmp_path: Path) -> None:
    litter = tmp_path / "deep" / ".a.1.tmp"
    litter.parent.mkdir()
    litter.touch()
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout
    assert other.stdout.readline() == "writes\n"
    assert not litter.exists(), "a killed process left it"
    litter.touch()
    sweep_litter(tmp_path)
    assert litter.exists(), "the other process is writing it"
    with held(tmp_path, without_locks=True) as ours:
        assert not ours
    waits = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert waits.stderr
    assert waits.stderr.readline() == f"waiting for another process that writes to {tmp_path}\n"
    other.kill()  # its lock ends with it
    other.communicate()
    waits.communicate(timeout=60)
    assert waits.returncode == 0
    with held(tmp_path, without_locks=False) as ours, held(tmp_path / "gone", without_locks=True) as gone:
        assert (ours, gone) == (True, False)


def test_where_there_are_no_locks_work_goes_on_and_nothing_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "file"))
    (tmp_path / "file").touch()
    (tmp_path / ".a.1.tmp").touch()
    with sole_writer(tmp_path), locked(tmp_path) as ours, held(tmp_path, without_locks=True) as sure:
        assert (ours, sure) == (False, True)
    sweep_litter(tmp_path)
    assert (tmp_path / ".a.1.tmp").exists()


def test_a_folder_is_made_beside_its_place_and_what_killed_makers_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".release.1.tmp" / "half").mkdir(parents=True)
    (tmp_path / ".other.1.tmp").mkdir()
    with staging(tmp_path / "release") as work, staging(tmp_path / "release") as second:
        assert sorted(tmp_path.iterdir()) == sorted([tmp_path / ".other.1.tmp", work, second])
        second.rename(tmp_path / "release")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.1.tmp", "release"]
