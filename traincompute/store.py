"""The files of releases on this machine: each verified, kept once under its sha256, placed in one step.

    content/<sha256>/<name>           a file that had this hash when it came; checked again whenever it is used
    parts/<sha256>.part               one that is on its way; the next attempt goes on with it
    releases/<manifest>/v2026.11.0/   a whole release, links to the contents; appears complete or not at all
    indexes/                          what was seen of each index

Nothing is synced to the disk: every use checks the hash, so that what a power cut took is noticed and fetched again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from traincompute.index import MANIFEST, Entry, Release
from traincompute.parts import MixedUpError, restart, validator_of, write_all
from traincompute.places import ReleaseError, cache_folder, is_remote

CHUNK = 1 << 20
STALE_S = 7 * 86_400

Show = Callable[[int], None]


def silent(_: int) -> None:
    """Progress for nobody."""


def obtain(entry: Entry, show: Show = silent) -> Path:
    """The file in the cache, fetched where it is missing or was altered. Raises ReleaseError; `show` gets bytes so far."""
    path = cache_folder() / "content" / entry.sha256 / entry.name
    if intact(path, entry):
        show(entry.bytes)
        return path
    with disk_errors(path), _part(entry) as part:
        if intact(path, entry):  # another process was quicker
            return path
        _fill(entry, part, show)
        path.parent.mkdir(parents=True, exist_ok=True)
        validator_of(part).unlink(missing_ok=True)
        part.replace(path)
        path.chmod(0o444)  # links of it lie about: an edit of one would be one of all
    return path


def _fill(entry: Entry, part: Path, show: Show) -> None:
    """Brings the bytes into the part. Raises ReleaseError where they are not what the index says; none is kept then."""
    try:
        digest = _bring(entry, part, show)
        if digest != entry.sha256 and is_remote(entry.source):  # the fault may lie in what an earlier attempt left
            restart(part)
            digest = _bring(entry, part, show)
    except MixedUpError as error:
        _discard(part)
        raise ReleaseError(f"{entry.source}: {error}; it was cut, or is of another release") from error
    if digest != entry.sha256:
        _discard(part)
        raise ReleaseError(
            f"{entry.source}: sha256 is {digest}, but {entry.sha256} in the index; nothing was kept of it"
        )


def _bring(entry: Entry, part: Path, show: Show) -> str:
    """Receives or copies the file and returns its sha256."""
    if is_remote(entry.source):
        from traincompute.transport import receive

        receive(entry.source, part, entry.bytes, show)
        return file_sha256(part)
    return _copy(Path(entry.source), part, entry, show)


def intact(path: Path, entry: Entry) -> bool:
    """Whether the file is there with the length and sha256 of the entry."""
    try:
        return path.stat().st_size == entry.bytes and file_sha256(path) == entry.sha256
    except (FileNotFoundError, NotADirectoryError):
        return False


def file_sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    import hashlib

    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def place(release: Release, target: Path, show: Show = silent) -> Path:
    """Makes `target` the folder of the whole release: complete, or not there; where it is there, altered files are healed.

    Links the cache's files where the folder lies in the cache, copies them elsewhere. Raises ReleaseError."""
    with disk_errors(target), _staging(target) as work:
        if target.exists() and any(target.iterdir()):
            return _heal(release, target, work, show)
        for entry, step in _with_steps(release, show):
            _link(obtain(entry, step), work / entry.name)
        try:
            work.replace(target)
        except OSError:
            if not target.exists():
                raise
            return _heal(release, target, work, show)  # another process was quicker
    return target


def _heal(release: Release, target: Path, work: Path, show: Show) -> Path:
    """Puts back what is missing or altered in the folder of a release, each file in one step."""
    if not is_cached(target) and not intact(target / MANIFEST, release.files[MANIFEST]):
        raise ReleaseError(
            f"{target} holds something else than release {release.version}; move it away or choose another folder"
        )
    for entry, step in _with_steps(release, show):
        if intact(target / entry.name, entry):
            step(entry.bytes)
            continue
        (work / entry.name).unlink(missing_ok=True)
        _link(obtain(entry, step), work / entry.name)
        (work / entry.name).replace(target / entry.name)
    return target


@contextlib.contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """A folder beside the target to make it in. What killed processes left of theirs is removed first."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{target.name}.*.tmp"):
        with _held(left) as dead:
            if dead:
                shutil.rmtree(left, ignore_errors=True)
    work = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    work.mkdir()
    try:
        with _held(work):
            yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Locks a folder; false where another process holds it, or, without such locks, where it is younger than a week."""
    try:
        import fcntl  # noqa: F401

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield folder.exists() and time.time() - folder.stat().st_mtime > STALE_S
        return
    try:
        yield _locks(handle)
    finally:
        os.close(handle)


def _locks(handle: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_cached(folder: Path) -> bool:
    """Whether a folder lies in the cache, where nobody else puts anything."""
    return folder.is_relative_to(cache_folder())


def cached_folder(release: Release) -> Path:
    """Where the whole release lies in the cache once it was downloaded."""
    return cache_folder() / "releases" / release.manifest_sha256[:16] / release.folder


def _with_steps(release: Release, show: Show) -> Iterator[tuple[Entry, Show]]:
    """The files, the manifest first (a mix of releases shows before the bulk), with what shows the progress of each."""
    done = 0
    for entry in sorted(release.files.values(), key=lambda entry: (entry.name != MANIFEST, entry.name)):
        before = done
        yield entry, lambda count, before=before: show(before + count)  # type: ignore[misc]
        done += entry.bytes


def _link(source: Path, target: Path) -> None:
    """Another name of a file of the cache within it; elsewhere a copy, which its owner may do with what he likes."""
    if is_cached(target):
        with contextlib.suppress(OSError):  # a file system without links
            target.hardlink_to(source)
            return
    shutil.copyfile(source, target)


def _copy(source: Path, part: Path, entry: Entry, show: Show) -> str:
    """Copies a local file and hashes it on the way."""
    digest, done = sha256(), 0
    try:
        handle = source.open("rb", buffering=0)
    except OSError as error:
        raise ReleaseError(f"{source}: cannot be read: {error.strerror}; the release is not complete there") from error
    buffer = memoryview(bytearray(CHUNK))
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
    """The file to receive into: one per content, so that a later attempt goes on with it; one of its own while another
    process uses that. A disk that fails leaves nothing behind, a network that fails leaves the part."""
    folder = cache_folder() / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder, "*")
    path = folder / f"{entry.sha256}.part"
    handle = _claimed(path)
    if handle is None:
        path = folder / f"{entry.sha256}.{uuid.uuid4().hex}.part"
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
    """The open file, locked until it is closed; None where another process has it or there are no such locks."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return None
    while True:
        handle = path.open("ab")
        if not _locks(handle.fileno()):
            handle.close()
            return None
        if path.exists() and os.path.samestat(os.fstat(handle.fileno()), path.stat()):
            return handle
        handle.close()  # the other process has put it in its place meanwhile


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    validator_of(part).unlink(missing_ok=True)


def _sweep(folder: Path, pattern: str) -> None:
    """Removes what a killed process left a week ago."""
    for path in folder.glob(pattern):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > STALE_S:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Waits until no other process is within, where the system has such locks."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as handle:
            with contextlib.suppress(ImportError):
                import fcntl

                fcntl.flock(handle, fcntl.LOCK_EX)
            yield


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all."""
    fresh = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
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
