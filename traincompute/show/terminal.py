"""Standard output and error as they may be: closed, in an encoding that lacks characters, or a terminal that obeys
codes; and Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

PIPE_CLOSED = 1  # as click has it
STREAMS = 3
OURS = re.compile(r"(\x1b\[[01]m|\A\r|\r\Z)")
IMPORT = "<frozen importlib._bootstrap>"  # what tracebacks call the file of the import system


def open_streams() -> None:
    """Gives standard input, output and error a place where they are closed, and characters that they lack a
    stand-in."""
    while (nowhere := os.open(os.devnull, os.O_RDWR)) < STREAMS:  # else a file of ours would be opened in its place
        os.set_inheritable(nowhere, True)
    os.close(nowhere)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 (as long as the program)
        with contextlib.suppress(AttributeError, ValueError):  # a test's stand-in
            getattr(sys, name).reconfigure(errors="replace")
        if getattr(sys, name).isatty():
            setattr(sys, name, Screen(getattr(sys, name)))


class Screen:
    """A terminal that obeys no control characters but line breaks and tabs, bold and no longer bold, and the return
    before or behind a text that overwrites a line of ours."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        if not isinstance(text, str):  # click asks in this way what kind of stream it is
            raise TypeError("text alone can be written")
        self.stream.write("".join(part if OURS.fullmatch(part) else printable(part) for part in OURS.split(text)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


def noticed_interrupts() -> list[int]:
    """The times that Ctrl-C was pressed from now on. Each raises KeyboardInterrupt; a library may turn it into an
    error. While a module is read it ends the program at once, as before the command line was read: the C++ of a module
    that is interrupted halfway may abort."""
    noticed: list[int] = []

    def notice(number: int, frame: FrameType | None) -> None:
        noticed.append(number)
        if _reads_a_module(frame):
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        raise KeyboardInterrupt

    with contextlib.suppress(ValueError):  # a thread, which gets no signals
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, notice)
    return noticed


def _reads_a_module(frame: FrameType | None) -> bool:
    """Whether an import is among the callers."""
    while frame and frame.f_code.co_filename != IMPORT:
        frame = frame.f_back
    return frame is not None


def hang_up() -> int:
    """Sends what is still to be written nowhere; returns the exit code of a program whose reader has gone."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def printable(text: str) -> str:
    """The text with characters that would control a terminal written as escapes; line breaks and tabs are kept."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\t" else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode()
