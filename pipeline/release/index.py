"""releases.json: which releases there are, where each of their files is, and which release is the latest."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.base.errors import DataError, SourceError
from pipeline.release.version import order
from traincompute.base.disk import sync, write_whole
from traincompute.base.locks import held, sweep_litter

FORMAT = 1
Index = dict[str, Any]
Entry = dict[str, Any]


@contextlib.contextmanager
def locked(releases: Path) -> Iterator[None]:
    """Locks the folder for one writer; the lock ends with the process. Raises SourceError while another writer has
    it."""
    releases.mkdir(parents=True, exist_ok=True)
    sweep_litter(releases)
    with held(releases, without_locks=True) as ours:
        if not ours:
            raise SourceError(f"{releases}: another release is being made; wait until it is done")
        yield


def read_index(releases: Path) -> Index:
    """The index of a folder, empty if there is none. Raises DataError if it cannot be read."""
    file = releases / "releases.json"
    if not file.exists():
        return {"name": "traincompute", "format": FORMAT, "serial": 0, "latest": None, "releases": []}
    try:
        index: Index = json.loads(file.read_text(encoding="utf-8"))
        if index["format"] != FORMAT:
            raise ValueError(f"format {index['format']} is not {FORMAT}")
    except (ValueError, KeyError) as error:
        reason = f"cannot be read: {error}"
        raise DataError.of(str(file), reason, "fetch it again from where it is published") from error
    return index


def find(index: Index, version: str) -> Entry | None:
    """The entry of a version."""
    return next((entry for entry in index["releases"] if entry["version"] == version), None)


def previous(index: Index, channel: str, version: str) -> Entry | None:
    """The release that a new version follows: the newest of its channel before it."""
    older = [e for e in index["releases"] if e["channel"] == channel and order(e["version"]) < order(version)]
    return max(older, key=lambda entry: order(entry["version"]), default=None)


def with_entry(index: Index, entry: Entry) -> Index:
    """The index with one more release; `latest` is the newest in the channel release."""
    entries = sorted([*index["releases"], entry], key=lambda e: (e["channel"], order(e["version"])))
    current = [e["version"] for e in entries if e["channel"] == "release"]
    return {**index, "serial": index["serial"] + 1, "latest": current[-1] if current else None, "releases": entries}


def write_index(releases: Path, index: Mapping[str, Any]) -> None:
    """Replaces the index in one step, once the new one is on disk. Raises OSError, which leaves the old one in
    place."""
    content = json.dumps(index, indent=1, ensure_ascii=False) + "\n"
    write_whole(releases / "releases.json", content.encode())
    sync(releases)
