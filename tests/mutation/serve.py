"""Runs tests for whoever connects, each time in a fork of a process that has imported the libraries already, which takes
longer than most tests:

    python tests/mutation/serve.py SOCKET TESTS…    # answers each connection with one byte, 0 where all pass
    python tests/mutation/serve.py SOCKET           # asks, and ends with that exit code

What the tests import of the checkout is imported anew in each fork, so that a change of it counts. Who leaves before the
answer ends the tests.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import sys
from contextlib import suppress

LIBRARIES = [
    "pytest",
    "hypothesis",
    "pandas",
    "pandera.pandas",
    "pyarrow.parquet",
    "duckdb",
    "yaml",
    "click.testing",
    "requests",
    "scipy.stats",
    "sklearn.ensemble",
    "jinja2",
    "altair",
    "vl_convert",
]


def serve(place: str, tests: list[str]) -> None:
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # pytest has all garbage collected at its end, which would take as long as many tests
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        while True:
            with suppress(OSError), listening.accept()[0] as asking:
                asking.sendall(bytes([tested(asking, tests)]))


def tested(asking: socket.socket, tests: list[str]) -> int:
    """0 where all tests of a fork pass, else 1; where nobody waits for it any more it is ended."""
    child = os.fork()
    if not child:
        run(tests)
    ended = os.pidfd_open(child)
    if asking in select.select([asking, ended], [], [])[0]:
        os.killpg(child, signal.SIGKILL)
    os.close(ended)
    return int(os.waitpid(child, 0)[1] != 0)


def run(tests: list[str]) -> None:
    """Ends the process with pytest's exit code."""
    import pytest

    os.setpgid(0, 0)
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silent, stream)
    code = 1
    with suppress(BaseException):
        # nobody reads why an assertion failed: it need not be rewritten, which takes as long as many tests
        words = ["-q", "-x", "-n", "0", "--assert=plain", "-p", "no:cacheprovider"]
        code = int(pytest.main([*words, *tests]))
    os._exit(code)


def ask(place: str) -> int:
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(place)
        return asking.recv(1)[0]


if __name__ == "__main__":
    if len(sys.argv) == 2:
        sys.exit(ask(sys.argv[1]))
    serve(sys.argv[1], sys.argv[2:])
