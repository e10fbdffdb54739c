"""One writer at a time, whichever processes want to write. The locks are files in the cache (filelock) and end with
their process; where there can be none, processes at once are on their own."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from traincompute.base.disk import private_folder
from traincompute.base.errors import ReleaseError


@contextlib.contextmanager
def one_at_a_time(name: str, work: str = "", wait: bool = True) -> Iterator[bool | None]:
    """Waits until no other process does the work of that name, and says so where that takes longer than a second.

    Yields whether this process has the lock now: False if it is not to wait and another one has it, None where there
    are no locks."""
    from filelock import FileLock, Timeout  # what reads only, starts sooner without it

    with contextlib.ExitStack() as stack:
        has_lock: bool | None = True
        try:
            lock = FileLock(private_folder("locks") / f"{name}.lock")
            try:
                stack.enter_context(lock.acquire(timeout=1 if wait else 0))
            except Timeout:
                has_lock = wait
                if wait:
                    with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
                        print(f"waiting for another process that writes to {work or name}", file=sys.stderr, flush=True)
                    stack.enter_context(lock.acquire())
        except (NotImplementedError, OSError, ReleaseError):  # some file systems have none, and some users no cache
            has_lock = None
        yield has_lock


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Waits until no other process holds the folder. Yields whether this one holds it now: False if there are no
    locks."""
    with one_at_a_time(_name(folder), str(folder)) as ours:
        yield bool(ours)


@contextlib.contextmanager
def held(folder: Path, without_locks: bool) -> Iterator[bool]:
    """Locks a folder that is no other process's. Yields False if it is gone or held, `without_locks` if there are no
    locks."""
    with one_at_a_time(_name(folder), wait=False) as ours:
        yield folder.exists() and (without_locks if ours is None else ours)
    if ours:  # such folders have names that do not come again
        with contextlib.suppress(OSError):
            (private_folder("locks") / f"{_name(folder)}.lock").unlink()


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
    with one_at_a_time(_name(folder), wait=False) as ours:
        if ours:
            _sweep(folder)


def _name(folder: Path) -> str:
    return sha256(os.fsencode(folder.resolve())).hexdigest()[:16]


def _sweep(folder: Path) -> None:
    for left in folder.rglob(".*.tmp"):
        if not left.is_dir():  # a folder is another's, see `staging`
            left.unlink(missing_ok=True)
