"""The files of a release that are made from its other files: the zip, the checksums and the signature on them."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

from pipeline.base.errors import DataError
from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME

SUMS = "SHA256SUMS"
NAMESPACE = "traincompute"  # of the signature; `ssh-keygen -Y verify` asks for it
# the DuckDB file has the same contents in every build but not the same bytes, so it is left out of the comparison
NOT_REPRODUCIBLE = (DUCKDB_NAME, f"{DUCKDB_NAME}.sha256")
LEVEL = 7  # 9 takes twice as long for 1.4 % less
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first date that a zip can state


def zip_name(version: str) -> str:
    return f"traincompute-{version}.zip"


def write_zip(folder: Path, version: str) -> None:
    """One zip of all reproducible files: the same files give the same bytes (with the same version of zlib)."""
    inside = f"traincompute-{version}"
    names = sorted(file.name for file in folder.iterdir() if file.name not in NOT_REPRODUCIBLE)
    with zipfile.ZipFile(folder / zip_name(version), "w") as archive:
        for name in names:
            member = zipfile.ZipInfo(f"{inside}/{name}", EARLIEST)
            member.create_system, member.external_attr = 3, 0o100644 << 16
            content = (folder / name).read_bytes()
            archive.writestr(member, content, zipfile.ZIP_DEFLATED, compresslevel=LEVEL)


def write_sums(folder: Path) -> None:
    """SHA256SUMS: a line per file in the folder, sorted by name, in the format of `sha256sum -c`."""
    names = sorted(file.name for file in folder.iterdir() if not file.name.startswith(SUMS))
    lines = [f"{file_sha256(folder / name)}  {name}\n" for name in names]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def sign_sums(folder: Path, key: Path) -> None:
    """SHA256SUMS.sig, made by ssh-keygen. Raises DataError if it cannot sign with the key."""
    command = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(folder / SUMS)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise _cannot_sign(key, "ssh-keygen is not installed") from error
    if done.returncode:
        raise _cannot_sign(key, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "ssh-keygen failed")


def _cannot_sign(key: Path, reason: str) -> DataError:
    remedy = "give an SSH key without a passphrase, or one that ssh-agent holds"
    return DataError.of("release", reason, remedy, field="--key", value=str(key))
