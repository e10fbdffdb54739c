"""How the command line ends, whatever a command does: the exit code and the one message."""

from __future__ import annotations

import errno
from typing import Any

import click
import pytest
from click.testing import CliRunner

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
        (click.Abort(), 130, ""),
        (KeyboardInterrupt(), 130, ""),
        (click.ClickException("x"), 1, "Error: x\n"),
        (click.UsageError("x\x07"), 2, "Error: x\\x07\n"),
        (InputError("x"), 2, "Error: x\n"),
        (ReleaseError("x", 3), 3, "Error: x\n"),
        (FileNotFoundError("a.parquet"), 1, "Error: a.parquet: no such file\n"),
        (FileNotFoundError(errno.ENOENT, "Gone", "a.csv"), 1, "Error: [Errno 2] Gone: 'a.csv'\n"),
        (PermissionError("x"), 1, "Error: x\n"),
        (MemoryError(), 1, "Error: there is not enough memory; close other programs, or allow this one more\n"),
    ],
)
def test_an_end_has_its_exit_code_and_at_most_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcome: object, exit_code: int, message: str
) -> None:
    assert ended(monkeypatch, outcome) == exit_code
    assert capsys.readouterr() == ("", message)


@pytest.mark.parametrize("full", [False, True])
def test_what_nobody_foresaw_is_cut_and_its_details_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], full: bool
) -> None:
    written: list[str] = []

    def write(_: Exception, about: str) -> str:
        written.append(about)
        if full:
            raise OSError("no room")
        return "/tmp/log"

    monkeypatch.setattr("traincompute.show.details.write_details", write)
    assert ended(monkeypatch, RuntimeError("a\n" + "b" * 300)) == 1
    what = ("RuntimeError: a " + "b" * 300)[:200]
    kept = "the details are in /tmp/log, please report it with them"
    lost = "its details cannot be written: no room"
    told = f"({what}); {kept}" if not full else f"({what}); {lost}"
    assert capsys.readouterr().err == f"Error: something unforeseen happened {told}\n"
    assert written[0].startswith(f"traincompute {__version__}, Python 3.")


def test_an_error_after_ctrl_c_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "noticed_interrupts", lambda: [True])
    assert ended(monkeypatch, ValueError("x")) == 130


@pytest.mark.parametrize(("name", "builder"), [("sql", False), ("build", True)])
def test_a_command_for_which_there_is_too_little_memory_says_so(
    monkeypatch: pytest.MonkeyPatch, name: str, builder: bool
) -> None:
    monkeypatch.setattr(cli, "too_little", {builder: "more", not builder: ""}.__getitem__)
    refused = CliRunner().invoke(cli.group, [name])
    assert (refused.exit_code, refused.stderr) == (1, f"Error: `{name}` needs more\n")


def test_a_slip_that_is_near_nothing_has_no_advice() -> None:
    assert CliRunner().invoke(cli.group, ["qqqq"]).stderr.endswith("Error: No such command 'qqqq'.\n")
    assert CliRunner().invoke(cli.group, ["sq"]).stderr.endswith("Error: No such command 'sq'. Did you mean 'sql'?\n")


@pytest.mark.parametrize(
    ("lacking", "said"), [(["sql"], "1 more command needs"), (["sql", "audit"], "2 more commands need")]
)
def test_the_help_counts_the_commands_that_cannot_run(
    monkeypatch: pytest.MonkeyPatch, lacking: list[str], said: str
) -> None:
    monkeypatch.setattr(cli, "lacks", lambda name, _: "an extra" if name in lacking else "")
    shown = CliRunner().invoke(cli.group, ["--help"]).output
    assert shown.endswith(f"\n\n{said} a checkout or an extra, and will say which.\n")
    monkeypatch.setattr(cli, "lacks", lambda *_: "")
    assert "more command" not in CliRunner().invoke(cli.group, ["-h"]).output


def test_the_help_of_a_group_has_its_purpose_and_an_example() -> None:
    shown = CliRunner().invoke(cli.group, ["stage", "--help"]).output
    assert "  Run one stage of build.\n\n  Example: traincompute stage normalize --help\n" in shown
