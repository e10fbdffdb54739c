"""A line that says that work goes on, for whoever sits at a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

PATIENCE_S = 2.0  # what is done sooner needs no line
Say = Callable[[str], object]


def silent(_: str) -> None:
    """For work that nobody waits for."""


@contextmanager
def waiting(what: str) -> Iterator[Say]:
    """Shows on standard error, where that is a terminal, what is being done and for how many seconds, once it takes
    longer than PATIENCE_S; the line is gone before anything else is printed. What is done must print nothing: it tells
    how far it is by what it is given here."""
    if not sys.stderr.isatty():
        yield silent
        return
    done, told = Event(), [what]
    shower = Thread(target=_show, args=(told, done), daemon=True)
    shower.start()
    try:
        yield lambda step: told.append(f"{what}: {step}")
    finally:
        done.set()
        shower.join()


def _show(told: list[str], done: Event) -> None:
    start, line = time.monotonic(), ""
    left = PATIENCE_S
    while not done.wait(left):
        before, line = line, f"{told[-1]} … {time.monotonic() - start:.0f} s"
        print(f"\r{line.ljust(len(before))}", end="", file=sys.stderr, flush=True)
        left = 1.0
    if line:
        print(f"\r{' ' * len(line)}\r", end="", file=sys.stderr, flush=True)
