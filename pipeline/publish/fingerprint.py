"""Tells whether a build would make what is already published, by a digest of everything that a build reads, kept
beside the build.

Imports nothing heavy: a build with nothing to do ends before pandas is loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Thread

from pipeline.base.build_version import build_version
from pipeline.base.paths import CHECKOUT, Paths
from traincompute.base.disk import file_sha256

STAMP = ".inputs"
LIBRARIES = ("duckdb", "numpy", "pandas", "pandera", "pyarrow")


def inputs_digest(paths: Paths, as_of: date | None) -> str:
    """SHA-256 of code, schemas, facts and views with their paths, of the versions of the libraries, of the vintage, and
    of what the build calls itself. The list of models that were declined is no input: nothing that is built reads
    it."""
    digest = hashlib.sha256(repr((as_of, build_version(), sys.version_info[:3], *_versions())).encode())
    for name, file in sorted(_inputs(paths)):
        with open(file, "rb", buffering=0) as stream:  # noqa: PTH123 (six hundred files)
            content = stream.read()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def is_current(paths: Paths, as_of: date | None) -> bool:
    """Whether the published build was made from the inputs as they are, and is still byte for byte what was written.

    While the inputs are read, another thread hashes what is published: a hash leaves other threads the interpreter."""
    try:
        stamp, wanted = (paths.processed / STAMP).read_text(), _published(paths.processed)
        left = iter(sorted(wanted, key=lambda file: -file.stat().st_size))  # the last ones are small: both end together
    except (OSError, ValueError, KeyError):
        return False
    found: dict[Path, str] = {}
    other = Thread(target=_hash_each, args=(left, found), daemon=True)
    other.start()
    if inputs_digest(paths, as_of) != stamp:
        list(left)  # so that the other thread finds none
        return False
    _hash_each(left, found)
    other.join()
    return found == wanted


def _published(folder: Path) -> dict[Path, str]:
    """The published files with the SHA-256 that they had when they were written."""
    tables = json.loads((folder / "manifest.json").read_bytes())["tables"].values()
    wanted = {folder / name: str(entry["sha256"]) for table in tables for name, entry in table["files"].items()}
    for sidecar in folder.glob(".*.duckdb.sha256"):
        sha256, name = sidecar.read_text().split()
        wanted[folder / name] = sha256
    return wanted


def _hash_each(left: Iterator[Path], found: dict[Path, str]) -> None:
    """Takes files until none is left, or until one cannot be read, which is then missing from what was found."""
    with contextlib.suppress(OSError):
        for file in left:
            found[file] = file_sha256(file)


def _inputs(paths: Paths) -> Iterator[tuple[str, str]]:
    folders = {"code": CHECKOUT / "pipeline", "reader": CHECKOUT / "traincompute"}
    folders |= {"sql": paths.sql, "schemas": paths.schemas, "calibration": paths.calibration, "raw": paths.raw}
    if paths.constants.exists():
        yield "constants", str(paths.constants)
    declined = str(paths.declined)
    for label, folder in folders.items():
        if folder.is_dir():
            yield from (entry for entry in _files(str(folder), label) if entry[1] != declined)


def _files(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """The files below a folder, by name and place. A walk by pathlib takes as long as everything else together."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                yield f"{name}/{entry.name}", entry.path
            elif entry.is_dir(follow_symlinks=False) and entry.name != "__pycache__":
                yield from _files(entry.path, f"{name}/{entry.name}")


def _versions() -> Iterator[str]:
    for name in LIBRARIES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield name
