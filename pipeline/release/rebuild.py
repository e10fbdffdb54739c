"""Rebuilds a release from the commit that it names, and compares every byte."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipeline.base.paths import Paths
from pipeline.release.bundle import NOT_REPRODUCIBLE, SUMS
from pipeline.release.index import read_index, with_entry, write_index
from pipeline.release.make import entry_of
from pipeline.release.version import folder_name

RUN = "from traincompute.cli import main; main()"
TIMEOUT_S = 1800
COMMIT = re.compile(r"[0-9a-f]{40,64}")  # neither marked as dirty nor an option of git


def rebuild_problems(paths: Paths, folder: Path) -> list[str]:
    """What differs between a release's folder and one rebuilt from its commit in this checkout; empty if nothing does.

    The DuckDB file has other bytes in every build: that it defines and holds what the other files say is for
    `verify`."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    sha = manifest["release"]["commit"]
    if not COMMIT.fullmatch(str(sha)):
        return ["manifest.json: the release was made from files that were not committed, so it cannot be rebuilt"]
    with tempfile.TemporaryDirectory(prefix="traincompute-rebuild-") as temporary:
        clone = Paths(Path(temporary) / "checkout")
        if fault := _clone(paths, sha, clone) or _provide_previous(folder, manifest["release"]["previous"], clone):
            return [fault]
        if fault := _release(manifest, clone):
            return [fault]
        return _differences(folder, clone.releases / folder_name(manifest["release"]["version"]))


def _clone(paths: Paths, sha: str, clone: Paths) -> str:
    """Makes a clean checkout of the commit; returns what went wrong, if anything did."""
    commands = [
        ["git", "clone", "--quiet", "--shared", "--no-checkout", str(paths.root), str(clone.root)],
        ["git", "-C", str(clone.root), "checkout", "--quiet", "--detach", sha],
    ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"cannot check out commit {sha} of the release from {paths.root}: {_last_line(done.stderr)}"
    return ""


def _provide_previous(folder: Path, version: str | None, clone: Paths) -> str:
    """Copies the release that it was compared with into the clone, as its only one; returns what went wrong, if
    anything did."""
    if version is None:
        return ""
    before = folder.with_name(folder_name(version))
    if not before.is_dir():
        return f"release {version}, which it was compared with, is not beside it; download it to {before}"
    shutil.copytree(before, clone.releases / before.name)
    write_index(clone.releases, with_entry(read_index(clone.releases), entry_of(before, "")))
    return ""


def _release(manifest: Mapping[str, Any], clone: Paths) -> str:
    """Makes the release in the clone with the clone's code; returns what went wrong, if anything did."""
    release, as_of = manifest["release"], manifest["as_of"]
    day = datetime.fromisoformat(release["date"]).replace(tzinfo=UTC)
    env = {
        **os.environ,
        "PYTHONPATH": str(clone.root),
        "TRAINCOMPUTE_ROOT": str(clone.root),
        "SOURCE_DATE_EPOCH": str(int(day.timestamp())),
    }
    arguments = ["--as-of", as_of] if release["channel"] == "vintage" else [release["version"]]
    command = [sys.executable, "-c", RUN, "release", *arguments]
    done = subprocess.run(command, cwd=clone.root, env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
    return f"rebuilding it from its commit failed: {_last_line(done.stderr)}" if done.returncode else ""


def _differences(folder: Path, again: Path) -> list[str]:
    was, now = _sums(folder), _sums(again)
    differing = sorted(name for name in {*was, *now} if was.get(name) != now.get(name))
    alone = [name for name in differing if name.endswith(".zip")] == differing
    cause = "; the files in it are the same, so zlib compresses differently here" if alone else ""
    return [f"{name}: differs from what the release's commit produces{cause}" for name in differing]


def _sums(folder: Path) -> dict[str, str]:
    """{file: sha256} of what must be equal."""
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("  ", 1) for line in lines)
    return {name: digest for digest, name in pairs if name not in NOT_REPRODUCIBLE}


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]
