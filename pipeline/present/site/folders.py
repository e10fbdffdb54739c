"""Folders that are written completely or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from traincompute.base.locks import locked
from traincompute.base.staging import staging

AT_FDCWD, RENAME_EXCHANGE = -100, 2  # Linux: fcntl.h, fs.h


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target` to write in. Where the block succeeds it takes the place of `target` in one step, with
    all files of `target` that the block has not written; otherwise nothing is left of it.

    Two writers come one after the other. Raises OSError where the disk does not allow it."""
    target = target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(target.parent), staging(target) as work:
        yield work
        work.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o755)
        _take_over(target, work)
        _put(work, target)


def write_or_link(file: Path, content: bytes, before: Path) -> None:
    """Writes the file; where `before` has this content, it becomes another name of it and keeps its date."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if before.is_file() and before.read_bytes() == content:
        _link(before, file)
    else:
        file.write_bytes(content)


def _take_over(target: Path, work: Path) -> None:
    """Gives the new folder every other file of the old one."""
    for path in sorted(target.rglob("*")):
        new = work / path.relative_to(target)
        if path.is_symlink() and not new.is_symlink():
            new.symlink_to(path.readlink())
        elif path.is_dir():
            new.mkdir(exist_ok=True)
        elif not new.exists():
            _link(path, new)


def _link(path: Path, new: Path) -> None:
    try:
        new.hardlink_to(path)
    except OSError:  # a file system without links
        shutil.copy2(path, new)


def _put(work: Path, target: Path) -> None:
    """Makes `work` the folder `target`; what was there is in its place then. Two steps where the system knows no
    exchange: between them there is no such folder."""
    if not target.exists():
        work.rename(target)
    elif not _exchange(work, target):
        with staging(target) as old:
            target.rename(old / "old")
            work.rename(target)


def _exchange(one: Path, other: Path) -> bool:
    """Whether the two folders have changed places, which Linux does in one step."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    done: int = rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE)
    return done == 0
