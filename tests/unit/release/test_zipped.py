"""What is said of a zip that does not hold the files of the release, byte for byte, and nothing else."""

from __future__ import annotations

import hashlib
import random
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from release_folders import plain

from traincompute.verification.zipped import check_zips

ZIP = "traincompute-2026.11.0.zip"
FILES = {"models.csv": random.Random(1).randbytes(200_000), "README.md": b"Read me.\n" * 9, "empty.csv": b""}
OTHERS = "no plain file of the release, or stands twice"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A release with the FILES and their zip; what is in no zip is there as well."""
    for name, content in {**FILES, "traincompute.duckdb": b"DUCK", "SHA256SUMS": b""}.items():
        (tmp_path / name).write_bytes(content)
    with zipped(tmp_path):
        pass
    return tmp_path


@contextmanager
def zipped(folder: Path, leave: str = "") -> Iterator[zipfile.ZipFile]:
    """Writes the zip of the FILES, all but one, with what is done to it."""
    with zipfile.ZipFile(folder / ZIP, "w") as archive:
        for name, content in FILES.items():
            if name != leave:
                archive.writestr(member(name), content)
        yield archive


def member(name: str) -> zipfile.ZipInfo:
    return plain(f"traincompute-2026.11.0/{name}")


def problems(folder: Path) -> list[str]:
    names = [*FILES, "traincompute.duckdb", ZIP]
    sums = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    return list(check_zips(folder, sums, "2026.11.0"))


def test_a_zip_of_the_files_is_sound_whether_they_are_deflated_or_stored(folder: Path) -> None:
    assert problems(folder) == []
    with zipped(folder, "README.md") as archive:
        archive.writestr(member("README.md"), FILES["README.md"], zipfile.ZIP_STORED)
    assert problems(folder) == []


def test_a_zip_is_named_after_the_release_and_can_be_read(folder: Path) -> None:
    (folder / "other.zip").write_bytes((folder / ZIP).read_bytes())
    (folder / ZIP).write_bytes(b"PK")
    assert problems(folder) == [
        "other.zip: is not named after the release",
        f"{ZIP}: cannot be read: File is not a zip file",
    ]


def test_a_file_that_is_lacking_or_is_another(folder: Path) -> None:
    with zipped(folder, "models.csv"):
        pass
    assert problems(folder) == [f"{ZIP}: lacks models.csv"]
    for content in (b"Read it.\n" * 9, FILES["README.md"] + b"More", b""):
        with zipped(folder, "README.md") as archive:
            archive.writestr(member("README.md"), content)
        assert problems(folder) == [f"{ZIP}: its README.md is not that of the release"]


@pytest.mark.parametrize("name", ["mine.csv", "SHA256SUMS", "traincompute.duckdb", "models.csv/", "x" * 101])
def test_a_member_that_is_no_file_of_the_release(folder: Path, name: str) -> None:
    with zipped(folder) as archive:
        archive.writestr(member(name), b"")
    shown = f"traincompute-2026.11.0/{name}"[:100]
    assert problems(folder) == [f"{ZIP}: {shown} is {OTHERS}"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_stands_once_and_is_a_plain_one(folder: Path) -> None:
    with zipped(folder) as archive:
        archive.writestr(member("README.md"), FILES["README.md"])
    assert problems(folder) == [f"{ZIP}: traincompute-2026.11.0/README.md is {OTHERS}"]
    for about in ({"create_system": 0}, {"external_attr": 0o120644 << 16}, {"extra": b"ab\0\0"}, {"comment": b"a"}):
        with zipped(folder, "README.md") as archive:
            of_another_kind = member("README.md")
            for name, value in about.items():
                setattr(of_another_kind, name, value)
            archive.writestr(of_another_kind, FILES["README.md"])
        assert problems(folder) == [f"{ZIP}: traincompute-2026.11.0/README.md is {OTHERS}"], about


def deflated(content: bytes, end: int = zlib.Z_FINISH) -> bytes:
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflate.compress(content) + deflate.flush(end)


@pytest.mark.parametrize(
    ("stream", "size"),
    [
        (deflated(FILES["README.md"]) + b"more", 81),  # bytes behind the end of the stream
        (deflated(FILES["README.md"], zlib.Z_SYNC_FLUSH), 81),  # a stream that does not end
        (deflated(FILES["README.md"]), 80),
        (deflated(FILES["README.md"]), 82),
    ],
    ids=["more", "no end", "shorter", "longer"],
)
def test_a_stream_that_programs_unpack_differently_is_not_the_file(folder: Path, stream: bytes, size: int) -> None:
    """README.md has 9 × 9 bytes."""
    with zipped(folder, "README.md") as archive:
        archive.writestr(member("README.md"), stream, zipfile.ZIP_STORED)
        forged, file = archive.filelist[-1], archive.fp
        assert file is not None
        forged.compress_type, forged.file_size = zipfile.ZIP_DEFLATED, size
        forged.CRC = zlib.crc32(FILES["README.md"])
        file.seek(forged.header_offset)
        file.write(forged.FileHeader())
    assert problems(folder) == [f"{ZIP}: its README.md is not that of the release"]


def test_there_are_no_bytes_beside_the_files(folder: Path) -> None:
    whole = (folder / ZIP).read_bytes()
    of_another_day = bytearray(whole)
    of_another_day[10] ^= 1  # the time in the header of the first file, which the directory states otherwise
    for content in (b"before" + whole, whole + b"behind", bytes(of_another_day)):
        (folder / ZIP).write_bytes(content)
        assert problems(folder) == [f"{ZIP}: has bytes that are of none of its files"]
