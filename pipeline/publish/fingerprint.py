"""Tells whether a build would make what is already published, by a digest of everything that a build reads, kept
beside the build.

Imports nothing heavy: a build with nothing to do ends before pandas is loaded.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pipeline.base.files import sha256_of
from pipeline.base.paths import CHECKOUT, Paths

STAMP = ".inputs"
LIBRARIES = ("duckdb", "numpy", "pandas", "pandera", "pyarrow")


def inputs_digest(paths: Paths, as_of: date | None) -> str:
    """SHA-256 of code, schemas, facts and views with their paths, of the versions of the libraries, and of the
    vintage. The list of models that were declined is no input: nothing that is built reads it."""
    digest = hashlib.sha256(repr((as_of, sys.version_info[:3], *_versions())).encode())
    for name, file in sorted(_inputs(paths)):
        content = file.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def is_current(paths: Paths, digest: str) -> bool:
    """Whether the published build was made from inputs with this digest, and is still byte for byte what was
    written."""
    published = paths.processed
    try:
        if (published / STAMP).read_text() != digest:
            return False
        tables = json.loads((published / "manifest.json").read_bytes())["tables"].values()
        wanted = {name: entry["sha256"] for table in tables for name, entry in table["files"].items()}
        for sidecar in published.glob("*.duckdb.sha256"):
            sha256, name = sidecar.read_text().split()
            wanted[name] = sha256
        return all(sha256_of(published / name) == sha256 for name, sha256 in wanted.items())
    except (OSError, ValueError, KeyError):
        return False


def _inputs(paths: Paths) -> Iterator[tuple[str, Path]]:
    folders = {"code": CHECKOUT / "pipeline", "reader": CHECKOUT / "traincompute"}
    folders |= {"sql": paths.sql, "schemas": paths.schemas, "calibration": paths.calibration, "raw": paths.raw}
    yield "constants", paths.constants
    for label, folder in folders.items():
        for file in folder.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts and file != paths.declined:
                yield f"{label}/{file.relative_to(folder).as_posix()}", file


def _versions() -> Iterator[str]:
    for name in LIBRARIES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield name
