"""Release folders and indexes made from a build."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

Release = dict[str, Any]
EPOCH: dict[str, Any] = {  # a row of the table sources
    "source_id": "epoch_all",
    "publisher": "Epoch AI",
    "title": "all models",
    "url": "https://epoch.ai/data/all.csv",
    "licence": "CC-BY-4.0",
    "attribution": "Epoch AI, 'Data on AI Models', https://epoch.ai/data/ai-models",
    "facts": 9,
}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_release(built: Path, releases: Path, version: str, day: str = "2026-11-21") -> Release:
    """Writes a release of the build; returns its entry."""
    channel = "vintage" if version.startswith("vintage-") else "release"
    folder = releases / (f"v{version}" if channel == "release" else version)
    folder.mkdir(parents=True)
    manifest = json.loads((built / "manifest.json").read_bytes())
    manifest["release"] = {"version": version, "channel": channel, "date": day, "commit": "0" * 40}
    names = [name for table in manifest["tables"].values() for name in table["files"]]
    for name in [*names, "traincompute.duckdb", "traincompute.sql"]:
        shutil.copyfile(built / name, folder / name)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    write_sums(folder)
    return entry_of(folder, manifest)


def write_sums(folder: Path) -> None:
    """SHA256SUMS of all files but itself and its signature."""
    paths = [path for path in sorted(folder.iterdir()) if not path.name.startswith("SHA256SUMS")]
    (folder / "SHA256SUMS").write_text("".join(f"{sha256(path)}  {path.name}\n" for path in paths), encoding="utf-8")


def entry_of(folder: Path, manifest: Release) -> Release:
    """What the index says about the release in a folder."""
    return {
        **{name: manifest["release"][name] for name in ("version", "channel", "date", "commit")},
        "schema_version": manifest["schema_version"],
        "as_of": manifest["as_of"],
        "models": manifest["tables"]["models"]["rows"],
        "notable": None,
        "bytes": sum(path.stat().st_size for path in folder.iterdir()),
        "sums_sha256": sha256(folder / "SHA256SUMS"),
        "signed": (folder / "SHA256SUMS.sig").exists(),
        "url": folder.name,
    }


def write_index(releases: Path, entries: list[Release], serial: int = 1) -> Path:
    """Writes releases.json with those entries."""
    latest = [entry["version"] for entry in entries if entry["channel"] == "release"]
    index = {"name": "traincompute", "format": 2, "serial": serial, "latest": latest[-1] if latest else None}
    path = releases / "releases.json"
    path.write_text(json.dumps(index | {"releases": entries}, indent=1), encoding="utf-8")
    return path
