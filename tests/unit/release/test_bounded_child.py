"""What happens inside the bounded process, with the system's calls noted instead of made."""

from __future__ import annotations

import io
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from traincompute.verification import __main__ as child

Told = Callable[..., tuple[Any, list[Any]]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    """Runs a task on b"data" in 2.5 s and 10**12 bytes: what it answered, and what it asked of the system."""

    def run(task: Callable[[bytes], Any]) -> tuple[Any, list[Any]]:
        calls: list[Any] = []
        answer = io.BytesIO()
        system = SimpleNamespace(**vars(os))
        system.dup, system.dup2, system._exit = calls.append, lambda *given: calls.append(given), sys.exit
        system.fdopen, system.open = lambda *_: answer, lambda file, _: file
        system.times = lambda: (0.5, 0.25, 8.0, 8.0, 99.0)
        monkeypatch.setitem(sys.modules, "tasks", SimpleNamespace(task=task))  # type: ignore[arg-type]
        monkeypatch.setattr(child, "os", system)
        monkeypatch.setattr(child, "_address_space", lambda: 7)
        monkeypatch.setattr(resource, "setrlimit", lambda *given: calls.append(given))
        monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
        monkeypatch.setattr(sys, "argv", ["", "tasks:task", "2.5", str(10**12)])
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"data")))
        with pytest.raises(SystemExit, match=r"^0$"):
            child.main()
        return json.loads(answer.getvalue()), calls

    return run


def test_the_process_is_silent_writes_no_file_and_has_its_time_and_memory(told: Told) -> None:
    answer, calls = told(len)
    assert (answer, calls[:2]) == ({"answer": 4}, [1, (os.devnull, 1)])
    assert calls[2:] == [
        (resource.RLIMIT_CPU, (4, 5)),  # 2.5 s and what the imports took, 0.75 s; one more until it is killed
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_FSIZE, (0, 0)),
        (resource.RLIMIT_AS, (10**12 + 7, 10**12 + 7)),
    ]


def test_an_error_is_one_line_of_at_most_500_characters_and_no_library_finds_pandas(told: Told) -> None:
    def fail(error: Exception | str) -> None:
        raise error if isinstance(error, Exception) else sys.meta_path[0].find_spec(error, None) or ValueError("a\n b")

    for error, fault in (
        ("json", "ValueError: a b"),
        ("pandas", "ModuleNotFoundError: pandas"),
        (ValueError("a" * 600), f"ValueError: {'a' * 488}"),
        (MemoryError(), "it needs more than 1000000 MB of memory"),
    ):
        assert told(lambda _, error=error: fail(error))[0] == {"fault": fault}


def test_the_addresses_that_a_process_has_are_counted_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096}.get)
    files = {"/proc/self/statm": io.StringIO("1000 200 30 4 5 6\n")}
    monkeypatch.setattr(child, "Path", lambda name: SimpleNamespace(read_text=files[name].read))
    assert child._address_space() == 4_096_000
    monkeypatch.setattr(child, "Path", lambda _: SimpleNamespace(read_text=Path("/none").read_text))
    assert child._address_space() == 2_000_000_000
