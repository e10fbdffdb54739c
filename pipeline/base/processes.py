"""Pools of processes that start fast and give back what memory they no longer need."""

from __future__ import annotations

import gc
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from pipeline.base.columnar import spare_memory
from traincompute.base.errors import FileError

GARBAGE_AFTER = 50_000  # new objects; Python has 700


def process_pool(jobs: int, module: str) -> ProcessPoolExecutor:
    """Processes that run what is in a module, started by copying one that has read it. One thread of linear algebra is
    enough for each: more would wait for each other. Raises FileError where the system gives processes no semaphores."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    context = get_context("forkserver")
    context.set_forkserver_preload([module])
    try:
        return ProcessPoolExecutor(jobs, mp_context=context, initializer=_prepare)
    except OSError as error:
        raise FileError(f"processes get no semaphores ({error.strerror}); let this user write to /dev/shm") from error


def _prepare() -> None:
    """Freed memory goes back to the system, and garbage, of which there is little, is looked for seldom."""
    spare_memory()
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)
