"""Release folders and indexes in the published form, made from a build, for tests of the code that reads them."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
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
UNEQUAL = ("traincompute.duckdb", "traincompute.duckdb.sha256")  # not in the zip: their bytes differ between builds


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_release(built: Path, releases: Path, version: str, day: str = "2026-11-21") -> Release:
    """Writes a release of the build below `releases`; returns its entry in the index."""
    channel = "vintage" if version.startswith("vintage-") else "release"
    folder = releases / (f"v{version}" if channel == "release" else version)
    folder.mkdir(parents=True)
    manifest = json.loads((built / "manifest.json").read_bytes())
    manifest["release"] = {"version": version, "channel": channel, "date": day, "commit": "0" * 40}
    names = [name for table in manifest["tables"].values() for name in table["files"]]
    for name in [*names, *UNEQUAL, "traincompute.sql"]:
        shutil.copyfile(built / name, folder / name)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## {version}\n\nThe first release.\n", encoding="utf-8")
    (folder / "traincompute.bib").write_text(f"@dataset{{traincompute, version = {{{version}}}}}\n", encoding="utf-8")
    with zipfile.ZipFile(folder / f"traincompute-{version}.zip", "w") as archive:
        for name in sorted({path.name for path in folder.iterdir()} - {*UNEQUAL, f"traincompute-{version}.zip"}):
            archive.writestr(plain(f"traincompute-{version}/{name}"), (folder / name).read_bytes(), compresslevel=1)
    sums = [f"{sha256(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return entry_of(folder, manifest)


def plain(name: str) -> zipfile.ZipInfo:
    """A member of a zip as releases have it: a regular file without a date."""
    member = zipfile.ZipInfo(name)
    member.create_system, member.external_attr = 3, 0o100644 << 16
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def entry_of(folder: Path, manifest: Release) -> Release:
    """What the index says about the release in a folder."""
    files = {
        path.name: {"url": f"{folder.name}/{path.name}", "bytes": path.stat().st_size, "sha256": sha256(path)}
        for path in sorted(folder.iterdir())
    }
    about = {name: manifest["release"][name] for name in ("version", "channel", "date")}
    figures = {"models": manifest["tables"]["models"]["rows"], "notable": None}
    figures["bytes"] = sum(entry["bytes"] for entry in files.values())
    known = {"schema_version": manifest["schema_version"], "as_of": manifest["as_of"]}
    return {**about, **known, **figures, "manifest_sha256": files["manifest.json"]["sha256"], "files": files}


def write_index(releases: Path, entries: list[Release], serial: int = 1) -> Path:
    """Writes releases.json with those entries; the last one in the channel release is the latest."""
    latest = [entry["version"] for entry in entries if entry["channel"] == "release"]
    index = {"name": "traincompute", "format": 1, "serial": serial, "latest": latest[-1] if latest else None}
    path = releases / "releases.json"
    path.write_text(json.dumps(index | {"releases": entries}, indent=1), encoding="utf-8")
    return path
