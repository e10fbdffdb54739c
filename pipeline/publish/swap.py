"""Makes a finished build the published one in a single step, and removes what earlier builds left behind."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

STALE_S = 86_400


def swap_in(work: Path, target: Path) -> None:
    """Makes `work` the current build. The only step that readers notice is the rename of `.current`."""
    current = target / ".current"
    before = current.resolve() if current.is_symlink() else None
    for path in sorted(work.iterdir()):
        _link(target / path.name, Path(".current") / path.name)
    _link(current, Path(".builds") / work.name)
    _remove_stale(before, work)
    for link in target.iterdir():
        if link.is_symlink() and not link.exists():
            link.unlink(missing_ok=True)


def _remove_stale(before: Path | None, work: Path) -> None:
    """Removes the build that was current, and whatever killed builds left behind more than a day ago."""
    for folder in work.parent.iterdir():
        old = folder.stat().st_mtime < work.stat().st_mtime - STALE_S
        if folder != work and (folder.resolve() == before or old):
            shutil.rmtree(folder, ignore_errors=True)


def _link(link: Path, to: Path) -> None:
    """Puts a relative link in place in one step. A folder in its place comes from a copy that followed links."""
    if link.is_symlink() and link.readlink() == to:
        return
    if link.is_dir() and not link.is_symlink():
        shutil.rmtree(link)
    fresh = link.with_name(f".{link.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(to)
    fresh.replace(link)
