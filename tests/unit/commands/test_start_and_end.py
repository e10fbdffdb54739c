"""How the process of the command line begins and ends."""

from __future__ import annotations

import gc
import os
import signal
import threading

import pytest

from traincompute import __main__ as program
from traincompute import cli

CTRL_C = (signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("ignored", "thread", "code", "last"),
    [
        (False, "another", 3, [CTRL_C]),
        (True, "another", 3, []),  # as of what a script runs in the background
        (True, program.THREAD, 3, ["exit 3"]),
        (True, program.THREAD, "an error", ["exit 1"]),
    ],
)
def test_neither_ctrl_c_nor_a_query_that_goes_on_keeps_it_alive(
    monkeypatch: pytest.MonkeyPatch, ignored: bool, thread: str, code: object, last: list[object]
) -> None:
    done: list[object] = []

    def command() -> None:
        raise SystemExit(done.append("command") or code)  # type: ignore[func-returns-value]

    monkeypatch.setattr(gc, "set_threshold", done.append)
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    monkeypatch.setattr(os, "_exit", lambda code: done.append(f"exit {code}"))
    monkeypatch.setattr(signal, "signal", lambda *given: done.append(given))
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_IGN if ignored else signal.default_int_handler)
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.Thread(name=thread)])
    monkeypatch.setattr(cli, "main", command)
    with pytest.raises(SystemExit, match=str(code)):
        program.main()
    assert done == [50_000, *([] if ignored else [CTRL_C]), "freeze", "command", *last]
