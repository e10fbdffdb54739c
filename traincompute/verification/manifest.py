"""The manifest of a release that may be hostile: its tables, and whether they are those of SHA256SUMS."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from traincompute.base.places import MANIFEST, ReleaseError
from traincompute.base.sources import OWN

TABLE = re.compile(r"[a-z][a-z_]{0,62}")
HEX = re.compile(r"[0-9a-f]{64}")
LARGEST_TEXT = 20_000_000  # bytes of a manifest or description; the real ones have 0.2 MB
MOST_CELLS = 500_000_000


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of limited size, in which no name stands twice. Raises ReleaseError."""
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise ReleaseError(f"{path}: is larger than {LARGEST_TEXT / 1e6:.0f} MB")
        found = json.loads(path.read_bytes(), object_pairs_hook=_once)
    except (OSError, ValueError, RecursionError) as error:
        raise ReleaseError(f"{path}: cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ReleaseError(f"{path}: is no JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in it")
    return found


def read_tables(manifest: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """{table: rows, columns, content_sha256 and files} of a manifest.

    Raises ReleaseError for a name that is not of the form [a-z_]+ and an entry that is not complete."""
    tables = manifest.get("tables")
    if not isinstance(tables, dict) or not tables:
        raise ReleaseError(f"{MANIFEST}: it describes no tables")
    for name, entry in tables.items():
        if not TABLE.fullmatch(name):
            raise ReleaseError(f"{MANIFEST}: {name[:100]!a} is not the name of a table, of letters a to z and _")
        if not _is_complete(name, entry):
            raise ReleaseError(f"{MANIFEST}: its entry of {name} is not rows, columns, content_sha256 and two files")
    return tables


def _is_complete(name: str, entry: Any) -> bool:
    if not isinstance(entry, dict) or not all(_is_count(entry.get(key)) for key in ("rows", "columns")):
        return False
    files = entry.get("files")
    if not isinstance(files, dict) or set(files) != {f"{name}.csv", f"{name}.parquet"}:
        return False
    described = [isinstance(file, dict) and _is_count(file.get("bytes")) and _is_hash(file) for file in files.values()]
    sized = entry["rows"] * entry["columns"] <= MOST_CELLS
    return all(described) and sized and HEX.fullmatch(str(entry.get("content_sha256"))) is not None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_hash(file: Mapping[str, Any]) -> bool:
    return isinstance(file.get("sha256"), str) and HEX.fullmatch(file["sha256"]) is not None


def check_manifest(manifest: Mapping[str, Any], sums: Mapping[str, str], folder: Path) -> Iterator[str]:
    """Whether the manifest is of the release that the folder is named after, and its files are those of SHA256SUMS."""
    version = version_of(manifest)
    if folder.name not in (version, f"v{version}"):
        yield f"{MANIFEST}: is of release {version!a}, in a folder named {folder.name!a}"
    for table in manifest["tables"].values():
        for name, entry in table["files"].items():
            path = folder / name
            if sums.get(name) != entry["sha256"]:
                yield f"{name}: sha256 is {entry['sha256']} in {MANIFEST}, but {sums.get(name, 'none')} in SHA256SUMS"
            elif path.is_file() and path.stat().st_size != entry["bytes"]:
                yield f"{name}: has {path.stat().st_size} bytes, but {entry['bytes']} in {MANIFEST}"


def facts_until(manifest: Mapping[str, Any]) -> str:
    """The day that the facts reach to: the vintage, else the newest snapshot of a source that is not entered by hand."""
    days = [day for source, day in (manifest.get("snapshots") or {}).items() if not source.startswith(OWN)]
    return str(manifest.get("as_of") or max(days, default=""))


def entered_until(manifest: Mapping[str, Any]) -> str:
    """The day of the newest fact that was entered by hand."""
    return max((day for source, day in (manifest.get("snapshots") or {}).items() if source.startswith(OWN)), default="")


def version_of(manifest: Mapping[str, Any]) -> str | None:
    """The version that the manifest names; None where it names none."""
    about = manifest.get("release")
    version = about.get("version") if isinstance(about, dict) else None
    return version if isinstance(version, str) else None
