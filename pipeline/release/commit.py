"""Which commit of the checkout a release is made from, and the date that it bears."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.base.build_version import git
from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths

DIRTY = "-dirty"


@dataclass(frozen=True)
class Commit:
    """The commit (null outside git; followed by -dirty if files differ from it) and the date of the release."""

    sha: str | None
    date: str


def read_commit(paths: Paths, allow_dirty: bool) -> Commit:
    """The state of the checkout. Raises DataError if files differ from the commit, unless `allow_dirty`.

    The date is that of SOURCE_DATE_EPOCH, else that of the commit, in UTC; the clock is never read."""
    _check_code(paths)
    sha = git(paths.root, "rev-parse", "--verify", "HEAD")
    changed = git(paths.root, "status", "--porcelain") if sha else ""
    if changed is None:
        reason = f"git cannot tell which files of {paths.root} differ from the commit"
        raise DataError.of("release", reason, "run `git status` there, and mend what it says")
    if not allow_dirty and (sha is None or changed):
        raise _refuse(paths, changed)
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or (sha and git(paths.root, "show", "-s", "--format=%ct", "HEAD")) or ""
    if not epoch.isdigit():
        remedy = "set it to seconds since 1970"
        raise DataError.of("release", "gives no date", remedy, field="SOURCE_DATE_EPOCH", value=epoch)
    day = datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    return Commit(sha + (DIRTY if changed else "") if sha else None, day)


def _check_code(paths: Paths) -> None:
    """The recorded commit must also be the commit of the code."""
    own = paths.root / "pipeline"
    if (own / "__init__.py").is_file() and own.resolve() != (CHECKOUT / "pipeline").resolve():
        reason = f"the running code is from {CHECKOUT}, but the data is from {paths.root}"
        remedy = f"run the command that is installed from {paths.root}"
        raise DataError.of("release", reason, remedy)


def _refuse(paths: Paths, changed: str) -> DataError:
    names = [line[3:] for line in changed.splitlines()]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    reason = f"{', '.join(names[:3])}{more} differ from the commit" if names else f"{paths.root} is not a git checkout"
    return DataError.of("release", reason, "commit first, or use --allow-dirty for a trial")
