"""Whole releases put in place as folders: complete or not at all, whoever else does the same at the same time."""

from __future__ import annotations

import contextlib
import shutil
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread

from traincompute.base.disk import disk_errors
from traincompute.base.places import MANIFEST, ReleaseError, cache_folder
from traincompute.base.staging import staging
from traincompute.cache.index import Entry, Release
from traincompute.cache.store import Show, intact, obtain, silent, sweep_parts
from traincompute.verification.verify import content_problems

WORKERS = 4
GRACE_S = 0.5


def place(release: Release, target: Path, show: Show = silent) -> Path:
    """Makes `target` the folder of the whole release: complete, or not there; where it is there, altered files are healed.

    Links the cache's files where the folder lies in the cache, copies them elsewhere. Raises ReleaseError."""
    sweep_parts()
    with disk_errors(target), staging(target) as work:
        if target.exists() and any(target.iterdir()):
            return _heal(release, target, work, show)
        made = work / release.folder
        made.mkdir()
        _each(release, show, lambda entry, step: _link(obtain(entry, step), made / entry.name))
        check_contents(release, made)
        try:
            made.replace(target)
        except OSError:
            if not target.exists():
                raise
            return _heal(release, target, work, show)  # another process was quicker
    return target


def check_contents(release: Release, folder: Path) -> None:
    """Raises ReleaseError where the files are those of the index, but not what a release holds."""
    if problems := content_problems(folder):
        more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
        raise ReleaseError(f"release {release.version}: {problems[0]}{more}; it was not put in place")


def _heal(release: Release, target: Path, work: Path, show: Show) -> Path:
    """Puts back what is missing or altered in the folder of a release, each file in one step."""
    if not is_cached(target) and not intact(target / MANIFEST, release.files[MANIFEST]):
        raise ReleaseError(
            f"{target} holds something else than release {release.version}; move it away or choose another folder"
        )

    def put_back(entry: Entry, step: Show) -> None:
        if intact(target / entry.name, entry):
            return step(entry.bytes)
        (work / entry.name).unlink(missing_ok=True)
        _link(obtain(entry, step), work / entry.name)
        (work / entry.name).replace(target / entry.name)
        return None

    _each(release, show, put_back)
    check_contents(release, target)
    return target


def _each(release: Release, show: Show, work: Callable[[Entry, Show], None]) -> None:
    """Does the work on every file, several at once, the largest first; `show` gets the number of bytes of all so far.

    Raises what the first one raises: no other is begun then, and those that are under way come to their end."""
    waiting = deque(sorted(release.files.values(), key=lambda entry: (-entry.bytes, entry.name)))
    done: dict[str, int] = {}
    failures: list[BaseException] = []

    def step(entry: Entry, count: int) -> None:
        done[entry.name] = count
        show(sum(list(done.values())))

    def run() -> None:
        try:
            while not failures and waiting:
                entry = waiting.popleft()
                work(entry, partial(step, entry))
        except IndexError:  # another thread took the last one
            return
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=run, daemon=True) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException as interruption:
        failures.append(interruption)
        for thread in threads:  # one that waits for the net is left behind, the others shall not write any more
            thread.join(GRACE_S)
        raise
    if failures:
        raise failures[0]


def is_cached(folder: Path) -> bool:
    """Whether a folder lies in the cache, where nobody else puts anything."""
    return folder.is_relative_to(cache_folder())


def _link(source: Path, target: Path) -> None:
    """Another name of a file of the cache within it; elsewhere a copy, which its owner may do with what he likes."""
    if is_cached(target):
        with contextlib.suppress(OSError):  # a file system without links
            target.hardlink_to(source)
            return
    shutil.copyfile(source, target)
