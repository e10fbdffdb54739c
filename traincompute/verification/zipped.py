"""Whether the zip of a release holds the files of the release, byte for byte, and nothing else."""

from __future__ import annotations

import hashlib
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from traincompute.base.places import DUCKDB_NAME
from traincompute.verification.sums import SUMS, shown

OUTSIDE = (DUCKDB_NAME, f"{DUCKDB_NAME}.sha256", SUMS)  # two differ from build to build, one names the zip
CHUNK = 1 << 16
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
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name = member.orig_filename
            if (
                name not in wanted
                or name in seen
                or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
            ):
                yield f"{path.name}: {shown(name[:100])} is no file of the release, or stands twice"
                return
            seen.add(name)
            size = (path.parent / name.rpartition("/")[2]).stat().st_size
            if _sha256(archive, member, size) != wanted[name]:
                yield f"{path.name}: its {name.rpartition('/')[2]} is not that of the release"
    for name in sorted(wanted.keys() - seen):
        yield f"{path.name}: lacks {name.rpartition('/')[2]}"


def _sha256(archive: zipfile.ZipFile, member: zipfile.ZipInfo, size: int) -> str:
    """The hash of a member, of which no more is unpacked than the file of the release has."""
    digest = hashlib.sha256()
    with archive.open(member) as handle:
        while size >= 0 and (piece := handle.read(CHUNK)):
            digest.update(piece)
            size -= len(piece)
    return digest.hexdigest() if size == 0 else ""
