"""What is printed and written when something fails."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import click
import pytest

from pipeline.paths import CHECKOUT, Paths
from traincompute import cli
from traincompute.base.errors import FileError
from traincompute.show.rows import markdown_lines, whole_file

PYTHON = shlex.quote(sys.executable)
RUN = "from traincompute.cli import main; main()"


def run(shell: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs `traincompute` in a shell; $T is the command."""
    command = f"T() {{ {PYTHON} -c '{RUN}' \"$@\"; }}; {shell}"
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT), **settings}
    return subprocess.run(["bash", "-c", command], env=env, capture_output=True, text=True)


def test_a_reader_that_has_gone_ends_it_quietly() -> None:
    done = run("T --help | (exec 0<&-; sleep 1); echo ${PIPESTATUS[0]}")
    assert (done.stdout.strip(), done.stderr) == ("1", "")


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_end_it_quietly(redirection: str) -> None:
    done = run(f"T --help {redirection}")
    assert (done.returncode, done.stderr) == (0, "")


def failing(error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What is printed where a command raises the error."""

    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(cli, "group", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_an_error_that_nobody_foresaw_is_one_line_and_a_traceback_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = failing(KeyError("rows"), monkeypatch, capsys)
    assert re.fullmatch(r"Error: unexpected error \(KeyError: 'rows'\); please report it .*\n", message)
    monkeypatch.setenv("TRAINCOMPUTE_DEBUG", "1")
    with pytest.raises(KeyError):
        failing(KeyError("rows"), monkeypatch, capsys)


def interrupted(env: dict[str, str], *words: str) -> tuple[int, str, str]:
    """What a command that is interrupted returns and prints; it hears Ctrl-C also where the tests run in the
    background."""
    command = [sys.executable, "-m", "traincompute", *words]
    hears = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    done = subprocess.run(command, env=env, capture_output=True, text=True, preexec_fn=hears)
    return done.returncode, done.stdout, done.stderr


def test_ctrl_c_while_modules_are_read_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{CHECKOUT}"}
    assert interrupted(env, "tables") == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("made", [RuntimeError("Query interrupted"), click.ClickException("stopped")])
def test_ctrl_c_is_ctrl_c_whatever_a_library_makes_of_it(
    made: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def press(**_: object) -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise made from None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a script it is ignored
    monkeypatch.setattr(cli, "group", press)
    try:
        with pytest.raises(SystemExit) as ended:
            cli.main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (ended.value.code, *capsys.readouterr()) == (130, "", "")


@pytest.mark.parametrize("setting", ["unset PYTHONUNBUFFERED", "export PYTHONUNBUFFERED=1"])
def test_a_message_that_cannot_be_printed_is_one_line(setting: str) -> None:
    """The work is done, but its last line finds no room."""
    done = run(f"{setting}; T convert '1e25 FLOP' >/dev/full")
    assert (done.returncode, done.stderr) == (1, "Error: [Errno 28] No space left on device\n")


NAME = '<img src=x onerror="alert(1)"> [x](javascript:1) a|b \\| c'


def test_markup_in_names_is_text_in_markdown() -> None:
    [_, _, line] = markdown_lines([["name"], [NAME]], [False])
    for text in ('&lt;img src=x onerror="alert(1)">', "\\[x](javascript:1)", "a\\|b \\\\\\| c |"):
        assert text in line


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Fixes #1", ["Fixes #", "1"]),
        ("closes acme/models#12", ["closes acme/models#", "12"]),
        ("@octocat", ["@", "octocat"]),
        ("fix https://github.com/acme/models/issues/1", ["fix https", "://github.com/acme/models/issues/1"]),
        ("C# 7B @ https://arxiv.org/abs/2411.15124", ["C# 7B @ https://arxiv.org/abs/2411.15124"]),
    ],
)
def test_a_name_closes_no_issue_and_notifies_nobody(name: str, parts: list[str]) -> None:
    [_, _, line] = markdown_lines([["name"], [name]], [False])
    assert line == f"| {'&#8203;'.join(parts)} |"


@pytest.mark.parametrize("kind", ["of a release", "read-only", "link to a build"])
def test_a_file_that_is_published_is_not_overwritten(tmp_path: Path, kind: str) -> None:
    release = tmp_path / "v2026.11.0"
    release.mkdir()
    (release / "models.parquet").write_bytes(b"published")
    (release / "manifest.json").write_text("{}")
    (tmp_path / "cached.parquet").write_bytes(b"published")
    (tmp_path / "cached.parquet").chmod(0o444)
    (tmp_path / "current.parquet").symlink_to(release / "models.parquet")
    place = {
        "of a release": release / "models.parquet",
        "read-only": tmp_path / "cached.parquet",
        "link to a build": tmp_path / "current.parquet",
    }[kind]
    with pytest.raises(FileError, match="name another file"), whole_file(place) as work:
        work.touch()
    assert place.read_bytes() == b"published"
    assert place.is_symlink() == (kind == "link to a build")


def on_a_terminal(*words: str) -> bytes:
    """What a command writes to a terminal."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "traincompute", *words]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the terminal has been hung up
            while piece := os.read(ours, 65536):
                shown += piece
        process.wait()
    os.close(ours)
    return shown


@pytest.mark.parametrize(
    "words",
    [
        ("sql", "select '\x1b[31m' || name from models"),
        ("sql", "--json", "select '\x9b31m' as a"),
        ("sql", "--csv", "select '\x1b]0;title\x07' as a"),
        ("explain", "gp\x1b[31mt 4"),
        ("sql", "selec '\x1b[31m'"),
    ],
)
def test_no_text_of_a_query_or_name_steers_the_terminal(
    built: Paths, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(built.processed))
    shown = on_a_terminal(*words)
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    shown += on_a_terminal(*words)
    assert shown
    assert b"\x1b[31m" not in shown
    assert not re.search(rb"\x1b\]|\xc2\x9b|\x07", shown)
