"""Runs a function on a file that may be damaged or hostile in a process of its own, with limits of memory and time.

The process may write no file and dumps no core. Its answer is JSON, so that nothing it says can run here. Where the
system has no such limits (Windows), only the time is bounded.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.base.paths import CHECKOUT

# one thread and one memory pool: reserved address space would count as memory
QUIET = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
PATIENCE = 8


class Limits(NamedTuple):
    """What the process may take: seconds of the processor (on a busy machine `PATIENCE` times as many pass), and bytes
    of memory beyond those of the libraries that it imports."""

    seconds: float
    memory: int


class BoundedError(Exception):
    """The function did not answer: it was stopped, or the process died. str() is one line that says why."""


def run_bounded(task: str, data: bytes, limits: Limits) -> Any:
    """What the function `task` ("package.module:function") returns for `data`, as JSON can hold it. Raises
    BoundedError."""
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-P", "-m", __name__, task, *map(str, limits)]
    stopped = f"stopped after {limits.seconds:.3g} s"
    try:
        done = subprocess.run(command, input=data, env=env, capture_output=True, timeout=PATIENCE * limits.seconds)
    except subprocess.TimeoutExpired as error:
        raise BoundedError(stopped) from error
    if hasattr(signal, "SIGXCPU") and done.returncode == -signal.SIGXCPU:
        raise BoundedError(stopped)
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        raise BoundedError(f"it needs more than {limits.memory / 1e6:.0f} MB of memory, or is damaged") from error
    if "fault" in answer:
        raise BoundedError(answer["fault"])
    return answer["answer"]


def main() -> None:
    """What the process does: it reads the data, takes on its limits, calls the function and prints the answer."""
    module, function = sys.argv[1].split(":")
    task, limits = getattr(importlib.import_module(module), function), Limits(float(sys.argv[2]), int(sys.argv[3]))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries that print do not spoil the answer
    data = sys.stdin.buffer.read()
    _limit(limits)
    try:
        answer = {"answer": task(data)}
    except MemoryError:
        answer = {"fault": f"it needs more than {limits.memory / 1e6:.0f} MB of memory"}
    except Exception as error:
        answer = {"fault": " ".join(f"{type(error).__name__}: {error}".split())[:500]}
    out.write(json.dumps(answer).encode())
    out.flush()
    os._exit(0)  # what a parser left half done may not survive an orderly end


def _limit(limits: Limits) -> None:
    with suppress(ImportError):
        import resource  # Windows has none

        seconds = ceil(limits.seconds + sum(os.times()[:2]))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        with suppress(ValueError, OSError):  # macOS refuses
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + limits.memory,) * 2)


if __name__ == "__main__":
    main()
