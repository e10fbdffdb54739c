"""The zip, the checksums and the signature of a release; ssh-keygen itself signs in tests/faults/test_signature.py."""

from __future__ import annotations

import hashlib
import random
import subprocess
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import DataError
from pipeline.release import bundle
from pipeline.release.bundle import sign_sums, write_sums, write_zip

DRAWN = random.Random(0)
TABLE = "".join(f"{DRAWN.randint(1, 500)},{n % 7}\n" for n in range(2000)).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in {"b.csv": TABLE, "a.csv": b"", "traincompute.duckdb": b"db", "traincompute.duckdb.sha256": b"x"}.items():  # fmt: skip
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_the_zip_of_the_same_files_is_the_same_anywhere(folder: Path) -> None:
    """Without the day, the system and the rights of the machine. A release that is made again has the same zip only if it is
    packed as hard as it was: at level 7."""
    (folder / "b.csv").chmod(0o600)
    write_zip(folder, "2026.11.0")
    with zipfile.ZipFile(folder / "traincompute-2026.11.0.zip") as archive:
        members = archive.infolist()
        assert archive.read("traincompute-2026.11.0/b.csv") == TABLE
    assert [member.filename for member in members] == ["traincompute-2026.11.0/a.csv", "traincompute-2026.11.0/b.csv"]
    for member in members:
        assert member.date_time == (1980, 1, 1, 0, 0, 0)
        assert (member.create_system, member.external_attr >> 16) == (3, 0o100644)  # Unix: a file, rw-r--r--
    packer = zlib.compressobj(7, zlib.DEFLATED, -15)
    assert members[1].compress_size == len(packer.compress(TABLE) + packer.flush())


def test_the_sums_are_those_that_sha256sum_checks(folder: Path) -> None:
    (folder / "SHA256SUMS").write_text("old")
    (folder / "SHA256SUMS.sig").write_text("old")
    write_sums(folder)
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    assert [line.split("  ")[1] for line in lines] == ["a.csv", "b.csv", "traincompute.duckdb", "traincompute.duckdb.sha256"]  # fmt: skip
    assert lines[1] == f"{hashlib.sha256(TABLE).hexdigest()}  b.csv"


def keygen(monkeypatch: pytest.MonkeyPatch, code: int, said: str) -> list[list[str]]:
    """The commands that ssh-keygen, which ends so, is started with."""
    started: list[list[str]] = []

    def run(command: list[str], *, capture_output: bool, text: bool, **_: Any) -> Any:
        started.append(command)
        return subprocess.CompletedProcess(command, code, "", said if capture_output and text else None)

    monkeypatch.setattr(bundle.subprocess, "run", run)
    return started


def test_the_sums_are_signed_for_this_dataset(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = keygen(monkeypatch, 0, "")
    sign_sums(folder, Path("key"))
    assert started == [["ssh-keygen", "-Y", "sign", "-q", "-f", "key", "-n", "traincompute", str(folder / "SHA256SUMS")]]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "reason"),
    [("one\ntwo\nthree\nCouldn't load key\n", "Couldn't load key"), (" \n", "ssh-keygen failed")],
)
def test_why_nothing_could_be_signed(folder: Path, monkeypatch: pytest.MonkeyPatch, said: str, reason: str) -> None:
    keygen(monkeypatch, 255, said)
    with pytest.raises(DataError, match=f'release: --key "key": {reason}; give an SSH key without a passphrase'):
        sign_sums(folder, Path("key"))


def test_without_ssh_keygen_nothing_can_be_signed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(DataError, match="ssh-keygen is not installed"):
        sign_sums(folder, Path("key"))
