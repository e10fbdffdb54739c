"""Standard output and error as they may be: closed, in an encoding that lacks characters, or a terminal that obeys
codes."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable
from typing import Any

OURS = re.compile(r"(\A\r|\r\Z)")  # what overwrites a line of ours


def open_streams() -> None:
    """Gives standard output and error a place where they are closed, characters that they lack a stand-in, and a
    terminal no other codes than ours."""
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


def hang_up() -> int:
    """Sends what is still to be written nowhere; returns the exit code of a program whose reader has gone."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1  # as click has it


def printable(text: str) -> str:
    """The text with characters that would control a terminal written as escapes; line breaks and tabs are kept."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else sign.encode("unicode_escape").decode() for sign in text
    )
