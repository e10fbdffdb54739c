"""The command line: names and modules, each of which is imported only when it is run, and what some commands need."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterable
from typing import Any

import click

from traincompute import __version__
from traincompute.base.places import PACKAGE
from traincompute.show.terminal import hang_up, open_streams, printable

Commands = dict[str, tuple[str, str]]  # name: (module, or its name in traincompute.commands; one line)
# whether the package runs from a checkout, with the builders beside it, which no wheel holds
HAS_CHECKOUT = os.path.isdir(os.path.join(os.path.dirname(PACKAGE), "pipeline"))
# what installs what some commands need; without a checkout that is estimate alone
REMEDY = "pip install " + ("-e '.[build,calibrate,site,bulk]'" if HAS_CHECKOUT else "'ibis-framework[duckdb]'")
COMMANDS: dict[str, Commands] = {
    "Use the dataset": {
        "tables": ("sql", "Show the tables, and the meaning and unit of each column."),
        "sql": ("sql", "Run a read-only SQL query on the dataset."),
        "examples": ("examples", "Show questions with SQL, pandas and R code to answer them."),
        "search": ("models", "Find models by name, developer, paper or arXiv id."),
        "match": ("models", "Match model names, or a CSV file with names, to the dataset."),
        "explain": ("models", "Show where each figure for a model comes from."),
        "revisions": ("models", "Show which values the sources changed between snapshots."),
        "thresholds": ("runs", "Count and list training runs above a compute threshold."),
        "frontier": ("runs", "Show the largest published training run by the end of each year."),
        "trends": ("runs", "Show how fast compute and related quantities grow."),
        "export": ("releases", "Write a table or a query result as CSV, JSON or Parquet."),
        "cite": ("releases", "Print citations for the dataset and the sources."),
        "figures": ("pipeline.site.cli" if HAS_CHECKOUT else "examples", "Write the figures as image files."),
        "estimate": ("estimate", "Estimate the compute, time, cost and energy of a training run."),
        "convert": ("estimate", "Convert between FLOP, petaflop/s-days and chip-hours."),
    },
    "Get and compare releases": {
        "releases": ("releases", "List the available releases."),
        "download": ("releases", "Download and verify a release."),
        "verify": ("releases", "Verify every byte of a release on this machine."),
        "diff": ("releases", "Compare two releases cell by cell, with the causes of changes."),
    },
}
# group: (what it is for, its commands); each command also answers at the top, where it is not listed
GROUPS: dict[str, tuple[str, Commands]] = {}
if HAS_CHECKOUT:
    building = importlib.import_module("pipeline.commands")
    COMMANDS |= building.COMMANDS
    GROUPS = building.GROUPS
ELSEWHERE = "Commands for building and curating the dataset appear in a source checkout."
INTERRUPTED = 130  # what shells say of a program that Ctrl-C ended
LISTED: Commands = {name: entry for commands in COMMANDS.values() for name, entry in commands.items()}
MORE = {"More": {name: ("", purpose) for name, (purpose, _) in GROUPS.items()}} if GROUPS else {}
GROUPED = {name: group for group, (_, commands) in GROUPS.items() for name in commands}
MODULES = {
    name: module if "." in module else f"traincompute.commands.{module}"
    for commands in (LISTED, *(commands for _, commands in GROUPS.values()))
    for name, (module, _) in commands.items()
}


class LazyGroup(click.Group):
    """A group that imports a command only to run it or to show its help; `hidden` ones answer without being listed."""

    def __init__(self, name: str, sections: dict[str, Commands], hidden: Iterable[str] = (), **options: Any) -> None:
        super().__init__(name, **options)
        self.sections = sections
        self.names = [name for commands in sections.values() for name in commands]
        self.commands = dict.fromkeys([*self.names, *hidden], self)  # by whose names click suggests another

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            return None
        if cmd_name in GROUPS:
            purpose, commands = GROUPS[cmd_name]
            text = f"{purpose}\n\nExample: traincompute {cmd_name} {next(iter(commands))} --help"
            return LazyGroup(cmd_name, {"Commands": commands}, help=text)
        found: click.Command = getattr(importlib.import_module(MODULES[cmd_name]), cmd_name.replace("-", "_"))
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])
        if not HAS_CHECKOUT:
            formatter.write_paragraph()
            formatter.write_text(ELSEWHERE)


@click.group("traincompute", cls=LazyGroup, sections=COMMANDS | MORE, hidden=GROUPED,
             context_settings={"help_option_names": ["-h", "--help"]})  # fmt: skip
@click.version_option(__version__, message="traincompute %(version)s", help="Show the version.")
def group() -> None:
    """Look up how much compute it took to train notable machine-learning models.

    Example: traincompute explain gpt-3
    """


def main() -> None:
    """Runs the command line: an error is one message behind "Error: " and its exit code; Ctrl-C ends it with 130,
    whatever error a library makes of it. Where nobody reads its output any more it ends quietly."""
    open_streams()
    pressed: list[int] = []

    def interrupt(number: int, _: object) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    try:
        code = group(standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as end:
        code = end.code
    except BrokenPipeError:
        code = hang_up()
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except Exception as error:
        code = INTERRUPTED if pressed else _report(error)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # a full disk; it would fail again at the very end
        hang_up()
    sys.exit(code if isinstance(code, int) else 0)


def _report(error: Exception) -> int:
    if isinstance(error, click.ClickException):
        error.show()
        if not HAS_CHECKOUT and str(error).startswith("No such command"):
            click.echo(ELSEWHERE, err=True)
        return error.exit_code
    code = getattr(error, "exit_code", None)
    if isinstance(error, ModuleNotFoundError):
        message = f"{error.name} is not installed: {REMEDY}"
    elif isinstance(error, UnicodeError):
        message = f"this is not UTF-8 text: {error}"
    elif isinstance(error, MemoryError) or "Out of Memory" in str(error):
        message = "there is not enough memory; close other programs, or allow this one more"
    elif code is not None or isinstance(error, OSError):
        message = str(error)
    elif os.environ.get("TRAINCOMPUTE_DEBUG"):
        raise error
    else:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        message = f"unexpected error ({what}); please report it with what TRAINCOMPUTE_DEBUG=1 makes the command print"
    click.echo(f"Error: {printable(message)}", err=True)
    return code if isinstance(code, int) else 1
