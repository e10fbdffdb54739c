"""Runs a function on what may be hostile in a process of its own, with limits of memory and time.

The process may write no file and dumps no core. Its answer is JSON, so that nothing it says can run here. Where the
system has no such limits (Windows), only the time is bounded.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from traincompute.base.places import PACKAGE

# one thread and one memory pool: reserved address space would count as memory
QUIET = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
PATIENCE = 8


class Limits(NamedTuple):
    """What the process may take: seconds of the processor (on a machine that does much else it may take `PATIENCE` times as
    long), and bytes of memory beyond those of the libraries that it imports."""

    seconds: float
    memory: int


class BoundedError(Exception):
    """The function did not answer: it was stopped, or the process died. str() is one line that says why."""


def run_bounded(task: str, data: bytes, limits: Limits) -> Any:
    """What the function `task` ("package.module:function") returns for `data`, as JSON can hold it.

    Raises BoundedError."""
    # -P and an absolute path: never import from the folder that is being judged
    paths = [str(Path(PACKAGE).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-P", "-m", "traincompute.verification", task, *map(str, limits)]
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
