"""The files of releases on this machine: each verified, kept once under its sha256, placed in one step.

    content/<sha256>/<name>           a file that had this hash when it arrived; checked again at every use
    parts/<sha256>.part               a file still arriving; the next attempt resumes it
    releases/<manifest>/v2026.11.0/   a whole release, linked to the contents; appears complete or not at all
    indexes/                          what has been seen of each index

Nothing is synced to disk: every use checks the hash, so anything lost in a power cut is noticed and fetched again.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from traincompute.base.disk import disk_errors, file_sha256, unique
from traincompute.base.locks import LOCKS, claims
from traincompute.base.places import ReleaseError, cache_folder, is_remote
from traincompute.cache.index import Entry
from traincompute.network.parts import MixedUpError, restart, validator_of, write_all

CHUNK = 1 << 16  # larger writes cost up to twice the processor time (52 MB: 0.17 s at 64 kB, 0.31 s at 1 MB)
STALE_S = 7 * 86_400

Show = Callable[[int], None]


def silent(_: int) -> None:
    """Progress for nobody."""


def obtain(entry: Entry, show: Show = silent) -> Path:
    """The file in the cache, fetched if it is missing or was altered. Raises ReleaseError; `show` gets the bytes so far."""
    path = cache_folder() / "content" / entry.sha256 / entry.name
    if intact(path, entry):
        show(entry.bytes)
        return path
    with disk_errors(path), _part(entry) as part:
        if intact(path, entry):  # another process got there first
            _discard(part)
            return path
        _fill(entry, part, show)
        path.parent.mkdir(parents=True, exist_ok=True)
        validator_of(part).unlink(missing_ok=True)
        part.replace(path)
        path.chmod(0o444)  # it has links elsewhere: an edit of one would change them all
    return path


def _fill(entry: Entry, part: Path, show: Show) -> None:
    """Fills the part. Raises ReleaseError, and keeps nothing, if the bytes are not what the index says."""
    try:
        digest = _bring(entry, part, show)
        if digest != entry.sha256 and is_remote(entry.source):  # what an earlier attempt left may be at fault
            restart(part)
            digest = _bring(entry, part, show)
    except MixedUpError as error:
        _discard(part)
        raise ReleaseError(f"{entry.source}: {error}; it was truncated, or belongs to another release") from error
    if digest != entry.sha256:
        _discard(part)
        raise ReleaseError(f"{entry.source}: sha256 is {digest}, but {entry.sha256} in the index; none of it was kept")


def _bring(entry: Entry, part: Path, show: Show) -> str:
    """Receives or copies the file and returns its sha256."""
    if is_remote(entry.source):
        from traincompute.network.transport import fetch_listed  # requests: only for what is on the network

        fetch_listed(entry.source, part, entry.bytes, show)
        return file_sha256(part)
    return _copy(Path(entry.source), part, entry, show)


def intact(path: Path, entry: Entry) -> bool:
    """Whether the file is there with the length and sha256 of the entry."""
    try:
        return path.stat().st_size == entry.bytes and file_sha256(path) == entry.sha256
    except (FileNotFoundError, NotADirectoryError):
        return False


def _copy(source: Path, part: Path, entry: Entry, show: Show) -> str:
    """Copies a local file, hashing it along the way."""
    digest, done = sha256(), 0
    try:
        handle = source.open("rb", buffering=0)
    except OSError as error:
        raise ReleaseError(f"{source}: cannot be read: {error.strerror}; the release there is incomplete") from error
    buffer = memoryview(bytearray(min(CHUNK, entry.bytes + 1)))
    with handle, part.open("wb", buffering=0) as out:
        while count := handle.readinto(buffer):
            digest.update(buffer[:count])
            write_all(out, buffer[:count])
            done += count
            show(done)
    if done != entry.bytes:
        raise MixedUpError(f"has {done} bytes, but {entry.bytes} in the index")
    return digest.hexdigest()


@contextlib.contextmanager
def _part(entry: Entry) -> Iterator[Path]:
    """The file to receive into: one per content, so that a later attempt can resume it; a private one while another
    process is using that. After a disk failure nothing is left behind, after a network failure the part is."""
    folder = cache_folder() / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{entry.sha256}.part"
    handle = _claimed(path)
    if handle is None:
        path = folder / f"{entry.sha256}.{unique()}.part"
    try:
        yield path
    except OSError:
        _discard(path)
        raise
    finally:
        if handle:
            handle.close()
        elif path.exists():
            _discard(path)


def _claimed(path: Path) -> BinaryIO | None:
    """The open file, locked until it is closed; None if another process has it or the system has no locks."""
    if not LOCKS:
        return None
    while True:
        handle = path.open("ab")
        if not claims(handle.fileno()):
            handle.close()
            return None
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle.fileno()), path.stat()):
                return handle
        handle.close()  # meanwhile the other process has moved it into place


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    validator_of(part).unlink(missing_ok=True)


def sweep_parts() -> None:
    """Removes the parts that nobody has come back for within a week."""
    for path in (cache_folder() / "parts").glob("*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE_S:
                path.unlink()
