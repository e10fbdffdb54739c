"""Processes beside this one: pools that start fast and give back what memory they no longer need, and single ones."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context

from pipeline.base.columnar import spare_memory
from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT
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


@contextmanager
def beside(module: str, *arguments: str) -> Iterator[Callable[[], bytes]]:
    """Runs `python -m` that module while the block runs, and ends it with the block. What this gives waits until it is
    done, and is what it printed; it raises DataError where it failed."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield partial(_printed, process, f"python -m {module}")
        finally:
            process.kill()


def _printed(process: subprocess.Popen[bytes], command: str) -> bytes:
    printed, said = process.communicate()
    if process.returncode:
        raise DataError.of(command, said.decode(errors="replace").strip(), "")
    return printed


def _prepare() -> None:
    """Freed memory goes back to the system, and garbage, of which there is little, is looked for seldom."""
    spare_memory()
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER)
