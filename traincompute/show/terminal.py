"""Standard output and error: closed, in an encoding that lacks characters, or a terminal that obeys control codes."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

Say = Callable[[str], object]


def open_streams() -> None:
    """Gives closed streams a place, a pipe UTF-8, and a terminal a stand-in for characters that it lacks and no control
    characters but line breaks and tabs."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        with contextlib.suppress(AttributeError, ValueError):  # a test's stand-in
            stream.reconfigure(errors="replace", encoding=None if stream.isatty() else "utf-8")
        if stream.isatty():
            stream.write = lambda text, write=stream.write: write(printable(text))
        setattr(sys, name, stream)


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


@contextlib.contextmanager
def waiting(what: str) -> Iterator[Say]:
    """Shows on standard error, where that is a terminal, what is being done and how far it is; the line is gone
    afterwards. What is done must print nothing: it says how far it is by what it is given here."""
    shown = ""

    def show(text: str) -> None:
        nonlocal shown
        if sys.stderr.isatty():
            line = f"\r{text.ljust(len(shown))}\r"  # which `write` would not print as it is
            os.write(sys.stderr.fileno(), line.encode(sys.stderr.encoding, "replace"))
            shown = text

    show(f"{what} …")
    try:
        yield lambda step: show(f"{what}: {step} …")
    finally:
        show("")
