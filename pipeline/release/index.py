"""releases.json: which releases there are, where, the hash of each one's SHA256SUMS, and which is the latest."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from pipeline.base.errors import DataError
from traincompute.base.disk import sync, write_whole
from traincompute.base.places import INDEX_NAME, ReleaseError
from traincompute.index import FORMAT, VINTAGE, parse_index, version_key

CALVER = re.compile(r"20[0-9]{2}\.([1-9]|1[0-2])\.(0|[1-9][0-9]*)")  # year.month.number
Index = dict[str, Any]
Entry = dict[str, Any]


def read_index(releases: Path) -> Index:
    """The index of a folder, empty if there is none. Raises DataError if it cannot be used."""
    file = releases / INDEX_NAME
    if not file.exists():
        return {"name": "traincompute", "format": FORMAT, "serial": 0, "latest": None, "releases": []}
    try:
        content = file.read_bytes()
        parse_index(content, str(file))
    except ReleaseError as error:
        raise DataError.of(str(file), str(error), "fetch it again from where it is published") from error
    index: Index = json.loads(content)
    return index


def check_version(version: str) -> str:
    """The channel of a version. Raises DataError if it is not a version."""
    if CALVER.fullmatch(version):
        return "release"
    try:
        date.fromisoformat(version.removeprefix(VINTAGE))
    except ValueError:
        pass
    else:
        if version.startswith(VINTAGE):
            return "vintage"
    raise DataError.of(
        "release", "is not a version", "use year.month.number without leading zeros, such as 2026.11.0", value=version
    )


def find(index: Index, version: str) -> Entry | None:
    """The entry of a version."""
    return next((entry for entry in index["releases"] if entry["version"] == version), None)


def previous(index: Index, channel: str, version: str) -> Entry | None:
    """The release that a new version follows: the newest of its channel before it."""
    older = [
        e for e in index["releases"] if e["channel"] == channel and version_key(e["version"]) < version_key(version)
    ]
    return max(older, key=lambda entry: version_key(entry["version"]), default=None)


def with_entry(index: Index, entry: Entry) -> Index:
    """The index with one more release; `latest` is the newest in the channel release."""
    entries = sorted([*index["releases"], entry], key=lambda e: (e["channel"], version_key(e["version"])))
    current = [e["version"] for e in entries if e["channel"] == "release"]
    return {**index, "serial": index["serial"] + 1, "latest": current[-1] if current else None, "releases": entries}


def write_index(releases: Path, index: Mapping[str, Any]) -> None:
    """Replaces the index in one step, once the new one is on disk. Raises OSError, which leaves the old one in
    place."""
    content = json.dumps(index, indent=1, ensure_ascii=False) + "\n"
    write_whole(releases / INDEX_NAME, content.encode())
    sync(releases)
