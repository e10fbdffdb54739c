"""Rows 31 and 32 of the fault list, and archives damaged in transit: complete contents, or ArchiveError with the
cause."""

from __future__ import annotations

import random
import struct
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import pytest

from pipeline.pull.archive import ArchiveError, is_zip, unpack

TABLE = b"Model,Parameters\nBERT-Large,340000000\n"  # 340M: Devlin et al. 2018, table 1
ENTRY, LOCAL = b"PK\x01\x02", b"PK\x03\x04"


def make(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # some tests need a duplicate name
        for member, content in members:
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return path


def patch(path: Path, signature: bytes, offset: int, value: bytes) -> None:
    """Overwrites bytes of the first header of that signature (offsets: APPNOTE 4.3.7, 4.3.12)."""
    content = bytearray(path.read_bytes())
    start = content.index(signature) + offset
    content[start : start + len(value)] = value
    path.write_bytes(content)


def refused(path: Path, **limits: int) -> ArchiveError:
    with pytest.raises(ArchiveError) as caught:
        unpack(path, **limits)  # type: ignore[arg-type]
    error = caught.value
    assert path.name in str(error)
    assert "\n" not in str(error)
    return error


@pytest.fixture
def zipped(tmp_path: Path) -> Path:
    return tmp_path / "data.zip"


def test_fault_31_sound_archive_is_read(zipped: Path) -> None:
    folder = zipfile.ZipInfo("tables/")
    make(zipped, (folder, b""), ("tables/models.csv", TABLE), ("README.md", b"text"), ("B.CSV", b""))
    assert unpack(zipped) == {"tables/models.csv": TABLE, "B.CSV": b""}
    assert unpack(zipped, member_suffix=".md") == {"README.md": b"text"}
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.csv", TABLE)
    assert unpack(zipped, max_ratio=1) == unpack(zipped, max_bytes=len(TABLE)) == {"a.csv": TABLE}


def test_fault_31_zip_bomb_is_stopped_by_its_ratio(zipped: Path) -> None:
    make(zipped, ("bomb.csv", b"0" * 50_000_000))
    tracemalloc.start()
    error = refused(zipped)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert error.member == "bomb.csv"
    assert "unpacks to more than" in error.what
    assert peak < 30_000_000  # stopped along the way, not once all of it was in memory


def test_fault_31_zip_bomb_beside_honest_data(zipped: Path) -> None:
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("a.csv", random.Random(31).randbytes(200_000), zipfile.ZIP_STORED)
        archive.writestr("bomb.csv", b"0" * 10_000_000, zipfile.ZIP_DEFLATED)
    assert refused(zipped).member == "bomb.csv"


def test_fault_31_size_cap_covers_all_members_together(zipped: Path) -> None:
    make(zipped, *((f"{n}.csv", TABLE * 10) for n in range(10)))
    assert refused(zipped, max_bytes=len(TABLE) * 95).member == "9.csv"
    assert len(unpack(zipped, max_bytes=len(TABLE) * 100)) == 10


@pytest.mark.parametrize("announced", [10, 90_000_000])
def test_fault_31_size_in_the_header_is_not_trusted(zipped: Path, announced: int) -> None:
    make(zipped, ("bomb.csv", b"0" * 5_000_000))
    patch(zipped, ENTRY, 24, struct.pack("<I", announced))
    patch(zipped, LOCAL, 22, struct.pack("<I", announced))
    assert refused(zipped, max_ratio=2000).member == "bomb.csv"


def test_fault_31_compressed_size_in_the_header_is_not_trusted(zipped: Path) -> None:
    make(zipped, ("bomb.csv", b"0" * 5_000_000))
    patch(zipped, ENTRY, 20, struct.pack("<I", 400_000_000))
    refused(zipped)


def test_fault_31_too_many_members(zipped: Path) -> None:
    make(zipped, *((f"{n}.csv", TABLE) for n in range(21)))
    assert "more than 20 members" in refused(zipped, max_members=20).what
    assert len(unpack(zipped, max_members=21)) == 21
    for lines, what in ((1000, "damaged archive: File is not a zip file"), (1001, "more than 1000 members")):
        zipped.write_bytes(LOCAL + ENTRY * lines)
        assert refused(zipped).what == what


def test_fault_31_method_that_unpacks_without_bound(zipped: Path) -> None:
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.csv", TABLE)
    assert "compression method 12" in refused(zipped).what


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("../models.csv", "'..'"),
        ("tables/../../models.csv", "'..'"),
        ("tables//models.csv", "empty"),
        ("./models.csv", "'.'"),
        ("/etc/models.csv", "absolute"),
        ("C:models.csv", "drive letter"),
        ("c:/models.csv", "drive letter"),
        ("..\\models.csv", "backslash"),
        ("\\\\host\\models.csv", "backslash"),
        ("models\x1b[2J.csv", "control"),
        ("../notes.txt", "'..'"),  # not requested, but nobody honest makes such an archive
    ],
)
def test_fault_32_name_that_leads_elsewhere(zipped: Path, name: str, what: str) -> None:
    make(zipped, ("good.csv", TABLE), (name, TABLE))
    error = refused(zipped)
    assert what in error.what
    assert error.member == name
    assert "\x1b" not in str(error)


def test_fault_32_name_cut_by_a_nul(zipped: Path) -> None:
    make(zipped, ("a.csv_/../b", TABLE))
    zipped.write_bytes(zipped.read_bytes().replace(b"a.csv_", b"a.csv\0"))
    assert "control" in refused(zipped).what


def test_fault_32_two_names_for_one_member(zipped: Path) -> None:
    make(zipped, ("good.csv", TABLE))
    patch(zipped, LOCAL, 30, b"evil.csv")
    assert "differ" in refused(zipped).what


def test_fault_32_doubled_member(zipped: Path) -> None:
    make(zipped, ("models.csv", TABLE), ("models.csv", TABLE + b"another,1\n"))
    error = refused(zipped)
    assert (error.member, error.what) == ("models.csv", "name stands 2 times")
    assert str(error).startswith("data.zip ['models.csv']: name stands 2 times; fetch it again")


@pytest.mark.parametrize(("mode", "what"), [(0o120777, "symbolic link"), (0o010644, "not a regular file")])
def test_fault_32_symlink_and_device(zipped: Path, mode: int, what: str) -> None:
    link = zipfile.ZipInfo("models.csv")
    link.external_attr = mode << 16
    make(zipped, (link, b"/etc/passwd"))
    assert refused(zipped).what == what


def test_fault_32_encrypted_member(zipped: Path) -> None:
    make(zipped, ("models.csv", TABLE))
    patch(zipped, ENTRY, 8, b"\x01\x00")
    assert refused(zipped).what == "encrypted"


def test_fault_40_flipped_bit_in_an_archive(zipped: Path) -> None:
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("models.csv", TABLE)
    zipped.write_bytes(zipped.read_bytes().replace(b"340000000", b"340000001"))
    error = refused(zipped)
    assert error.member == "models.csv"
    assert "CRC" in error.what


def test_fault_05_archive_cut_anywhere(zipped: Path) -> None:
    whole = make(zipped, ("models.csv", TABLE), ("more.csv", TABLE * 50)).read_bytes()
    for length in range(0, len(whole), 7):
        zipped.write_bytes(whole[:length])
        refused(zipped)


def test_fault_40_any_flipped_byte_is_refused_or_harmless(zipped: Path) -> None:
    whole = make(zipped, ("models.csv", TABLE)).read_bytes()
    for position in range(len(whole)):
        zipped.write_bytes(whole[:position] + bytes([whole[position] ^ 0x20]) + whole[position + 1 :])
        try:
            contents = list(unpack(zipped, member_suffix="").values())
        except ArchiveError:
            continue
        assert contents == [TABLE]


def test_fault_12_not_an_archive(zipped: Path) -> None:
    zipped.write_bytes(b"<!doctype html><title>Not found</title>")
    assert not is_zip(zipped)
    assert str(refused(zipped)) == "data.zip: not a zip archive; check which file was downloaded"


def test_fault_12_archive_without_a_table(zipped: Path) -> None:
    make(zipped, ("README.md", b"moved"))
    assert is_zip(zipped)
    assert "no member ends in .csv" in refused(zipped).what
