"""Folders that are made beside the place that they are for, so that they appear there complete or not at all."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from traincompute.base.disk import unique
from traincompute.base.locks import held


@contextlib.contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A folder beside the target to make it in. What killed processes left of theirs is removed first."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{target.name}.*.tmp"):
        with held(left, without_locks=False) as dead:
            if dead:
                shutil.rmtree(left, ignore_errors=True)
    while True:
        work = target.with_name(f".{target.name}.{unique()}.tmp")
        work.mkdir()
        with held(work, without_locks=True) as ours:
            if not ours or not work.exists():  # taken for dead in the moment before it was locked
                continue
            try:
                yield work
            finally:
                shutil.rmtree(work, ignore_errors=True)
            return
