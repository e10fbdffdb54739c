"""All commands as one program: help with an example that works, the same options by the same names, JSON that is JSON,
narrow windows, colours, closed pipes, Ctrl-C, and errors of one form."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from checkouts import copy_checkout
from click.testing import CliRunner
from release_folders import write_index, write_release

from pipeline.paths import CHECKOUT, Paths
from traincompute import cli
from traincompute.cli import GROUPED, GROUPS, LISTED, MODULES, group

NAMES = sorted(MODULES)
VERSION = "2026.11.0"
MODEL = "gpt-3-175b-davinci"
# commands with --json and what they are asked on the small dataset; exit code 1 says that something was found
JSON = {
    "audit": [],
    "convert": ["3640 pfs-days"],
    "check-citations": [],
    "duplicates": [],
    "releases": [],
    "revisions": [],
    "sql": ["select * from models limit 3"],
    "status": [],
    "tables": [],
    "verify": [VERSION],
}
# words that a command prints for people at a terminal
SHOWN = {"sql": ["select * from models limit 5"], "tables": ["models"], "explain": [MODEL], "revisions": []}


def command(name: str) -> click.Command:
    found = group.get_command(click.Context(group), name)
    assert found
    return found


def options(name: str) -> Iterator[click.Option]:
    yield from (option for option in command(name).params if isinstance(option, click.Option))


@pytest.fixture(scope="module")
def root(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small checkout, built and released once."""
    paths = copy_checkout(built, tmp_path_factory.mktemp("command_line") / "checkout")
    write_index(paths.root / "index", [write_release(paths.processed, paths.root / "index", VERSION)])
    return paths.root


def environment(root: Path, cache: Path) -> dict[str, str]:
    """The environment of a user of the small checkout."""
    found = {"TRAINCOMPUTE_ROOT": str(root), "TRAINCOMPUTE_INDEX": str(root / "index")}
    return found | {"TRAINCOMPUTE_CACHE": str(cache), "PYTHONPATH": str(CHECKOUT)}


@pytest.fixture
def settings(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """That environment, which this process has too."""
    found = environment(root, tmp_path / "cache")
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_help_ends_with_an_example_that_is_understood(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = command(name).help or ""
    monkeypatch.chdir(tmp_path)
    lines = " ".join(text.partition("Example:")[2].replace("\\\n", " ").split()).split(" && ")
    assert lines[0].startswith(f"traincompute {GROUPED[name]} {name}" if name in GROUPED else f"traincompute {name}")
    for line in lines:
        words = shlex.split(re.split(r"\s>>?\s", line)[0])[1:]
        for word in words:
            if word.endswith(".jsonl"):  # a file that an example reads
                (tmp_path / word).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / word).touch()
        words = words[words[0] in GROUPS :]
        assert command(words[0]).make_context(words[0], words[1:])


def test_every_option_has_help_and_one_meaning_has_one_name() -> None:
    metavars: dict[str, set[str | None]] = {}
    for name in NAMES:
        for option in options(name):
            assert option.help, f"{name} {option.opts[0]}"
            if not option.is_flag:
                metavars.setdefault(option.opts[0], set()).add(option.metavar)
            days = isinstance(option.type, click.DateTime)
            assert not days or option.metavar == "DATE", f"{name} {option.opts[0]}"
    wanted = {"--as-of": "DATE", "--limit": "N", "--version": "V"}
    assert {name: metavars[name] for name in wanted} == {name: {metavar} for name, metavar in wanted.items()}


def test_the_program_lists_every_command_once_and_those_of_a_group_there() -> None:
    shown = CliRunner().invoke(group, ["--help"]).output
    listed = re.findall(r"^  ([a-z][a-z-]+) ", shown, re.MULTILINE)
    assert sorted(listed) == sorted([*LISTED, *GROUPS])
    for name, (_, commands) in GROUPS.items():
        shown = CliRunner().invoke(group, [name, "--help"]).output
        assert re.findall(r"^  ([a-z][a-z-]+) ", shown, re.MULTILINE) == list(commands)


def test_without_a_checkout_the_help_says_where_the_other_commands_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "HAS_CHECKOUT", False)
    assert cli.ELSEWHERE in CliRunner().invoke(group, ["--help"]).output


@pytest.mark.parametrize("name", JSON)
@pytest.mark.usefixtures("settings")
def test_json_is_json(name: str) -> None:
    result = CliRunner().invoke(group, [name, *JSON[name], "--json"])
    assert result.exit_code in (0, 1), result.output
    assert json.loads(result.stdout) is not None
    assert result.exception is None or isinstance(result.exception, SystemExit)


TOLD = {  # on a terminal: settings and words
    **{(name, 40): ({"COLUMNS": "40"}, [name, *words]) for name, words in SHOWN.items()},
    ("sql", 80): ({"COLUMNS": "80"}, ["sql", *SHOWN["sql"]]),
    ("build", 1000): ({}, ["build"]),
}
EACH = """
import json, os, sys
from traincompute.cli import main
for settings, words in json.loads(sys.argv[1]):
    os.environ |= settings
    sys.argv = ["traincompute", *words]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, words
    os.write(1, b"\\f")
"""


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux says so where the program has closed its end
        return b""


def test_what_is_printed_fits_the_window(root: Path, tmp_path: Path) -> None:
    """On a terminal, in one process."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", EACH, json.dumps(list(TOLD.values()))]
    env = os.environ | environment(root, tmp_path / "cache")
    process = subprocess.Popen(words, stdout=theirs, stderr=subprocess.PIPE, env=env)
    os.close(theirs)
    shown = b""
    while part := read(ours):
        shown += part
    os.close(ours)
    _, remarks = process.communicate(timeout=60)
    assert process.returncode == 0, remarks
    for key, text in zip(TOLD, shown.decode().split("\f")[:-1], strict=True):
        assert "\x1b" not in text
        assert [line for line in text.splitlines() if len(line) > int(key[1])] == [], key


@pytest.mark.parametrize("name", ["sql", "build"])
def test_a_pipe_gets_no_color_and_one_that_closes_is_no_error(settings: dict[str, str], name: str) -> None:
    words, env = [sys.executable, "-m", "traincompute", name, *SHOWN.get(name, [])], os.environ | settings
    piped = subprocess.run(words, capture_output=True, check=True, env=env)
    assert b"\x1b" not in piped.stdout + piped.stderr
    closed = subprocess.run(["bash", "-c", f"{shlex.join(words)} | true"], capture_output=True, check=True, env=env)
    assert (closed.stdout, closed.stderr) == (b"", b"")


INTERRUPTED = """
import os, signal, sys
from traincompute.database import duckdb
duckdb.connect = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)
sys.argv = ["traincompute", "sql", "select 1"]
from traincompute.cli import main
main()
"""


def test_ctrl_c_ends_with_130_and_no_traceback(settings: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        env=os.environ | settings,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("explain zzzzqqqq", 1, "Error: no model 'zzzzqqqq'"),
        ("tables modles", 1, "Error: no table modles; did you mean models?"),
        ("sql 1 --data ./x", 2, "Error: ./x is no folder"),
        ("verify 2020.1.0", 2, "Error: "),
        ("thresholds inf", 2, 'Error: flop "inf": not a number'),
        ("thresholds 0", 2, 'Error: flop "0": zero'),
        (f"download {VERSION} --index nowhere", 2, "Error: "),
        ("tabels", 2, "Error: No such command 'tabels'"),
        ("add-fact X parameters 7B --reference ? --locator - --evidence seen", 1, "Error: "),
    ],
)
@pytest.mark.usefixtures("settings")
def test_an_error_is_one_message_of_one_form(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: str, code: int, message: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["traincompute", *words.split()])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    printed = capfd.readouterr()
    assert (ended.value.code, printed.out) == (code, "")
    said = next(line for line in printed.err.splitlines() if line.startswith("Error: "))
    assert said.startswith(message)
    assert "Traceback" not in printed.err
    assert code == 2 or printed.err.startswith(said)


CLICK = {"duckdb", "_duckdb", "pandas", "pathlib", "dataclasses", "difflib"}  # what more than click takes
ENGINE = {"duckdb", "pandas", "numpy", "pyarrow"}  # what more than DuckDB's engine takes


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["--help"], CLICK),
        (["tables"], ENGINE),
        (["sql", "select 1"], ENGINE),
        (["explain", MODEL], ENGINE),
        (["search", "gpt"], ENGINE),
        (["revisions"], ENGINE),
        (["trends"], ENGINE),
    ],
)
def test_what_starts_quickly_loads_nothing_heavy(built: Paths, words: list[str], heavy: set[str]) -> None:
    code = f"""
import sys
sys.argv = ["traincompute", *{words!r}]
from traincompute.cli import main
try:
    main()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""
    env = os.environ | {"TRAINCOMPUTE_DATA": str(built.processed)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    loaded = set(done.stderr.split())
    assert "traincompute.cli" in loaded
    assert not loaded & heavy
