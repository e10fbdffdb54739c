"""Files and folders that appear whole or not at all, and who may write to them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.files import sole_writer
from traincompute.base.errors import ReleaseError
from traincompute.base.files import (
    file_sha256,
    locked,
    private_folder,
    staging,
    write_whole,
)


def test_a_file_is_written_whole_and_readable_for_all(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"abc")
    assert (tmp_path / "a").read_bytes() == b"abc"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644
    assert file_sha256(tmp_path / "a").startswith("ba7816bf"), "FIPS 180-2, appendix B.1"
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"no file can take the place of a folder")
    assert not list(tmp_path.parent.glob(f".{tmp_path.name}.*.tmp"))


def test_a_folder_of_the_cache_is_this_users_alone_and_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    assert private_folder("a").stat().st_mode & 0o777 == 0o700
    (tmp_path / "cache" / "b").symlink_to(tmp_path)
    with pytest.raises(ReleaseError, match="is not this user's own folder"):
        private_folder("b")


WRITER = """
import sys
from pathlib import Path
from pipeline.files import sole_writer
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
    with sole_writer(tmp_path, wait=False):
        assert litter.exists(), "the other process is writing it"
    with locked(tmp_path, wait=False) as is_ours:
        assert not is_ours
    waits = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert waits.stderr
    assert waits.stderr.readline() == f"waiting for another process that writes to {tmp_path}\n"
    other.kill()  # its lock ends with it
    other.communicate()
    waits.communicate(timeout=60)
    assert waits.returncode == 0
    with locked(tmp_path, wait=False) as is_ours:
        assert is_ours


@pytest.mark.parametrize("cache", ["file", "~no-such-user/cache"])
def test_where_there_are_no_locks_work_goes_on_and_nothing_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", cache)
    (tmp_path / "file").touch()
    (tmp_path / ".a.1.tmp").touch()
    with sole_writer(tmp_path), locked(tmp_path) as is_ours:
        assert not is_ours
    with sole_writer(tmp_path, wait=False):
        assert (tmp_path / ".a.1.tmp").exists()


def test_a_folder_is_made_beside_its_place_and_what_a_killed_maker_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".release.tmp" / "half").mkdir(parents=True)
    with staging(tmp_path / "release") as work:
        assert [*work.iterdir()] == []
        work.rename(tmp_path / "release")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
