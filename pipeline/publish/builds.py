"""Builds on disk: whether the published one is what a build would make again, the single step that puts a new one in
its place, and what earlier ones left behind.

A digest of everything that a build reads is kept beside it with the hashes of what was written. A build that was
replaced stays for a minute more, because a reader may have looked up where its files are and not opened them yet; the
next build removes it then. Nothing heavy is imported: a build with nothing to do ends before pandas is loaded."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from importlib.metadata import version
from pathlib import Path
from threading import Thread

from pipeline.paths import CHECKOUT, Paths, build_version
from traincompute.base.files import file_sha256, locked

STAMP = ".inputs"
LIBRARIES = ("duckdb", "numpy", "pandas", "pandera", "pyarrow")
CURRENT, BUILDS = ".current", ".builds"
GRACE_S = 60.0


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


@contextmanager
def new_build(target: Path) -> Iterator[Path]:
    """A new folder to build in. It becomes the current build below `target` where the block succeeds, and is removed
    where it fails. The only step that readers notice is the rename of `.current`."""
    builds = target / BUILDS
    builds.mkdir(parents=True, exist_ok=True)
    sweep_builds(target)
    with locked(builds):
        work = Path(tempfile.mkdtemp(prefix="build-", dir=builds))
        work.chmod(0o755)
    with locked(work):
        try:
            yield work
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        with locked(builds):
            current = target / CURRENT
            for path in sorted(work.iterdir()):
                _link(target / path.name, Path(CURRENT) / path.name)
            if current.exists():
                os.utime(current)  # from now on it is kept for a minute
            _link(current, Path(BUILDS) / work.name)
            for link in target.iterdir():
                if link.is_symlink() and not link.exists():
                    link.unlink(missing_ok=True)


def sweep_builds(target: Path) -> None:
    """Removes what killed builds left and what was replaced long ago: all but the current build, those that a reader
    may still open, and those that are being made."""
    if not (target / BUILDS).is_dir():
        return
    with locked(target / BUILDS):
        for folder in (target / BUILDS).iterdir():
            age = time.time() - folder.stat().st_mtime
            if folder.resolve() != (target / CURRENT).resolve() and age >= GRACE_S:
                with locked(folder, wait=False) as is_left:
                    if is_left:
                        shutil.rmtree(folder, ignore_errors=True)


def _link(link: Path, to: Path) -> None:
    """Puts a relative link in place in one step. A folder in its place comes from a copy that followed links."""
    if link.is_symlink() and link.readlink() == to:
        return
    if link.is_dir() and not link.is_symlink():
        shutil.rmtree(link)
    fresh = link.with_name(f".{link.name.lstrip('.')}.tmp")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(to)
    fresh.replace(link)
