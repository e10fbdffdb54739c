"""How the command line ends: exit code and one message."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import click
import pytest

from traincompute import __version__, cli
from traincompute.base.errors import InputError
from traincompute.base.places import ReleaseError


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
        (click.UsageError("x\x07"), 2, "Error: x\\x07\n"),
        (InputError("x"), 2, "Error: x\n"),
        (ReleaseError("x", 3), 3, "Error: x\n"),
        (FileNotFoundError("a.parquet"), 1, "Error: a.parquet: no such file\n"),
        (FileNotFoundError(errno.ENOENT, "Gone", "a.csv"), 1, "Error: [Errno 2] Gone: 'a.csv'\n"),
        (ModuleNotFoundError("No module", name="xlsxwriter"), 1, "Error: xlsxwriter is not installed: "),
        (MemoryError(), 1, "Error: there is not enough memory; "),
    ],
)
def test_an_end_has_its_exit_code_and_at_most_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcome: object, exit_code: int, message: str
) -> None:
    assert ended(monkeypatch, outcome) == exit_code
    printed, said = capsys.readouterr()
    assert (printed, said[: len(message)], said.count("\n")) == ("", message, 1 if message else 0)


def test_the_details_of_an_unexpected_error_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert ended(monkeypatch, RuntimeError("a\n" + "b" * 300)) == 1
    said = capsys.readouterr().err
    assert f"({('RuntimeError: a ' + 'b' * 300)[:200]}); the details are in {tmp_path}" in said
    [log] = tmp_path.iterdir()
    assert log.read_text(encoding="utf-8").startswith(f"traincompute {__version__}, Python 3.")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    assert ended(monkeypatch, RuntimeError("a")) == 1
    assert "its details cannot be written" in capsys.readouterr().err


def test_an_error_after_ctrl_c_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "noticed_interrupts", lambda: [True])
    assert ended(monkeypatch, ValueError("x")) == 130
