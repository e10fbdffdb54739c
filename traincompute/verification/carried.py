"""Whether the dataset at hand, a build or the one that the package carries, is what its manifest says."""

from __future__ import annotations

import json
from pathlib import Path

from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME

MANIFEST = "manifest.json"


def carried_problems(folder: Path) -> list[str]:
    """Every Parquet file that is not the one of the manifest, or is missing, or is in no manifest, and a DuckDB file with
    another hash than the one beside it; none where all is well. A package carries no CSV, so that may be missing."""
    tables = json.loads((folder / MANIFEST).read_bytes())["tables"]
    listed = {name: about["sha256"] for table in tables.values() for name, about in table["files"].items()}
    sidecar = folder / f"{DUCKDB_NAME}.sha256"
    listed[DUCKDB_NAME] = sidecar.read_text(encoding="ascii").split()[0] if sidecar.exists() else ""
    found = {path.name for path in folder.glob("*.parquet")} | {path.name for path in folder.glob("*.csv")}
    needed = {name for name in listed if not name.endswith(".csv")}
    return [
        *(f"{folder / name}: in no manifest" for name in sorted(found - set(listed))),
        *(f"{folder / name}: missing" for name in sorted(needed) if not (folder / name).is_file()),
        *(
            f"{folder / name}: another file than the manifest names"
            for name in sorted(listed)
            if (folder / name).is_file() and file_sha256(folder / name) != listed[name]
        ),
    ]
