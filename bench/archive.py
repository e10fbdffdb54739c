"""The size of a release's zip relative to that of the upstream CSV files that its facts came from."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from bench.measure import ROOT
from bench.row import Row

TARGET = 0.5


def rows(quick: bool, runs: int) -> list[Row]:
    """Bytes of the zip of the current build (without its few text files) ÷ bytes of all CSV files in the lock."""
    from pipeline.base.paths import Paths
    from pipeline.release.bundle import write_zip, zip_name

    paths = Paths(ROOT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in paths.processed.iterdir():
            if file.suffix in (".parquet", ".csv", ".json"):
                shutil.copyfile(file, folder / file.name)
        write_zip(folder, "bench")
        size = (folder / zip_name("bench")).stat().st_size
    upstream = sum(_csv_sizes(json.loads(paths.lock.read_text(encoding="utf-8"))))
    note = f"{size / 1e6:.1f} MB ÷ {upstream / 1e6:.1f} MB"
    return [Row("zip of a release ÷ the upstream CSV files", size / upstream, target=TARGET, note=note)]


def _csv_sizes(lock: dict[str, Any]) -> list[int]:
    """The sizes of all files of all snapshots except the spreadsheets."""
    snapshots = [snapshot for source in lock.values() for snapshot in source["snapshots"].values()]
    files = [(url, entry) for snapshot in snapshots for url, entry in snapshot["files"].items()]
    return [entry["size"] for url, entry in files if not url.endswith((".xls", ".xlsx"))]
