"""The process in which bounded.py runs a function: it takes on its limits, calls the function and prints the answer as JSON.

python -P -m traincompute.verification package.module:function SECONDS BYTES
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path

from traincompute.verification.bounded import Limits


class WithoutPandas:
    """Finds no pandas. pyarrow would read it, in 0.25 s, to ask whether what it is given comes from there."""

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def main() -> None:
    """What the process does: it reads the data, takes on its limits, calls the function and prints the answer."""
    name, function = sys.argv[1].split(":")
    task = getattr(importlib.import_module(name), function)
    sys.meta_path.insert(0, WithoutPandas())
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries that print do not spoil the answer
    data = sys.stdin.buffer.read()
    limits = Limits(float(sys.argv[2]), int(sys.argv[3]))
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
            resource.setrlimit(resource.RLIMIT_AS, (_address_space() + limits.memory,) * 2)


def _address_space() -> int:
    """How many bytes of addresses this process has, two thousand million where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 2_000_000_000


if __name__ == "__main__":
    main()
