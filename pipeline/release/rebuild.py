"""Builds the commit of a release again, and compares the hashes of its Parquet and CSV files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from pipeline.base.paths import Paths
from traincompute.base.disk import file_sha256
from traincompute.base.places import MANIFEST
from traincompute.verification import read_sums

RUN = "from traincompute.cli import main; main()"
TIMEOUT_S = 1800
COMMIT = re.compile(r"[0-9a-f]{40,64}")  # neither marked as dirty nor an option of git


def rebuild_problems(paths: Paths, folder: Path) -> list[str]:
    """The Parquet and CSV files of a release that its commit, built again in this checkout, does not give; none where
    all are equal. The DuckDB file, which has other bytes in every build, is not compared."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    sha, as_of = str(manifest["release"]["commit"]), manifest["as_of"]
    if not COMMIT.fullmatch(sha):
        return [f"{MANIFEST}: the release was made from files that were not committed, so it cannot be rebuilt"]
    with tempfile.TemporaryDirectory(prefix="traincompute-rebuild-") as temporary:
        root = Path(temporary) / "checkout"
        steps = {
            f"cannot check out commit {sha} of the release from {paths.root}": [
                ["git", "clone", "--quiet", "--shared", "--no-checkout", str(paths.root), str(root)],
                ["git", "-C", str(root), "checkout", "--quiet", "--detach", sha],
            ],
            "building its commit again failed": [
                [sys.executable, "-c", RUN, "build", *(["--as-of", as_of] if as_of else [])]
            ],
        }
        env = {**os.environ, "PYTHONPATH": str(root), "TRAINCOMPUTE_ROOT": str(root)}
        for failed, commands in steps.items():
            for command in commands:
                place = root if command[0] == sys.executable else None
                done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
                if done.returncode:
                    return [f"{failed}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"]
        return _differences(folder, Paths(root).of(date.fromisoformat(as_of) if as_of else None).processed)


def _differences(folder: Path, again: Path) -> list[str]:
    was = {name: digest for name, digest in read_sums(folder).items() if name.endswith((".parquet", ".csv"))}
    now = {path.name: file_sha256(path) for path in again.iterdir() if path.suffix in (".parquet", ".csv")}
    differing = sorted(name for name in {*was, *now} if was.get(name) != now.get(name))
    return [f"{name}: differs from what the release's commit produces" for name in differing]
