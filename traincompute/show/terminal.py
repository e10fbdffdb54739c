"""Standard output and error as they may be: closed, in an encoding that lacks characters, or a terminal with so many
columns, which obeys codes and whose people wait."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

OURS = re.compile(r"(\A\r|\r\Z)")  # what overwrites a line of ours
Say = Callable[[str], object]


def open_streams() -> None:
    """Gives closed streams a place, characters that they lack a stand-in, and a terminal no other codes than ours."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 (until the end)
        with contextlib.suppress(AttributeError, ValueError):  # a test's stand-in
            stream.reconfigure(errors="replace")
        setattr(sys, name, Screen(stream) if stream.isatty() else stream)


class Screen:
    """A terminal that obeys no control characters but line breaks, tabs and what overwrites a line of ours."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        self.stream.write("".join(part if OURS.fullmatch(part) else printable(part) for part in OURS.split(text)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


def printable(text: str) -> str:
    """The text with characters that would control a terminal written as escapes; line breaks and tabs are kept."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else sign.encode("unicode_escape").decode() for sign in text
    )


def hang_up() -> int:
    """Sends what is still to be written nowhere; returns the exit code of a program whose reader has gone."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1  # as click has it


def terminal_width() -> int | None:
    """Columns of the terminal; None where the output goes elsewhere."""
    if not sys.stdout.isatty():
        return None
    import shutil  # with it come all kinds of compression, which a table that is piped starts sooner without

    return shutil.get_terminal_size().columns


def text_width() -> int:
    """Columns for running text: those of the terminal, from 40 to 100, or 100 where the output goes elsewhere."""
    return min(100, max(40, terminal_width() or 100))


def silent(_: str) -> None:
    """For work that nobody waits for."""


@contextlib.contextmanager
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
