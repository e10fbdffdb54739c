"""Files and folders that appear complete or not at all, one writer at a time, and the cache of this user."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from traincompute.base.errors import ReleaseError


class CacheError(ReleaseError):
    """The cache cannot be read or written."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"the cache cannot be used: {reason}; name a folder of yours with TRAINCOMPUTE_CACHE")


def file_sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as handle:
        return file_digest(handle, "sha256").hexdigest()


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object. Raises ReleaseError."""
    try:
        if isinstance(found := json.loads(path.read_bytes()), dict):
            return found
        reason = "it is not a JSON object"
    except (OSError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
    raise ReleaseError(f"{path}: cannot be read: {reason}")


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file completely or not at all. What a killed process leaves of it, `sole_writer` sweeps."""
    fresh = path.with_name(f".{path.name}.{os.urandom(8).hex()}.tmp")
    try:
        with fresh.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(0o644)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A folder beside the target to make it in. The caller holds the lock of the folder around them (`locked`), so what
    is there already was left by a killed process, and is removed."""
    work = target.with_name(f".{target.name}.tmp")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def cache_folder() -> Path:
    """$TRAINCOMPUTE_CACHE, else the cache folder of this user and system."""
    if given := os.environ.get("TRAINCOMPUTE_CACHE"):
        return Path(given).expanduser().absolute()
    from platformdirs import user_cache_path  # takes a moment

    return Path(user_cache_path("traincompute"))


def private_folder(name: str) -> Path:
    """The folder of that name in the cache, for this user alone, made where it is missing. Raises CacheError."""
    try:
        folder = cache_folder() / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not folder.is_symlink() and (not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()):
            return folder
    except (OSError, RuntimeError) as error:  # a user without a home
        raise CacheError(error) from error
    raise CacheError(f"{folder} is not this user's own folder")


@contextmanager
def locked(place: Path, wait: bool = True) -> Iterator[bool]:
    """Waits until no other process works on that file or folder, and says so where that takes longer than a second.
    Yields whether this process has the lock. Locks are files in the cache, and end with their process."""
    from filelock import FileLock, Timeout  # what reads only, starts sooner without it

    try:
        name = f"{sha256(os.fsencode(place.resolve())).hexdigest()[:16]}.lock"
        lock = FileLock(private_folder("locks") / name)
        lock.acquire(timeout=1 if wait else 0)
    except Timeout:
        if wait:
            print(f"waiting for another process that writes to {place}", file=sys.stderr, flush=True)
            lock.acquire()
    except (NotImplementedError, OSError, CacheError):  # some file systems have none, and some users no cache
        yield False
        return
    try:
        yield lock.is_locked
    finally:
        lock.release()
