"""A process beside this one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from pipeline.errors import DataError
from pipeline.paths import CHECKOUT


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
