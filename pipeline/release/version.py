"""The names of releases: 2026.11.0 (year.month.number) in the channel release, vintage-2025-05-06 in the channel vintage."""

from __future__ import annotations

import re
from datetime import date

from pipeline.base.errors import DataError

CALVER = re.compile(r"20[0-9]{2}\.([1-9]|1[0-2])\.(0|[1-9][0-9]*)")
VINTAGE = "vintage-"


def check_version(version: str) -> str:
    """The channel of a version. Raises DataError if it is not a version."""
    if CALVER.fullmatch(version):
        return "release"
    try:
        date.fromisoformat(version.removeprefix(VINTAGE))
    except ValueError:
        pass
    else:
        if version.startswith(VINTAGE):
            return "vintage"
    raise DataError.of(
        "release", "is not a version", "use year.month.number without leading zeros, such as 2026.11.0", value=version
    )


def folder_name(version: str) -> str:
    """The folder of a version, beside the index."""
    return version if version.startswith(VINTAGE) else f"v{version}"


def order(version: str) -> tuple[int, ...]:
    """The sort key of versions within one channel."""
    return tuple(int(part) for part in re.findall(r"[0-9]+", version))
