"""The size of a release's zip against that of the upstream CSV files that its facts came from."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

TARGET = 0.5


def zip_ratio(root: Path) -> dict[str, Any]:
    """Bytes of the zip of the build at hand (its few files of words excepted), of all CSV files in the lock, and the ratio."""
    from pipeline.paths import Paths
    from pipeline.release.bundle import write_zip, zip_name

    paths = Paths(root)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in paths.processed.iterdir():
            if file.suffix in (".parquet", ".csv", ".json"):
                shutil.copyfile(file, folder / file.name)
        write_zip(folder, "bench")
        size = (folder / zip_name("bench")).stat().st_size
    upstream = sum(_csv_sizes(json.loads(paths.lock.read_text(encoding="utf-8"))))
    return {
        "case": "release zip ÷ upstream CSVs",
        "ours_bytes": size,
        "floor_bytes": upstream,
        "ratio": size / upstream,
    }


def _csv_sizes(lock: dict[str, Any]) -> list[int]:
    """The sizes of all files of all snapshots but the spreadsheets."""
    snapshots = [snapshot for source in lock.values() for snapshot in source["snapshots"].values()]
    files = [(url, entry) for snapshot in snapshots for url, entry in snapshot["files"].items()]
    return [entry["size"] for url, entry in files if not url.endswith((".xls", ".xlsx"))]
