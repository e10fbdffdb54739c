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
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from checkouts import copy_checkout
from click.testing import CliRunner
from release_folders import write_index, write_release

from pipeline.base.paths import CHECKOUT, Paths
from traincompute import cli, needs
from traincompute.cli import COMMANDS, GROUPED, GROUPS, HELPERS, LISTED, MODULES, LazyGroup, group

NAMES = sorted(MODULES)
VERSION = "2026.11.0"
MODEL = "gpt-3-175b-davinci"
LISTING = CHECKOUT / "tests" / "golden" / "hub" / "listing.jsonl"
# what each command with --json is asked on the small dataset; exit code 1 says that something was found. None: the
# command needs more: models and the Top500 (test_trends_command.py), a commit (test_releases.py), a folder
# (test_site_files.py)
JSON = {
    "audit": [],
    "calibrate": None,
    "convert": ["3640 pfs-days"],
    "diff": [VERSION],
    "candidates": [str(LISTING)],
    "download": [VERSION],
    "evidence": [],
    "explain": [MODEL],
    "frontier": [],
    "propose": [],
    "rebuild": None,
    "releases": [],
    "revisions": [],
    "search": ["gpt"],
    "site": None,
    "sql": ["select * from models limit 3"],
    "status": [],
    "tables": [],
    "thresholds": ["1e23"],
    "trends": None,
    "verify": [VERSION],
}
# of these the files of the commands ask for JSON too, and look at what it says
ASKED_ELSEWHERE = {"diff", "explain", "frontier", "propose", "search", "thresholds"}
# words that a command prints for people at a terminal
SHOWN = {"sql": ["select * from models limit 5"], "tables": ["models"], "explain": [MODEL], "revisions": []}
# what reads and prints, and what writes; the others that print do so by the same functions
PIPED = ["sql", "build"]


TABLES = [*COMMANDS.values(), HELPERS, *(commands for _, commands in GROUPS.values())]


def called(name: str) -> str:
    """The command as it is listed, behind its group."""
    return f"{GROUPED[name]} {name}" if name in GROUPED else name


def command(name: str) -> click.Command:
    found = group.get_command(click.Context(group), name)
    assert found
    return found


def options(name: str) -> Iterator[click.Option]:
    yield from (option for option in command(name).params if isinstance(option, click.Option))


def with_json() -> list[str]:
    return [name for name in NAMES if any("--json" in option.opts for option in options(name))]


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


def examples(name: str) -> list[str]:
    """The command lines of the example in the help."""
    text = " ".join((command(name).help or "").partition("Example:")[2].replace("\\\n", " ").split())
    return [line.strip() for line in text.split("&&") if line.strip()]


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_a_command_begins_with_what_it_does_and_ends_with_an_example(name: str) -> None:
    text = (command(name).help or "").strip()
    first = text.split("\n\n", maxsplit=1)[0]
    assert re.match(r"[A-Z][a-z]+ ", first), "a verb"
    assert not re.match(r"[A-Z][a-z]+(s|ing) ", first), "in the imperative"
    assert first.rstrip().endswith((".", ")")) or first.count(".") >= 1
    assert examples(name)
    assert examples(name)[0].startswith(f"traincompute {called(name)}")


@pytest.mark.parametrize("name", NAMES)
def test_the_example_is_a_command_line_that_is_understood(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in examples(name):
        words = shlex.split(re.split(r"\s>>?\s", line)[0])[1:]
        for word in words:
            if word.endswith(".jsonl"):  # a file that an example reads
                (tmp_path / word).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / word).touch()
        words = words[words[0] in GROUPS :]
        assert command(words[0]).make_context(words[0], words[1:])


@pytest.mark.parametrize(
    "line", [line for lines in TABLES for _, line in lines.values()] + [line for line, _ in GROUPS.values()]
)
def test_the_list_of_commands_speaks_in_imperatives(line: str) -> None:
    assert re.match(r"[A-Z][a-z]+ ", line)
    assert not re.match(r"[A-Z][a-z]*(?:[^s]s|ing) ", line)
    assert line.endswith(".")
    assert len(line) <= 66, "one line in a window of 80 columns"


def test_every_option_has_help_and_one_meaning_has_one_name() -> None:
    metavars: dict[str, set[str | None]] = {}
    for name in NAMES:
        for option in options(name):
            assert option.help, f"{name} {option.opts[0]}"
            if not option.is_flag:
                metavars.setdefault(option.opts[0], set()).add(option.metavar)
            days = isinstance(option.type, click.DateTime)
            assert not days or option.metavar == "DATE", f"{name} {option.opts[0]}"
        given = {text for option in options(name) for text in option.opts}
        assert not given & {"--format", "--output-format", "--out", "--database", "--db", "--as_of", "--release"}
    wanted = {"--as-of": "DATE", "--limit": "N", "--data": "PATH", "--version": "V"}
    assert {name: metavars[name] for name in wanted} == {name: {metavar} for name, metavar in wanted.items()}


def test_the_program_lists_every_command_once_by_what_a_person_wants() -> None:
    shown = CliRunner().invoke(group, ["--help"]).output
    titles = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles[1:] == [*(f"{title}:" for title in COMMANDS), "More:"]
    for name in [*LISTED, *GROUPS]:
        assert len(re.findall(rf"^  {name} ", shown, re.MULTILINE)) == 1
    for name in GROUPED:
        assert not re.findall(rf"^  {name} ", shown, re.MULTILINE), "it is listed in its group"


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_lists_its_commands_and_gives_an_example(name: str) -> None:
    shown = CliRunner().invoke(group, [name, "--help"]).output
    assert f"Example: traincompute {name} " in shown
    for inside in GROUPS[name][1]:
        assert len(re.findall(rf"^  {inside} ", shown, re.MULTILINE)) == 1


@pytest.mark.parametrize("name", GROUPED)
def test_a_command_of_a_group_answers_to_its_old_name_too(name: str) -> None:
    """Scripts that call it so go on."""
    inside, outside = (CliRunner().invoke(group, [*words, name, "--help"]) for words in ([GROUPED[name]], []))
    assert inside.exit_code == outside.exit_code == 0
    assert inside.output.splitlines()[1:] == outside.output.splitlines()[1:]


def test_a_slip_is_answered_with_the_place_of_the_command() -> None:
    assert "Did you mean 'stage normalize'?" in CliRunner().invoke(group, ["normalise"]).stderr
    assert "Did you mean 'stage'?" in CliRunner().invoke(group, ["stages"]).stderr
    assert "Did you mean 'normalize'?" in CliRunner().invoke(group, ["stage", "normalise"]).stderr


def test_what_cannot_run_is_not_listed_and_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "is_installed", lambda extra: extra != "analysis")
    shown = CliRunner().invoke(group, ["--help"]).output
    assert re.search(r"^  site ", shown, re.MULTILINE)
    assert not re.search(r"^  figures ", shown, re.MULTILINE)
    assert "1 more command" in shown
    refused = CliRunner().invoke(group, ["figures"])
    assert refused.exit_code == 1
    assert refused.stderr == "Error: `figures` needs the extra analysis: pip install -e '.[analysis]'\n"
    monkeypatch.setattr(needs, "is_installed", lambda _: False)
    refused = CliRunner().invoke(group, ["figures"])
    assert refused.stderr == "Error: `figures` needs the extra build and analysis: pip install -e '.[build,analysis]'\n"
    monkeypatch.setattr(needs, "has_checkout", lambda: False)
    listed = group.list_commands(click.Context(group))
    assert LISTED.keys() - set(listed) == {
        name for name, (module, _) in LISTED.items() if module.startswith("pipeline.")
    }
    assert not GROUPS.keys() & set(listed)


def test_a_module_that_is_missing_halfway_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise ModuleNotFoundError("No module named 'xlsxwriter'", name="xlsxwriter")

    monkeypatch.setattr(cli, "group", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "Error: xlsxwriter is not installed: pip install -e '.[excel]'\n"


def test_every_extra_is_one_of_the_package() -> None:
    declared = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(declared) - {"dev"} == set(needs.EXTRAS)
    assert set(needs.NEEDS.values()) <= set(needs.EXTRAS)


def test_every_command_with_json_is_tried() -> None:
    assert with_json() == sorted(JSON)


@pytest.mark.parametrize(
    "name",
    [name for name, words in JSON.items() if words is not None and name not in ASKED_ELSEWHERE],
)
def test_json_is_json(settings: dict[str, str], name: str, tmp_path: Path) -> None:
    words = [*(JSON[name] or []), *(["--to", str(tmp_path / "to")] if name == "download" else [])]
    result = CliRunner().invoke(group, [name, *words, "--json"])
    assert result.exit_code in (0, 1), result.output
    assert json.loads(result.stdout) is not None
    assert result.exception is None or isinstance(result.exception, SystemExit)


def hears_ctrl_c() -> None:
    """Even where the tests run in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


TOLD = {  # on a terminal: settings and words
    **{(name, 40): ({"COLUMNS": "40", "NO_COLOR": "1"}, [name, *words]) for name, words in SHOWN.items()},
    ("sql", 80): ({"COLUMNS": "80", "NO_COLOR": "1"}, ["sql", *SHOWN["sql"]]),
    "without colour": ({"NO_COLOR": "1"}, ["build"]),
    "with colour": ({"TERM": "xterm", "NO_COLOR": ""}, ["explain", MODEL]),
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


@pytest.fixture(scope="module")
def terminal(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[object, str]:
    """What the program prints of TOLD on a terminal, in one process; its remarks on standard error are not part of
    it."""
    ours, theirs = pty.openpty()
    env = os.environ | environment(root, tmp_path_factory.mktemp("cache"))
    words = [sys.executable, "-c", EACH, json.dumps(list(TOLD.values()))]
    process = subprocess.Popen(words, stdout=theirs, stderr=subprocess.PIPE, env=env)
    os.close(theirs)
    shown = b""
    while part := read(ours):
        shown += part
    os.close(ours)
    _, remarks = process.communicate(timeout=60)
    assert process.returncode == 0, remarks
    return dict(zip(TOLD, shown.decode().split("\f")[:-1], strict=True))


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux says so where the program has closed its end
        return b""


@pytest.mark.parametrize(("name", "columns"), [*((name, 40) for name in SHOWN), ("sql", 80)])
def test_what_is_printed_fits_the_window_and_heeds_no_color(
    terminal: dict[object, str], name: str, columns: int
) -> None:
    shown = terminal[name, columns]
    lines = shown.splitlines()
    assert len(lines) >= 2
    assert "\x1b" not in shown
    assert [line for line in lines if len(line) > columns] == []


@pytest.mark.parametrize("name", PIPED)
def test_a_pipe_gets_no_color_and_hears_nothing_of_what_is_cleared_away_at_the_end(
    settings: dict[str, str], name: str
) -> None:
    command = [sys.executable, "-m", "traincompute", name, *SHOWN.get(name, [])]
    piped = subprocess.run(command, capture_output=True, check=True, env=os.environ | settings)
    assert b"\x1b" not in piped.stdout + piped.stderr
    assert name == "build" or len(piped.stderr.splitlines()) <= 1, "the remark that cells were shortened"


def test_no_color_is_heeded_by_a_build(terminal: dict[object, str]) -> None:
    assert "\x1b" not in terminal["without colour"]


def test_a_terminal_gets_bold_titles(terminal: dict[object, str]) -> None:
    assert "\x1b[1m" in terminal["with colour"]


@pytest.mark.parametrize("name", PIPED)
def test_a_pipe_that_closes_is_no_error_that_people_see(settings: dict[str, str], name: str) -> None:
    words = shlex.join([sys.executable, "-m", "traincompute.cli", name, *SHOWN.get(name, [])])
    done = subprocess.run(
        ["bash", "-c", f"{words} | true"], capture_output=True, text=True, env=os.environ | settings, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


INTERRUPTED = """
import importlib, os, signal, sys
module, name = sys.argv[1].split(":")
def interrupt(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
setattr(importlib.import_module(module), name, interrupt)
sys.argv[:2] = ["traincompute"]
from traincompute.cli import main
main()
"""
WHERE = {"sql": "duckdb:connect", "build": "pipeline.build:imputed"}  # what reads, and what writes


@pytest.mark.parametrize("name", ["sql"])
def test_ctrl_c_ends_with_130_and_no_traceback(settings: dict[str, str], root: Path, name: str) -> None:
    before = {path.name: path.read_bytes() for path in (root / "data" / "processed").glob("*.parquet")}
    words = [WHERE[name], name, *SHOWN.get(name, ["--force"])]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words],
        capture_output=True,
        text=True,
        env=os.environ | settings,
        preexec_fn=hears_ctrl_c,
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")
    assert before == {path.name: path.read_bytes() for path in (root / "data" / "processed").glob("*.parquet")}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["explain", "zzzzqqqq"], 1, "Error: no model 'zzzzqqqq'"),
        (["tables", "modles"], 1, "Error: no table modles; did you mean models?"),
        (["sql", "select 1", "--data", "x", "--version", "y"], 2, "Error: Invalid value for '--data'"),
        (["verify", "2020.1.0"], 2, "Error: "),
        (["download", VERSION, "--index", "nowhere"], 2, "Error: "),
        (["tabels"], 2, "Error: No such command 'tabels'"),
        (
            ["add-fact", "X", "parameters", "7B", "--reference", "?", "--locator", "-", "--evidence", "seen"],
            1,
            "Error: ",
        ),
    ],
)
@pytest.mark.usefixtures("settings")
def test_an_error_is_one_message_of_one_form(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: list[str], code: int, message: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["traincompute", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    printed = capfd.readouterr()
    assert (ended.value.code, printed.out) == (code, "")
    lines = printed.err.splitlines()
    said = next(line for line in lines if line.startswith("Error: "))
    assert said.startswith(message)
    assert "Traceback" not in printed.err
    assert code == 2 or lines[0] == said


def test_a_group_knows_its_commands() -> None:
    assert isinstance(group, LazyGroup)
    assert sorted(group.list_commands(click.Context(group))) == sorted([*LISTED, *GROUPS])
    assert sorted([*LISTED, *GROUPED]) == NAMES


def test_a_short_command_looks_for_no_garbage_but_at_the_end(settings: dict[str, str]) -> None:
    told = "lambda: print(len(found), gc.get_freeze_count() > 0)"
    code = (
        f"import atexit, gc, sys; found = []; atexit.register({told}); sys.argv = ['', 'explain', {MODEL!r}]; "
        "from traincompute.__main__ import main; gc.collect(); gc.callbacks.append(lambda *_: found.append(1)); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | settings)
    assert done.stdout.splitlines()[-1] == "0 True"
