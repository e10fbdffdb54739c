"""Makes a finished build the published one in a single step, and removes what earlier builds left behind.

A build that was replaced stays for a minute more, because a reader may have looked up where its files are and not
opened them yet; the next build removes it then."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

from traincompute.base.locks import held, locked

CURRENT, BUILDS, REPLACED = ".current", ".builds", ".replaced"
GRACE_S = 60.0
STALE_S = 86_400  # where folders cannot be locked: what is older was left by a build that was killed


@contextmanager
def work_folder(target: Path) -> Iterator[Path]:
    """A new folder to build in, locked for as long as it is being built in, and removed where that fails. What killed
    builds left is removed beside it by a thread: deleting a build takes a tenth of a second."""
    builds = target / BUILDS
    builds.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        with locked(builds):
            work = Path(tempfile.mkdtemp(prefix="build-", dir=builds))
            work.chmod(0o755)
            stack.enter_context(held(work, without_locks=True))
        sweeping = Thread(target=sweep_builds, args=(target,))
        sweeping.start()
        stack.callback(sweeping.join)
        try:
            yield work
        except BaseException:
            if (target / CURRENT).resolve() != work.resolve() and not (work / REPLACED).exists():
                shutil.rmtree(work, ignore_errors=True)
            raise


def sweep_builds(target: Path) -> None:
    """Removes what killed builds left."""
    if (target / BUILDS).is_dir():
        with locked(target / BUILDS):
            _remove_left(target)


def swap_in(work: Path, target: Path) -> None:
    """Makes `work` the current build. The only step that readers notice is the rename of `.current`."""
    with locked(target / BUILDS):
        current = target / CURRENT
        before = current.resolve() if current.is_symlink() else work
        for path in sorted(work.iterdir()):
            _link(target / path.name, Path(CURRENT) / path.name)
        if before.is_dir() and before != work.resolve():
            (before / REPLACED).touch()
        _link(current, Path(BUILDS) / work.name)
        _remove_left(target)
        for link in target.iterdir():
            if link.is_symlink() and not link.exists():
                link.unlink(missing_ok=True)


def _remove_left(target: Path) -> None:
    """Removes what killed builds left and what was replaced long ago: all but the current build, those that a reader
    may still open, and those that are being made."""
    current = (target / CURRENT).resolve()
    for folder in (target / BUILDS).iterdir():
        if folder.resolve() != current and not _is_recent(folder / REPLACED, GRACE_S):
            with held(folder, without_locks=not _is_recent(folder, STALE_S)) as is_left:
                if is_left:
                    shutil.rmtree(folder, ignore_errors=True)


def _is_recent(path: Path, seconds: float) -> bool:
    return path.exists() and path.stat().st_mtime > time.time() - seconds


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
