"""A process beside this one is done when it is asked for, tells why it failed, and ends with the block."""

from __future__ import annotations

import subprocess

import pytest

from pipeline.errors import DataError
from pipeline.present.processes import beside


def test_what_it_printed_is_there_when_it_is_asked_for() -> None:
    with beside("json.tool", "--compact", "package.json") as missing, beside("platform", "terse") as printed:
        assert printed().strip()
        with pytest.raises(DataError, match=r"(?s)^python -m json\.tool: .*package\.json"):
            missing()


def test_it_ends_with_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def start(*arguments: object, **settings: object) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **settings))  # type: ignore[call-overload]
        return started[-1]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(ZeroDivisionError), beside("http.server", "0", "--bind", "127.0.0.1"):
        _ = 1 / 0
    assert [process.returncode for process in started] == [-9]
