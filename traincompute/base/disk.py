"""Files that are written completely or not at all, their hashes, folders of this user alone, and disk errors in one
line."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from traincompute.base.places import ReleaseError, cache_folder


def file_sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def random_suffix() -> str:
    """A piece of a file name that no other process will use."""
    return os.urandom(8).hex()


def sync(path: Path) -> None:
    """Forces the contents of a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file completely or not at all. What a killed process leaves of it, `sole_writer` or `sweep_litter`
    sweeps."""
    fresh = path.with_name(f".{path.name}.{random_suffix()}.tmp")
    try:
        with fresh.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(0o644)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def private_folder(name: str) -> Path:
    """The folder of that name in the cache, made where it is missing; for this user alone.

    Raises ReleaseError where it is a link or another user's, OSError where the disk does not allow it."""
    folder = cache_folder() / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or (hasattr(os, "getuid") and about.st_uid != os.getuid()):
        raise ReleaseError(
            f"{folder} is not this user's own folder; remove it, or name another with TRAINCOMPUTE_CACHE"
        )
    if about.st_mode & 0o077:
        folder.chmod(0o700)
    return folder


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns an OSError into one line that says what the disk did not allow."""
    try:
        yield
    except ReleaseError:
        raise
    except OSError as error:
        where = error.filename or path
        raise ReleaseError(
            f"{where}: {error.strerror}; check space and permissions. What was downloaded before is intact"
        ) from error
