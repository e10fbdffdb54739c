"""Releases a vintage of every older snapshot, oldest first, in a clone of the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.measure import ROOT, measure
from bench.row import Row

SECONDS = 25
COMMAND = "from traincompute.cli import main; main()"


def rows(quick: bool, runs: int) -> list[Row]:
    """Seconds of all vintages together (quick: of one), and the memory at its peak. It is run once."""
    with tempfile.TemporaryDirectory() as name:
        checkout = Path(name) / "checkout"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(checkout)], check=True)
        wanted = ["--as-of", "2024-01-01"] if quick else ["--vintages"]
        made = measure([sys.executable, "-c", COMMAND, "release", *wanted], root=checkout)
        index = json.loads((checkout / "data" / "processed" / "releases" / "releases.json").read_bytes())
    count = len(index["releases"])
    note = f"{made.seconds / count:.2f} s each"
    return [
        Row(f"{count} vintages, one after the other", made.seconds, "s", target=SECONDS, note=note),
        Row("peak memory", made.peak_mb, "MB"),
    ]
