"""Folders that are made beside the place that they are for, so that they appear there complete or not at all."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from traincompute.base.disk import random_suffix

IN_USE: set[Path] = set()  # those that this process is making


@contextlib.contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A folder beside the target to make it in. The caller holds the lock of the folder around them (`locked`), so
    whatever else is there of that name is left by a killed process, and is removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in {*target.parent.glob(f".{target.name}.*.tmp")} - IN_USE:
        shutil.rmtree(left, ignore_errors=True)
    work = target.with_name(f".{target.name}.{random_suffix()}.tmp")
    work.mkdir()
    IN_USE.add(work)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        IN_USE.discard(work)
