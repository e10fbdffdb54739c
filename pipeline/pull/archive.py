"""Open a zip archive that may be hostile: bytes of its data members, or ArchiveError; nothing is written.

Sizes are counted while reading and names are checked as they stand in the file; headers are not trusted.
"""

from __future__ import annotations

import mmap
import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from pathlib import Path

_CHUNK = 65_536
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")  # first member; end of an archive without members
_ENTRY = re.compile(rb"PK\x01\x02")  # one per line of the central directory
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # the others unpack a block of any size at once
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError)
_AGAIN = "fetch it again, or unpack it by hand and look what it is"


class ArchiveError(Exception):
    """An archive is refused; str() is one line: archive, member (blank: the whole), what is wrong, remedy."""

    def __init__(self, archive: Path, member: str, what: str, remedy: str = _AGAIN) -> None:
        self.archive, self.member, self.what, self.remedy = archive, member, what, remedy
        super().__init__(f"{archive.name}{f' [{member!a}]' if member else ''}: {what}; {remedy}")


def is_zip(path: Path) -> bool:
    """True if the file begins as a zip archive does, whatever its name."""
    with path.open("rb") as file:
        return file.read(4) in _MAGIC


def unpack(
    path: Path,
    *,
    member_suffix: str = ".csv",
    max_bytes: int = 500_000_000,
    max_ratio: int = 200,
    max_members: int = 1000,
) -> dict[str, bytes]:
    """Return {name: content} of the members with that suffix (any case), in the order of the archive.

    `max_bytes` bounds the sum of their sizes, `max_ratio` the growth of each and of all together.
    Raises ArchiveError if any member, read or not, could do harm, and if none has the suffix.
    """
    _check_count(path, max_members)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_members(path, members)
            files = [member for member in members if not member.is_dir()]
            wanted = [file for file in files if file.filename.lower().endswith(member_suffix.lower())]
            contents = _read_all(path, archive, wanted, max_bytes, max_ratio)
    except _DAMAGED as error:
        raise ArchiveError(path, "", f"damaged archive: {error}") from error
    if not contents:
        raise ArchiveError(path, "", f"no member ends in {member_suffix}", "check which file was downloaded")
    return contents


def _check_count(path: Path, max_members: int) -> None:
    """Count before the directory is parsed: zipfile makes an object of every line that it claims."""
    if not is_zip(path):
        raise ArchiveError(path, "", "not a zip archive", "check which file was downloaded")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for number, _ in enumerate(_ENTRY.finditer(content), 1):
            if number > max_members:
                raise ArchiveError(path, "", f"more than {max_members} members")


def _check_members(path: Path, members: list[zipfile.ZipInfo]) -> None:
    for name, count in Counter(member.orig_filename for member in members).items():
        if count > 1:
            raise ArchiveError(path, name, f"name stands {count} times")
    for member in members:
        if fault := _name_fault(member.orig_filename) or _kind_fault(member):
            raise ArchiveError(path, member.orig_filename, fault)


def _name_fault(name: str) -> str:
    if name.startswith("/"):
        return "absolute path"
    if re.match(r"[A-Za-z]:", name):
        return "drive letter"
    if "\\" in name or not name.isprintable():
        return "backslash or control character in the name"
    if {".", "..", ""} & set(name.removesuffix("/").split("/")):
        return "path with an empty, '.' or '..' part"
    return ""


def _kind_fault(member: zipfile.ZipInfo) -> str:
    mode = stat.S_IFMT(member.external_attr >> 16)
    if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "symbolic link" if mode == stat.S_IFLNK else "not a regular file"
    if member.flag_bits & 0x2041:  # encrypted, strongly encrypted, masked headers (APPNOTE 4.4.4)
        return "encrypted"
    return "" if member.compress_type in _METHODS else f"compression method {member.compress_type}"


def _read_all(
    path: Path, archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], max_bytes: int, max_ratio: int
) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    # Members may overlap, and compress_size may lie: the size of the archive itself bounds them all.
    room = min(max_bytes, max_ratio * path.stat().st_size)
    for member in members:
        limit = min(room, max_ratio * member.compress_size)
        contents[member.filename] = _read(path, archive, member, limit)
        room -= len(contents[member.filename])
    return contents


def _read(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    content = bytearray()
    try:
        with archive.open(member) as file:
            while chunk := file.read(_CHUNK):
                content += chunk
                if len(content) > limit:
                    raise ArchiveError(path, member.filename, f"unpacks to more than {limit} bytes")
    except _DAMAGED as error:
        raise ArchiveError(path, member.filename, f"damaged: {error}") from error
    if len(content) != member.file_size:
        raise ArchiveError(path, member.filename, f"{len(content)} bytes, {member.file_size} announced")
    return bytes(content)
