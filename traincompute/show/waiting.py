"""A line that says that work goes on, for whoever sits at a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

PATIENCE_S = 2.0  # what is done sooner needs no line


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Shows on standard error, where that is a terminal, what is being done and for how many seconds, once it takes longer
    than PATIENCE_S; the line is gone before anything else is printed. What is done must print nothing."""
    if not sys.stderr.isatty():
        yield
        return
    done = Event()
    shower = Thread(target=_show, args=(what, done), daemon=True)
    shower.start()
    try:
        yield
    finally:
        done.set()
        shower.join()


def _show(what: str, done: Event) -> None:
    start, line = time.monotonic(), ""
    left = PATIENCE_S
    while not done.wait(left):
        line = f"{what} … {time.monotonic() - start:.0f} s"
        print(f"\r{line}", end="", file=sys.stderr, flush=True)
        left = 1.0
    if line:
        print(f"\r{' ' * len(line)}\r", end="", file=sys.stderr, flush=True)
