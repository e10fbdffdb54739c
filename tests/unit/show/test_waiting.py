"""The line that says that work goes on: on a terminal, after a while, and gone afterwards."""

from __future__ import annotations

import io
import sys
import time

import pytest

from traincompute.show import waiting


class Screen(io.StringIO):
    """Standard error as a terminal or a file."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def shown(monkeypatch: pytest.MonkeyPatch, terminal: bool, patience: float, fail: bool = False) -> str:
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(waiting, "PATIENCE_S", patience)
    with waiting.waiting("building"):
        time.sleep(0.2)
        if fail:
            raise ValueError
    return screen.getvalue()


def test_a_terminal_is_told_and_the_line_is_gone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, True, 0.02) == "\rbuilding … 0 s\r              \r"


def test_it_is_told_how_far_the_work_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Screen(terminal=True))
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.02)
    with waiting.waiting("measuring") as say:
        say("2 of 5")
        time.sleep(0.2)
    assert screen.getvalue().startswith("\rmeasuring: 2 of 5 … 0 s\r ")


def test_what_is_quick_and_what_nobody_watches_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, True, 9) == ""
    assert shown(monkeypatch, False, 0.02) == ""


def test_an_error_leaves_no_line_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        shown(monkeypatch, True, 0.02, fail=True)
    assert sys.stderr.getvalue().endswith("\r")  # type: ignore[attr-defined]
