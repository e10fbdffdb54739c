"""A folder that is written completely or not at all."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from traincompute.base.errors import InputError
from traincompute.base.files import locked, staging

OURS = b"traincompute"  # stands in the index.html of every site
AT_FDCWD, RENAME_EXCHANGE = -100, 2  # Linux: fcntl.h, fs.h


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target` to write in. Where the block succeeds it takes the place of `target` in one step, with
    what others put there, such as CNAME or .git; otherwise nothing is left of it.

    Raises InputError if the index.html there is some other page."""
    target = target.resolve()
    index = target / "index.html"
    if index.exists() and OURS not in index.read_bytes():
        raise InputError(f"{index} belongs to another site; choose an empty folder with --to")
    target.parent.mkdir(parents=True, exist_ok=True)
    with locked(target.parent), staging(target) as work:
        yield work
        work.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o755)
        for path in target.iterdir() if target.exists() else ():
            new = work / path.name
            if not new.exists() and path.is_dir() and not path.is_symlink():
                shutil.copytree(path, new, symlinks=True)
            elif not new.exists():
                shutil.copy2(path, new, follow_symlinks=False)
        if not target.exists():
            work.rename(target)
        elif not _exchange(work, target):
            with staging(target.with_name(f"{target.name}.old")) as old:
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
