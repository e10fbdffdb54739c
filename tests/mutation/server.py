"""Runs the same tests again and again, each time in a fork, so that most mutants take less than a second.

Two processes wait. One has imported the libraries and collected the tests; in its forks, the functions that the file now has
differently get their new code. It passes on what it cannot run that way, a change of what has run by then (constants, and what
is called while modules are imported and tests collected), to the other, which has imported the libraries alone. Whoever
connects gets one byte, the exit code of pytest, or none where the tests took too long.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from types import CodeType, FunctionType
from typing import Any

import click  # noqa: F401 - imported before the fork
import duckdb  # noqa: F401
import hypothesis  # noqa: F401
import pandas  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pytest
import yaml  # noqa: F401

# hypothesis, which pytest would like to import itself, is imported already
OPTIONS = ["-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
FRESH = "fresh.socket"
SLOW = Path("slow.json")  # names of the tests that took long when nothing was changed
LONG = 0.2  # seconds
FUNCTION = 1  # CO_OPTIMIZED of inspect: a module or the body of a class does not have it


class Slow:
    """The quick tests run before the slow ones: a mutant that one of them notices needs no others."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        began = monotonic()
        try:
            return (yield)
        finally:
            self.seconds[fixturedef.argname] = max(monotonic() - began, self.seconds.get(fixturedef.argname, 0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.seconds[report.nodeid] = report.duration

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        slow = set(json.loads(SLOW.read_bytes())) if SLOW.exists() else set()
        session.items.sort(key=lambda item: item.nodeid in slow)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus or SLOW.exists():
            return
        parts = {item.nodeid: [item.nodeid, *getattr(item, "fixturenames", ())] for item in session.items}
        took = {name: sum(self.seconds.get(part, 0) for part in each) for name, each in parts.items()}
        SLOW.write_text(json.dumps([name for name, seconds in took.items() if seconds > LONG]))


class Collected(Slow):
    """Once the tests are collected, waits for those who ask for a run; only a fork for one of them goes on."""

    def __init__(self, place: str, module: Path) -> None:
        super().__init__()
        self.place, self.module = place, module
        self.code = code_of(module)
        self.ran: set[CodeType] = set()
        self.connection: socket.socket | None = None
        sys.setprofile(self._note)

    def _note(self, frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename == str(self.module):
            self.ran.add(frame.f_code)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        sys.setprofile(None)
        found = (each for each in gc.get_objects() if isinstance(each, FunctionType))
        functions = [each for each in found if each.__code__.co_filename == str(self.module)]
        known, limit = {function.__code__ for function in functions}, 0.0
        for connection in connections(self.place):
            if (changed := self._changed(known)) is None:
                connection.send(asked(FRESH))
                continue
            is_fork, limit = forked(limit)
            if is_fork:
                self.connection = connection.dup()
                for function in functions:
                    function.__code__ = changed.get(function.__code__, function.__code__)
                super().pytest_runtestloop(session)
                return

    def _changed(self, known: set[CodeType]) -> dict[CodeType, CodeType] | None:
        """The new code of each function that the file now has differently; None where exchanging it would not be enough."""
        try:
            found = differences(self.code, code_of(self.module))
        except SyntaxError:
            return None
        changed = None if found is None else dict(found)
        return changed if changed is not None and changed.keys() <= known - self.ran else None


def code_of(module: Path) -> CodeType:
    return compile(module.read_bytes(), str(module), "exec", dont_inherit=True)


def differences(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """The outermost functions whose code differs; None where a module or class does other things than to define them."""
    if own(old) != own(new):
        return None
    found: list[tuple[CodeType, CodeType]] = []
    for one, other in zip(inner(old), inner(new), strict=True):
        if one.co_flags & FUNCTION:
            found += [(one, other)] if one != other else []
        elif (below := differences(one, other)) is None:
            return None
        else:
            found += below
    return found


def inner(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def own(code: CodeType) -> tuple[object, ...]:
    plain = [each for each in code.co_consts if not isinstance(each, CodeType)]
    return code.co_code, code.co_names, repr(plain), [each.co_name for each in inner(code)]


def connections(place: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen()
        while True:
            connection, _ = server.accept()
            with connection:
                yield connection


def asked(place: str) -> bytes:
    """The answer of the process that listens there."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        return connection.recv(1)


def forked(limit: float) -> tuple[bool, float]:
    """Whether this is the fork, and the limit of processor time of the next; the first has none, and must be of what was not
    changed. A limit of time by the clock would be one of how busy the machine is."""
    if not (child := os.fork()):
        signal.setitimer(signal.ITIMER_PROF, limit)
        return True, limit
    _, _, used = os.wait4(child, 0)
    return False, limit or 5 + 3 * (used.ru_utime + used.ru_stime)


def fresh(tests: list[str]) -> None:
    """Waits for those who ask for a run of the tests in a process that has not imported anything of the project."""
    limit = 0.0
    for connection in connections(FRESH):
        is_fork, limit = forked(limit)
        if is_fork:
            connection.send(bytes([pytest.main([*OPTIONS, *tests], plugins=[Slow()])]))
            os._exit(0)


def collected(place: str, module: str, tests: list[str]) -> None:
    """The same in forks of a process that has collected the tests; only they come to the end of this function."""
    plugin = Collected(place, Path(module).resolve())
    code = pytest.main([*OPTIONS, *tests], plugins=[plugin])
    if plugin.connection:
        plugin.connection.send(bytes([code]))


def main(place: str, module: str, *tests: str) -> None:
    sys.path.insert(0, str(Path.cwd()))
    sys.dont_write_bytecode = True
    importlib.import_module("pipeline.validate.pandera_alone")  # alone it imports what takes longest
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    if os.fork():
        fresh(list(tests))
    try:
        collected(place, module, list(tests))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
