"""A line that says that work goes on, for people at a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Say = Callable[[str], object]


def silent(_: str) -> None:
    """For work that nobody waits for."""


@contextmanager
def waiting(what: str) -> Iterator[Say]:
    """Shows on standard error, where that is a terminal, what is being done and how far it is; the line is gone
    afterwards. What is done must print nothing: it says how far it is by what it is given here."""
    shown = 0

    def say(text: str) -> None:
        nonlocal shown
        print(f"\r{text.ljust(shown)}\r", end="", file=sys.stderr, flush=True)
        shown = len(text)

    if not sys.stderr.isatty():
        yield silent
        return
    say(f"{what} …")
    try:
        yield lambda step: say(f"{what}: {step} …")
    finally:
        say("")
