"""One writer at a time, whichever processes want to write. A lock is on an open file or folder and ends with the
process; where the system or the file system has none, processes at once are on their own."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks
    LOCKS = False
else:
    LOCKS = True

SILENT_S, PAUSE_S = 1.0, 0.005


def claims(handle: int, wait: bool = False) -> bool | None:
    """Whether this process now holds the lock of an open file or folder, until the handle is closed; None where there
    are no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # some network file systems have none
        return None
    return True


@contextlib.contextmanager
def held(folder: Path, without_locks: bool) -> Iterator[bool]:
    """Locks a folder. Yields False if it is gone or another process holds it, `without_locks` if there are no locks."""
    claimed: bool | None = False
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(FileNotFoundError):
            handle = stack.enter_context(_opened(folder))
            claimed = None if handle is None else claims(handle)
        yield without_locks if claimed is None else claimed


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Waits until no other process holds the folder, and says so where that takes longer than a second. Yields whether
    this process holds it now: False if there are no locks."""
    with _opened(folder) as handle:
        yield handle is not None and _wait(handle, folder)


def _wait(handle: int, folder: Path) -> bool:
    start = time.monotonic()
    while (ours := claims(handle)) is False:
        if time.monotonic() - start > SILENT_S:
            with contextlib.suppress(OSError, ValueError):
                print(f"waiting for another process that writes to {folder}", file=sys.stderr, flush=True)
            return claims(handle, wait=True) is True
        time.sleep(PAUSE_S)
    return ours is True


@contextlib.contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Waits until no other process writes below the folder, and removes the temporary files that killed ones left
    there; where there are no locks another may be writing them, and they stay.

    Whatever is read and then written again is read inside."""
    with locked(folder) as ours:
        if ours:
            _sweep(folder)
        yield


def sweep_litter(folder: Path) -> None:
    """Removes the temporary files that killed processes left below the folder, unless another process writes there."""
    with held(folder, without_locks=False) as ours:
        if ours:
            _sweep(folder)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """The open folder; None where it cannot be locked."""
    if not LOCKS:
        yield None
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def _sweep(folder: Path) -> None:
    for left in folder.rglob(".*.tmp"):
        if not left.is_dir():  # a folder is another's, see `staging`
            left.unlink(missing_ok=True)
