"""Files that several processes share: locks, unique names, and disk errors in one line."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from traincompute.base.places import ReleaseError

try:
    import fcntl
except ImportError:  # Windows has no such locks
    LOCKS = False
else:
    LOCKS = True


def file_sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def unique() -> str:
    """A piece of a file name that no other process will use."""
    return os.urandom(8).hex()


def claims(handle: int) -> bool:
    """Whether this process now holds the lock of an open file or folder; it lasts until the handle is closed."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def held(folder: Path, without_locks: bool) -> Iterator[bool]:
    """Locks a folder. Yields False if it is gone or another process holds it, `without_locks` if there are no locks."""
    if not LOCKS:
        yield without_locks
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        yield claims(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Waits until no other process is inside, if the system has locks."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as handle:
            if LOCKS:
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file completely or not at all, and removes what killed processes left of it. To be called by one process at
    a time (`locked`)."""
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        left.unlink(missing_ok=True)
    fresh = path.with_name(f".{path.name}.{unique()}.tmp")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns an OSError into one line that says what the disk did not allow."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise ReleaseError(
            f"{where}: {error.strerror}; check space and permissions. What was downloaded before is intact"
        ) from error
