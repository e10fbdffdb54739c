"""Whether the zip of a release holds the files of the release, byte for byte, and nothing else."""

from __future__ import annotations

import hashlib
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from traincompute.base.places import DUCKDB_NAME
from traincompute.verification.sums import SUMS, shown

OUTSIDE = (DUCKDB_NAME, f"{DUCKDB_NAME}.sha256", SUMS)  # two differ from build to build, one names the zip
CHUNK = 1 << 16
LOCAL = 30  # bytes of what stands before a file beside its name
UNIX, REGULAR = 3, 0o100644 << 16  # what the directory says of a file that is one
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
)


def check_zips(folder: Path, sums: Mapping[str, str], version: str | None) -> Iterator[str]:
    """What is wrong with the zip; there may be one, named after the release."""
    for path in sorted(folder.glob("*.zip")):
        if path.name != f"traincompute-{version}.zip":
            yield f"{path.name}: is not named after the release"
            continue
        try:
            yield from _check_zip(path, {name: digest for name, digest in sums.items() if name != path.name})
        except DAMAGED as error:
            yield f"{path.name}: cannot be read: {error}"


def _check_zip(path: Path, sums: Mapping[str, str]) -> Iterator[str]:
    wanted = {f"{path.stem}/{name}": digest for name, digest in sums.items() if name not in OUTSIDE}
    seen = set()
    with zipfile.ZipFile(path) as archive, path.open("rb") as raw:
        for member in archive.infolist():
            name = member.orig_filename
            if name not in wanted or name in seen or not _is_plain(member):
                yield f"{path.name}: {shown(name[:100])} is no plain file of the release, or stands twice"
                return
            seen.add(name)
            size = (path.parent / name.rpartition("/")[2]).stat().st_size
            if _sha256(raw, member, size) != wanted[name]:
                yield f"{path.name}: its {name.rpartition('/')[2]} is not that of the release"
        if _has_more(archive, raw):
            yield f"{path.name}: has bytes that are of none of its files"
    for name in sorted(wanted.keys() - seen):
        yield f"{path.name}: lacks {name.rpartition('/')[2]}"


def _is_plain(member: zipfile.ZipInfo) -> bool:
    """Whether it unpacks to a regular file that its owner may write and all may read, whatever program unpacks it."""
    kind = (member.create_system, member.external_attr, member.flag_bits, member.extra, member.comment)
    return kind == (UNIX, REGULAR, 0, b"", b"") and member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def _sha256(raw: BinaryIO, member: zipfile.ZipInfo, size: int) -> str:
    """The hash of a member, of which no more is unpacked than the file of the release has; "" where it is longer, or
    anything is behind it."""
    digest, inflate = hashlib.sha256(), zlib.decompressobj(-zlib.MAX_WBITS)
    raw.seek(member.header_offset + len(member.FileHeader()))
    left, unpacked = member.compress_size, 0
    while unpacked <= size and (piece := raw.read(min(CHUNK, left))):
        left -= len(piece)
        if member.compress_type == zipfile.ZIP_DEFLATED:
            piece = inflate.decompress(piece, size - unpacked + 1)
        digest.update(piece)
        unpacked += len(piece)
    whole = member.compress_type == zipfile.ZIP_STORED or (inflate.eof and not inflate.unused_data)
    return digest.hexdigest() if whole and (left, unpacked, member.file_size) == (0, size, size) else ""


def _has_more(archive: zipfile.ZipFile, raw: BinaryIO) -> bool:
    """Whether there is anything but, one after the other: each file behind a header that says what the directory says of
    it, the directory, and its end."""
    place, directory = 0, b""
    for member in archive.infolist():
        header = member.FileHeader()
        raw.seek(place)
        if member.header_offset != place or raw.read(len(header)) != header:
            return True
        directory += _entry(member, header)
        place += len(header) + member.compress_size
    raw.seek(place)
    return raw.read() != directory + _end(len(archive.infolist()), len(directory), place)


def _entry(member: zipfile.ZipInfo, header: bytes) -> bytes:
    """What the directory has of a plain file: what stands in its header, whose it is, and where."""
    about = struct.pack("<3H2I", 0, 0, 0, member.external_attr, member.header_offset)
    system = bytes([member.create_version, member.create_system])
    return b"PK\1\2" + system + header[4:LOCAL] + about + header[LOCAL:]


def _end(files: int, size: int, place: int) -> bytes:
    return struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, files, files, size, place, 0)
