"""Gets a whole release: every file is checked against its hash, and the folder appears complete or not at all."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from traincompute.base.disk import disk_errors, file_sha256, one_at_a_time, private_folder, unique
from traincompute.base.places import SIGNATURE, SUMS, ReleaseError, cache_folder, is_remote
from traincompute.index import Release
from traincompute.verification import read_sums, verify_folder

PATIENCE_S, SLOWEST = 90, 20_000  # seconds, and bytes per second; a release that comes more slowly is given up
LARGEST_SUMS = 1_000_000
AGAIN = "none of it was kept"

Show = Callable[[int], None]


def install(release: Release, to: str | Path | None = None, show: Show = lambda _: None) -> Path:
    """The folder of the whole release, verified: `to`/v2026.11.0, else where it is on this machine or one in the cache.

    `show` gets the number of bytes so far. Raises ReleaseError, and leaves nothing, where a file cannot be had or is
    not what index and SHA256SUMS say."""
    target = Path(to).expanduser().absolute() / release.folder if to else release.place
    in_cache = target.is_relative_to(cache_folder())
    if not to and not in_cache:
        _check(release, target, "")
        return target
    with disk_errors(target), one_at_a_time(release.sums_sha256[:16]):
        if in_cache:
            private_folder("releases")
            private_folder(f"releases/{target.parent.name}")
            if target.is_symlink():
                target.unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in target.parent.glob(f".{release.folder}.*.tmp"):  # of a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        if target.exists():
            if not verify_folder(target, release).problems:
                return target
            if not in_cache:
                raise ReleaseError(f"{target} is not release {release.version}; move it away, or choose another folder")
            shutil.rmtree(target)
        work = target.with_name(f".{release.folder}.{unique()}.tmp")
        work.mkdir(mode=0o755 if to else 0o700)
        try:
            _bring(release, work, show)
            _check(release, work, f"; {AGAIN}")
            work.rename(target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return target


def _check(release: Release, folder: Path, end: str) -> None:
    if problems := verify_folder(folder, release).problems:
        more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
        raise ReleaseError(f"release {release.version}: {problems[0]}{more}{end}")


def _bring(release: Release, work: Path, show: Show) -> None:
    """Gets SHA256SUMS, the signature and the files that they list, which together may be as large as the index says."""
    ends, left = time.monotonic() + PATIENCE_S + release.bytes / SLOWEST, release.bytes
    get = _fetcher(release, work, ends) if is_remote(release.url) else _copier(release, work)
    for name in (SUMS, SIGNATURE)[: 1 + release.is_signed]:
        left -= get(name, min(left, LARGEST_SUMS))
    if (digest := file_sha256(work / SUMS)) != release.sums_sha256:
        raise ReleaseError(f"{release.url}/{SUMS}: sha256 is {digest}, but {release.sums_sha256} in the index; {AGAIN}")
    for name in read_sums(work):
        left -= get(name, left)
        show(release.bytes - left)


def _fetcher(release: Release, work: Path, ends: float) -> Callable[[str, int], int]:
    from traincompute.web import Limits, Session, check_address, fetch  # requests: only for what is on the network

    check_address(release.url, release.about["index"])
    session = Session()

    def get(name: str, most: int) -> int:
        limits = Limits(deadline=ends - time.monotonic(), max_bytes=most)
        with (work / name).open("xb") as out:
            fetch(f"{release.url.rstrip('/')}/{name}", out, limits, session=session)
            return out.tell()

    return get


def _copier(release: Release, work: Path) -> Callable[[str, int], int]:
    def get(name: str, most: int) -> int:
        source = Path(release.url) / name
        if not source.is_file() or (size := source.stat().st_size) > most:
            raise ReleaseError(f"{source}: is missing, or larger than the index says; {AGAIN}")
        shutil.copyfile(source, work / name)
        return size

    return get
