"""The line that says that work goes on: on a terminal, after a while, and gone afterwards."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from traincompute.show import waiting


class Screen(io.StringIO):
    """Standard error as a terminal or a file, which shows what it was told to flush."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal
        self.shown = ""

    def isatty(self) -> bool:
        return self.terminal

    def flush(self) -> None:
        self.shown = self.getvalue()


class Work:
    """Stands for Event and Thread: the line is shown when the work has ended, for as many turns as the work has steps,
    each of which takes three seconds; `waits` are the seconds that the line waited for each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *steps: str) -> None:
        self.left, self.waits, self.seconds, self.told = list(steps), [], 0.0, [""]
        monkeypatch.setattr(waiting, "Event", lambda: SimpleNamespace(wait=self.wait, set=lambda: None))
        monkeypatch.setattr(waiting, "Thread", self.thread)
        monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: 100 + self.seconds))

    def thread(self, target: Callable[..., None], args: tuple[list[str], object], daemon: bool) -> SimpleNamespace:
        assert daemon, "a program that ends does not wait for the line"
        self.told = args[0]
        return SimpleNamespace(start=lambda: None, join=lambda: target(*args))

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        if not self.left:
            return True
        self.told.append(self.left.pop(0))
        self.seconds += 3
        return False


def test_a_terminal_is_told_how_far_the_work_is_and_the_line_is_gone_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Screen(terminal=True))
    work = Work(monkeypatch, "2 of 5 are measured", "done")
    with waiting.waiting("measuring") as say:
        say("1 of 5")
        assert work.told == ["measuring", "measuring: 1 of 5"]
    assert work.waits == [2.0, 1.0, 1.0]
    longer = "2 of 5 are measured … 3 s"
    assert screen.shown == f"\r{longer}\r{'done … 6 s'.ljust(len(longer))}\r          \r"


def test_each_line_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Screen(terminal=True))
    work = Work(monkeypatch)
    shown = []
    work.wait = lambda _: bool(shown.append(screen.shown)) or len(shown) == 2  # type: ignore[method-assign]
    with waiting.waiting("building"):
        pass
    assert shown == ["", "\rbuilding … 0 s"]


def test_what_is_quick_and_what_nobody_watches_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal, steps in ((True, ()), (False, ("building", "building"))):
        monkeypatch.setattr(sys, "stderr", screen := Screen(terminal))
        Work(monkeypatch, *steps)
        with waiting.waiting("building") as say:
            say("a step")
        assert screen.getvalue() == ""


def test_an_error_leaves_no_line_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the threads of the library."""
    monkeypatch.setattr(sys, "stderr", screen := Screen(terminal=True))
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.01)

    def fail() -> None:
        with waiting.waiting("building"):
            time.sleep(0.1)
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        fail()
    assert screen.shown == "\rbuilding … 0 s\r              \r"
