"""Gets a whole release: every file is checked against its hash, and the folder appears complete or not at all."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from traincompute.base.disk import disk_errors, file_sha256, private_folder
from traincompute.base.locks import one_at_a_time
from traincompute.base.places import SIGNATURE, SUMS, ReleaseError, cache_folder, is_remote
from traincompute.base.staging import staging
from traincompute.index import Release
from traincompute.verification import read_sums, verify_folder

LONGEST_S = 3600  # for all files of a release


def install(release: Release, to: str | Path | None = None, show: Callable[[int], None] = lambda _: None) -> Path:
    """The folder of the whole release, verified: `to`/v2026.11.0, else where it is on this machine or one in the cache.

    `show` gets the number of bytes so far. Raises ReleaseError, and leaves nothing, where a file cannot be had or is
    not what index and SHA256SUMS say."""
    target = Path(to).expanduser().absolute() / release.folder if to else release.place
    in_cache = target.is_relative_to(cache_folder())
    if not to and not in_cache:
        _check(release, target)
        return target
    with disk_errors(target), one_at_a_time(release.sums_sha256[:16], str(target)):
        for name in ("releases", f"releases/{target.parent.name}") if in_cache else ():
            private_folder(name)
        if in_cache and target.is_symlink():
            target.unlink()
        if target.exists():
            if not verify_folder(target, release).problems:
                return target
            if not in_cache:
                raise ReleaseError(f"{target} is not release {release.version}; move it away, or choose another folder")
            shutil.rmtree(target)
        with staging(target) as work:
            work.chmod(0o755 if to else 0o700)
            _bring(release, work, show)
            _check(release, work)
            work.rename(target)
    return target


def _check(release: Release, folder: Path) -> None:
    if problems := verify_folder(folder, release).problems:
        raise ReleaseError(f"release {release.version}: {problems[0]} ({len(problems)} in all)")


def _bring(release: Release, work: Path, show: Callable[[int], None]) -> None:
    """Gets SHA256SUMS, the signature and the files that they list, which together may be as large as the index says."""
    ends, left = time.monotonic() + LONGEST_S, release.bytes
    for name in (SUMS, SIGNATURE)[: 1 + release.is_signed]:
        left -= _get(release, work / name, left, ends)
    if (digest := file_sha256(work / SUMS)) != release.sums_sha256:
        raise ReleaseError(f"{release.url}/{SUMS}: sha256 is {digest}, but {release.sums_sha256} in the index")
    for name in read_sums(work):
        left -= _get(release, work / name, left, ends)
        show(release.bytes - left)


def _get(release: Release, file: Path, most: int, ends: float) -> int:
    """Downloads or copies a file of the release, and returns its size in bytes."""
    if is_remote(release.url):
        from traincompute.web import Limits, fetch  # requests: only for what is on the network

        with file.open("xb") as out:
            fetch(f"{release.url.rstrip('/')}/{file.name}", out, Limits(ends - time.monotonic(), most))
    else:
        source = Path(release.url) / file.name
        if not source.is_file() or source.stat().st_size > most:
            raise ReleaseError(f"{source}: is missing, or larger than the index says")
        shutil.copyfile(source, file)
    return file.stat().st_size
