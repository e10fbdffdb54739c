"""What files on a disk that several processes use need: locks, names of their own, and one line about what fails."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from traincompute.releases.places import ReleaseError


def file_sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def unique() -> str:
    """A part of a name that no other process takes."""
    return os.urandom(8).hex()


def claims(handle: int) -> bool:
    """Whether this process has the lock of an open file or folder now, until it is closed."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def held(folder: Path, without_locks: bool) -> Iterator[bool]:
    """Locks a folder; false where it is gone or another process holds it, `without_locks` where the system has none."""
    try:
        import fcntl  # noqa: F401

        handle = os.open(folder, os.O_RDONLY)
    except ImportError:
        yield without_locks
        return
    except FileNotFoundError:
        yield False
        return
    try:
        yield claims(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Waits until no other process is within, where the system has such locks."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as handle:
            with contextlib.suppress(ImportError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all."""
    fresh = path.with_name(f".{path.name}.{unique()}.tmp")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Says in one line what the disk does not allow."""
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise ReleaseError(
            f"{where}: {error.strerror}; check space and permissions. What was downloaded before is intact"
        ) from error
