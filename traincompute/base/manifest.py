"""What manifest.json and SHA256SUMS say of a release or build: its files with their hashes, and the days that its facts
reach to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from traincompute.base.errors import ReleaseError
from traincompute.base.files import file_sha256
from traincompute.base.places import MANIFEST, SUMS

OWN = "curated"  # begins the names of the sources that this project entered by hand
LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9][A-Za-z0-9._-]{0,99})")


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object. Raises ReleaseError."""
    try:
        found = json.loads(path.read_bytes())
        if not isinstance(found, dict):
            raise ValueError("it is not a JSON object")
    except (OSError, ValueError, RecursionError) as error:
        raise ReleaseError(f"{path}: cannot be read: {' '.join(str(error).split())[:200]}") from error
    return found


def read_sums(folder: Path) -> dict[str, str]:
    """{file: sha256} of SHA256SUMS, line by line as `sha256sum -c` reads it. Raises ReleaseError for a line that is
    none, a name that is no plain file name, and a name that stands twice."""
    if not (folder / SUMS).is_file():
        raise ReleaseError(f"{SUMS} is missing, so this is not a release")
    sums: dict[str, str] = {}
    lines = (folder / SUMS).read_bytes().decode("ascii", "replace").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, 1):
        match = LINE.fullmatch(line)
        if not match or match[2] in sums:
            reason = "stands twice" if match else "is not a sha256, two spaces and a plain file name"
            raise ReleaseError(f"{SUMS}:{number}: {line[:150]!a} {reason}")
        sums[match[2]] = match[1]
    return sums


def table_hashes(manifest: Mapping[str, Any]) -> dict[str, str]:
    """{file: sha256} of the Parquet and CSV files of the tables. Raises ReleaseError where the manifest is none."""
    try:
        tables = manifest["tables"].values()
        return {name: entry["sha256"] for table in tables for name, entry in table["files"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise ReleaseError(f"{MANIFEST} cannot be used: {error!r}") from error


def check_file(path: Path, sha256: str | None) -> Path:
    """The file, where it is there and has that hash. Raises ReleaseError."""
    remedy = "download the release or build the dataset again"
    if not path.is_file():
        raise ReleaseError(f"{path} is missing; {remedy}", 2)
    if sha256 and (digest := file_sha256(path)) != sha256:
        raise ReleaseError(f"{path} has sha256 {digest}, but {sha256} in {MANIFEST}; {remedy}")
    return path


def facts_until(manifest: Mapping[str, Any]) -> str:
    """The day that the facts reach to: the vintage, else the newest snapshot of a source that is not entered by
    hand."""
    days = [day for source, day in (manifest.get("snapshots") or {}).items() if not source.startswith(OWN)]
    return str(manifest.get("as_of") or max(days, default=""))


def entered_until(manifest: Mapping[str, Any]) -> str:
    """The day of the newest fact that was entered by hand."""
    return max((day for source, day in (manifest.get("snapshots") or {}).items() if source.startswith(OWN)), default="")


def both_days(sources_until: str, by_hand_until: str) -> str:
    """Up to which days a dataset goes, in words."""
    return f"facts to {sources_until}" + (f", entered by hand to {by_hand_until}" if by_hand_until else "")
