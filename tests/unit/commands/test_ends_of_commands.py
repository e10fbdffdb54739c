"""How the command line ends: exit code and one message."""

from __future__ import annotations

import errno
from typing import Any

import click
import pytest

from traincompute import cli
from traincompute.base.errors import InputError, ReleaseError


def ended(monkeypatch: pytest.MonkeyPatch, outcome: object) -> int:
    """The exit code where the command returns or raises that."""

    def run(*, standalone_mode: bool) -> Any:
        assert not standalone_mode, "click would end the process itself"
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(cli, "group", run)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.mark.parametrize(
    ("outcome", "exit_code", "message"),
    [
        (None, 0, ""),
        (3, 3, ""),
        (KeyboardInterrupt(), 130, ""),
        (click.ClickException("x"), 1, "Error: x\n"),
        (click.UsageError("x"), 2, "Error: x\n"),
        (InputError("x"), 2, "Error: x\n"),
        (ReleaseError("x", 3), 3, "Error: x\n"),
        (FileNotFoundError(errno.ENOENT, "Gone", "a.csv"), 1, "Error: [Errno 2] Gone: 'a.csv'\n"),
        (ModuleNotFoundError("No module", name="ibis"), 1, "Error: ibis is not installed: "),
        (MemoryError(), 1, "Error: there is not enough memory; "),
    ],
)
def test_an_end_has_its_exit_code_and_at_most_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcome: object, exit_code: int, message: str
) -> None:
    assert ended(monkeypatch, outcome) == exit_code
    printed, said = capsys.readouterr()
    assert (printed, said[: len(message)], said.count("\n")) == ("", message, 1 if message else 0)
