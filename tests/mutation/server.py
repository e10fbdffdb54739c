"""Runs the same tests again and again, each time in a fork of a process that has imported the libraries already: a mutant
then takes a second instead of five. Whoever connects to the socket gets one byte, the exit code of pytest, or none where
the tests took too long."""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path

import duckdb  # noqa: F401 - imported before the fork
import hypothesis  # noqa: F401
import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pytest
import yaml  # noqa: F401

# hypothesis, which pytest would like to import itself, is imported already
OPTIONS = ["-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]


def answer(connection: socket.socket, timeout: int, tests: list[str]) -> None:
    """Runs the tests and sends their exit code; never returns."""
    signal.alarm(timeout)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    code = pytest.main([*OPTIONS, *tests])
    connection.send(bytes([code]))
    os._exit(0)


def main(path: str, timeout: str, *tests: str) -> None:
    sys.path.insert(0, str(Path.cwd()))
    sys.dont_write_bytecode = True
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        while True:
            connection, _ = server.accept()
            with connection:
                if not (child := os.fork()):
                    answer(connection, int(timeout), list(tests))
            os.waitpid(child, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
