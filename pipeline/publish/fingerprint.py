"""Tells whether a build would make what is already published, by a digest of everything that a build reads, kept
beside the build with the hashes of what was written.

Imports nothing heavy: a build with nothing to do ends before pandas is loaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path
from threading import Thread

from pipeline.paths import CHECKOUT, Paths, build_version
from traincompute.base.disk import file_sha256

STAMP = ".inputs"
LIBRARIES = ("duckdb", "numpy", "pandas", "pandera", "pyarrow")


def inputs_digest(paths: Paths, as_of: date | None) -> str:
    """SHA-256 of code, schemas, facts and views with their paths, of the versions of the libraries, of the vintage, and
    of what the build calls itself."""
    libraries = [(name, version(name)) for name in LIBRARIES]
    digest = hashlib.sha256(repr((as_of, build_version(), sys.version_info[:3], libraries)).encode())
    for name, file in sorted(_inputs(paths)):
        with open(file, "rb", buffering=0) as stream:  # noqa: PTH123 (six hundred files)
            content = stream.read()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def write_stamp(folder: Path, inputs: str) -> None:
    """Notes beside a build what it was made from, and the hash of each of its files."""
    files = {file.name: file_sha256(file) for file in sorted(folder.iterdir())}
    (folder / STAMP).write_text(json.dumps({"inputs": inputs, "files": files}))


def is_current(paths: Paths, as_of: date | None) -> bool:
    """Whether the published build was made from the inputs as they are, and is still byte for byte what was written."""
    try:
        stamp = json.loads((paths.processed / STAMP).read_bytes())
        inputs, written = stamp["inputs"], stamp["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    found: dict[str, str | None] = {}
    hashing = Thread(target=lambda: found.update({name: _sha256(paths.processed / name) for name in written}))
    hashing.start()  # while the inputs are read: a hash leaves other threads the interpreter
    is_same: bool = inputs_digest(paths, as_of) == inputs
    hashing.join()
    return is_same and found == written


def _sha256(file: Path) -> str | None:
    try:
        return file_sha256(file)
    except OSError:
        return None


def _inputs(paths: Paths) -> Iterator[tuple[str, str]]:
    """Name and place of every file that a build reads. The list of models that were declined is none: nothing that is
    built reads it. A walk by pathlib takes as long as everything else together."""
    folders = {"code": CHECKOUT / "pipeline", "reader": CHECKOUT / "traincompute"}
    folders |= {"sql": paths.sql, "schemas": paths.schemas, "calibration": paths.calibration, "raw": paths.raw}
    if paths.constants.exists():
        yield "constants", str(paths.constants)
    for label, top in folders.items():
        for folder, below, files in os.walk(top):
            below[:] = [name for name in below if name != "__pycache__"]
            for file in files:
                if (path := f"{folder}/{file}") != str(paths.declined):
                    yield label + path.removeprefix(str(top)), path
