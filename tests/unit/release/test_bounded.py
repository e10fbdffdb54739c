"""What the bounded process and ssh-keygen are asked, and what is made of their answers; no process is started here."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.paths import CHECKOUT
from traincompute.verification import signature
from traincompute.verification.bounded import BoundedError, Limits, run_bounded
from traincompute.verification.signature import known_signers, signature_fault

TERABYTE = Limits(2.0, 10**12)
Call = tuple[list[str], dict[str, Any]]
Answer = Callable[..., list[Call]]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Lets processes end one after the other with those codes and outputs; returns what was called."""

    def prepare(*ends: tuple[int, bytes]) -> list[Call]:
        calls: list[Call] = []

        def run(command: list[str], **given: Any) -> subprocess.CompletedProcess[bytes]:
            calls.append((command, given))
            return subprocess.CompletedProcess(command, *ends[len(calls) - 1])

        monkeypatch.setattr(subprocess, "run", run)
        return calls

    return prepare


def test_the_process_gets_the_data_its_limits_and_eight_times_the_time(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    calls = answer((0, b'{"answer": [1]}'))
    assert run_bounded("a.b:c", b"data", TERABYTE) == [1]
    ((command, given),) = calls
    assert command[1:] == ["-P", "-m", "traincompute.verification", "a.b:c", "2.0", "1000000000000"]
    assert given["env"].items() >= {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1"}.items()
    assert given["env"]["PYTHONPATH"] == f"{CHECKOUT}{os.pathsep}elsewhere"
    assert (given["input"], given["timeout"], given["capture_output"]) == (b"data", 16.0, True)


@pytest.mark.parametrize(
    ("code", "output", "message"),
    [
        (-signal.SIGXCPU, b"", "stopped after 2 s"),
        (signal.SIGXCPU, b"", "it needs more than 1000000 MB of memory, or is damaged"),
        (-9, b"", "it needs more than 1000000 MB of memory, or is damaged"),
        (0, b'{"fault": "ValueError: no"}', "ValueError: no"),
    ],
)
def test_a_process_that_gives_no_answer_is_told_in_one_line(
    answer: Answer, code: int, output: bytes, message: str
) -> None:
    answer((code, output))
    with pytest.raises(BoundedError) as refused:
        run_bounded("a.b:c", b"", TERABYTE)
    assert str(refused.value) == message


def test_a_process_that_ended_well_was_not_stopped_where_no_signal_tells_of_it(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, which bounds no processor time."""
    monkeypatch.delattr(signal, "SIGXCPU")
    answer((0, b'{"answer": []}'))
    assert run_bounded("a.b:c", b"", TERABYTE) == []


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    """A SHA256SUMS with a signature beside it."""
    (tmp_path / "SHA256SUMS").write_text("sums")
    (tmp_path / "SHA256SUMS.sig").write_text("signature")
    return tmp_path / "SHA256SUMS"


@pytest.mark.parametrize(
    ("found", "checked", "fault"),
    [
        (0, 0, ""),
        (0, 1, "SHA256SUMS.sig: does not fit SHA256SUMS"),
        (0, -1, "SHA256SUMS.sig: does not fit SHA256SUMS"),
        (1, 0, "SHA256SUMS.sig: nobody in keys has made it"),
        (-1, 0, "SHA256SUMS.sig: nobody in keys has made it"),
    ],
)
def test_ssh_keygen_says_who_made_a_signature_and_whether_it_fits(
    answer: Answer, sums: Path, found: int, checked: int, fault: str
) -> None:
    made = sums.with_name("SHA256SUMS.sig")
    calls = answer((found, b"maker\nanother name of the maker\n"), (checked, b""))
    assert signature_fault(sums, made, Path("keys")) == fault
    options = ["-f", "keys", "-s", str(made)]
    assert calls[0][0] == ["ssh-keygen", "-Y", "find-principals", *options]
    for command, given in calls[1:]:
        assert command == ["ssh-keygen", "-Y", "verify", *options, "-I", "maker", "-n", "traincompute"]
        assert given == {"input": b"sums", "capture_output": True, "timeout": 10}


def test_a_signature_that_nobody_made_is_not_looked_at_further(answer: Answer, sums: Path) -> None:
    calls = answer((0, b""))
    assert "nobody in keys has made it" in signature_fault(sums, sums.with_name("SHA256SUMS.sig"), Path("keys"))
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(), "cannot be checked without ssh-keygen"),
        (subprocess.TimeoutExpired("ssh-keygen", 10), "ssh-keygen did not end within 10 s"),
    ],
)
def test_a_signature_that_cannot_be_checked(
    sums: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def run(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(subprocess, "run", run)
    assert signature_fault(sums, sums.with_name("SHA256SUMS.sig"), Path("keys")) == f"SHA256SUMS.sig: {words}"


def test_a_signature_is_a_plain_file_and_somebody_may_make_it(sums: Path) -> None:
    made, link = sums.with_name("SHA256SUMS.sig"), sums.with_name("link")
    link.symlink_to(made)
    for path in (sums.with_name("none"), link):
        assert signature_fault(sums, path, Path("keys")) == "SHA256SUMS.sig: is missing"
    assert "nobody is known who may sign" in signature_fault(sums, made, None)


def test_who_may_sign_is_whom_the_environment_names_or_else_whom_the_package_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRAINCOMPUTE_SIGNERS", raising=False)
    monkeypatch.setattr(signature, "BUILT_IN", tmp_path / "allowed_signers")
    assert known_signers() is None
    (tmp_path / "allowed_signers").touch()
    assert known_signers() == tmp_path / "allowed_signers"
    monkeypatch.setenv("TRAINCOMPUTE_SIGNERS", "mine")
    assert known_signers() == Path("mine")
