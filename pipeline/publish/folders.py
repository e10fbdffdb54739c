"""Makes a finished build the published one in a single step, and removes what earlier builds left behind.

A build that was replaced stays for a minute more, because a reader may have looked up where its files are and not
opened them yet; the next build removes it then."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from traincompute.base.locks import held, locked

CURRENT, BUILDS = ".current", ".builds"
GRACE_S = 60.0
STALE_S = 86_400  # where folders cannot be locked: what is older was left by a build that was killed


@contextmanager
def new_build(target: Path) -> Iterator[Path]:
    """A new folder to build in. It becomes the current build below `target` where the block succeeds, and is removed
    where it fails. The only step that readers notice is the rename of `.current`."""
    builds = target / BUILDS
    builds.mkdir(parents=True, exist_ok=True)
    sweep_builds(target)
    with locked(builds):
        work = Path(tempfile.mkdtemp(prefix="build-", dir=builds))
        work.chmod(0o755)
    with held(work, without_locks=True):
        try:
            yield work
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        with locked(builds):
            current = target / CURRENT
            for path in sorted(work.iterdir()):
                _link(target / path.name, Path(CURRENT) / path.name)
            if current.exists():
                os.utime(current)  # from now on it is kept for a minute
            _link(current, Path(BUILDS) / work.name)
            for link in target.iterdir():
                if link.is_symlink() and not link.exists():
                    link.unlink(missing_ok=True)


def sweep_builds(target: Path) -> None:
    """Removes what killed builds left and what was replaced long ago: all but the current build, those that a reader
    may still open, and those that are being made."""
    if not (target / BUILDS).is_dir():
        return
    with locked(target / BUILDS):
        for folder in (target / BUILDS).iterdir():
            age = time.time() - folder.stat().st_mtime
            if folder.resolve() != (target / CURRENT).resolve() and age >= GRACE_S:
                with held(folder, without_locks=age >= STALE_S) as is_left:
                    if is_left:
                        shutil.rmtree(folder, ignore_errors=True)


def _link(link: Path, to: Path) -> None:
    """Puts a relative link in place in one step. A folder in its place comes from a copy that followed links."""
    if link.is_symlink() and link.readlink() == to:
        return
    if link.is_dir() and not link.is_symlink():
        shutil.rmtree(link)
    fresh = link.with_name(f".{link.name.lstrip('.')}.tmp")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(to)
    fresh.replace(link)
