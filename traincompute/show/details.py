"""The details of an error that nobody foresaw, in a file of the temporary folder; those of a week ago are removed."""

from __future__ import annotations

import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path

KEPT_S = 7 * 86_400


def write_details(error: Exception, head: str) -> str:
    """The name of the file. Raises OSError where the disk does not allow one."""
    for old in Path(tempfile.gettempdir()).glob("traincompute-*.log"):
        with suppress(OSError):  # somebody else's
            if old.stat(follow_symlinks=False).st_mtime < time.time() - KEPT_S:
                old.unlink()
    with tempfile.NamedTemporaryFile(
        "w", prefix="traincompute-", suffix=".log", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as log:
        log.write(head)
        traceback.print_exception(error, file=log)
    return log.name
