"""The command line: a table of names and modules; a command's module is imported only when it is run."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Collection
from typing import Any

import click

from traincompute import __version__
from traincompute.needs import has_checkout, lacks, missing_module
from traincompute.show.terminal import hang_up, noticed_interrupts, open_streams, printable

Commands = dict[
    str, tuple[str, str]
]  # name: (module, one line); builder commands live in the checkout, not in the wheel

# without a checkout nothing is drawn anew
DRAWN, CARRIED = "pipeline.present.cli", "traincompute.commands.figures"
COMMANDS: dict[str, Commands] = {
    "Use the dataset": {
        "tables": ("traincompute.commands.tables", "Show the tables, their columns, units and meanings."),
        "sql": ("traincompute.commands.sql", "Run a read-only SQL query on the built dataset."),
        "examples": ("traincompute.commands.examples", "Find questions, each with its SQL, pandas and R."),
        "search": ("traincompute.commands.search", "Find models by name, developer, paper or arXiv id."),
        "match": ("traincompute.commands.match", "Match model names, or a CSV file of them, to the dataset."),
        "explain": ("traincompute.commands.explain", "Show where each number of a model comes from."),
        "revisions": ("traincompute.commands.revisions", "Show what sources changed between snapshots."),
        "thresholds": ("traincompute.commands.thresholds", "Count training runs above thresholds of compute."),
        "frontier": ("traincompute.commands.frontier", "Show the largest training run by date, and who has such runs."),
        "trends": ("traincompute.commands.trends", "Show how fast compute grows, and where that would lead."),
        "export": ("traincompute.commands.export", "Write a table or a result as CSV, Excel, Stata and others."),
        "cite": ("traincompute.commands.cite", "Print how to cite the dataset, and its sources."),
        "figures": (DRAWN if has_checkout() else CARRIED, "Draw the figures as SVG and PNG."),
        "site": ("pipeline.present.cli", "Write explorer and docs: a static folder for the browser."),
        "estimate": ("traincompute.commands.estimate", "Estimate compute, time, cost and energy of a training run."),
        "convert": ("traincompute.commands.convert", "Convert FLOP, petaflop/s-days, chip-hours and energy."),
    },
    "Get and compare releases": {
        "releases": ("traincompute.commands.releases", "List the available releases."),
        "download": ("traincompute.commands.releases", "Download a release and verify it."),
        "verify": ("traincompute.commands.releases", "Check a downloaded or made release, byte by byte."),
        "diff": ("traincompute.commands.diff", "Compare two releases cell by cell, with causes."),
    },
    "Make the dataset": {
        "build": ("pipeline.cli", "Build the dataset from the committed facts, offline."),
        "pull": ("pipeline.cli", "Fetch sources and enter what they print into the ledger."),
    },
}
# group: (what it is for, its commands); each command also answers at the top, where it is not listed
GROUPS: dict[str, tuple[str, Commands]] = {
    "curate": (
        "Add facts and check them.",
        {
            "add-fact": ("pipeline.curate.cli", "Check a fact and add it to the curated facts."),
            "status": ("pipeline.curate.cli", "Show what is stale, held, unresolved or uncovered."),
            "audit": ("pipeline.curate.cli", "List values that contradict their own sources."),
            "duplicates": ("pipeline.curate.cli", "List names that may be one model, with the line to paste."),
            "candidates": ("pipeline.curate.cli", "List open models that the dataset lacks."),
            "check-citations": ("pipeline.curate.cli", "Look up figures at the permalinks that facts cite."),
        },
    ),
    "stage": (
        "Run one stage of build.",
        {
            "normalize": ("pipeline.cli", "Run stage 1 of build: facts to typed claims."),
            "validate": ("pipeline.cli", "Run stage 2 of build: check the tables against their schemas."),
            "impute": ("pipeline.cli", "Run stage 3 of build: estimate missing training compute."),
            "publish": ("pipeline.cli", "Run stage 4 of build: write Parquet, CSV, DuckDB and manifest."),
        },
    ),
    "dev": (
        "Develop the dataset: calibration, docs, releases.",
        {
            "calibrate": ("pipeline.impute.cli", "Measure how far estimates are off, and their intervals."),
            "docs": ("pipeline.present.cli", "Write the generated pages of docs/."),
            "release": ("pipeline.cli", "Make an immutable, citable release of the dataset."),
            "rebuild": ("pipeline.cli", "Make a release again from its commit and compare every byte."),
        },
    ),
}
HELPERS: Commands = {"completion": ("traincompute.commands.completion", "Print the completion script of a shell.")}
INTERRUPTED = 130  # what shells say of a program that Ctrl-C ended
LISTED: Commands = {name: entry for commands in (*COMMANDS.values(), HELPERS) for name, entry in commands.items()}
GROUPED: dict[str, str] = {name: group for group, (_, commands) in GROUPS.items() for name in commands}
MODULES = {
    name: module for commands in (LISTED, *(c for _, c in GROUPS.values())) for name, (module, _) in commands.items()
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it or to show its help. Of `sections` those
    are listed that can run here, `hidden` ones answer without being listed."""

    def __init__(self, *args: Any, sections: dict[str, Commands], hidden: Collection[str] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.sections, self.hidden_names = sections, hidden
        self.names = [name for commands in sections.values() for name in commands]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in self.names if can_run(name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.hidden_names and cmd_name not in self.names:
            return None
        if cmd_name in GROUPS:
            return _group(cmd_name)
        if needed := lacks(cmd_name, MODULES[cmd_name]):
            raise click.ClickException(f"`{cmd_name}` needs {needed}")
        module = importlib.import_module(MODULES[cmd_name])
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], [*self.names, *self.hidden_names], n=1)
            called = (
                " ".join([GROUPED[name], name] if (name := near[0]) in self.hidden_names else [name]) if near else ""
            )
            raise click.UsageError(error.message + (f" Did you mean '{called}'?" if near else ""), ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        listed = self.list_commands(ctx)
        for title, commands in self.sections.items():
            if rows := [(name, line) for name, (_, line) in commands.items() if name in listed]:
                with formatter.section(title):
                    formatter.write_dl(rows)
        known = {*self.names, *self.hidden_names} - GROUPS.keys()
        if left_out := sum(not can_run(name) for name in known):
            formatter.write_paragraph()
            formatter.write_text(
                f"{left_out} more command{'s need' if left_out > 1 else ' needs'} a checkout or an extra, and will say"
                " which."
            )


def can_run(name: str) -> bool:
    """Whether this installation has what a command needs; of a group, whether it has it for any of its commands."""
    return any(map(can_run, GROUPS[name][1])) if name in GROUPS else not lacks(name, MODULES[name])


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from traincompute.resolve_version import version_line  # reads a manifest, which no command needs

        click.echo(f"traincompute {version_line(__version__)}")
        ctx.exit()


def _group(name: str) -> LazyGroup:
    """A group of GROUPS as a command."""
    purpose, commands = GROUPS[name]
    first = next(iter(commands))
    text = f"{purpose}\n\nExample: traincompute {name} {first} --help"
    return LazyGroup(name, sections={"Commands": commands}, help=text)


@click.group(
    cls=LazyGroup,
    sections={**COMMANDS, "More": {name: ("", line) for name, (line, _) in GROUPS.items()} | HELPERS},
    hidden=GROUPED,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def group() -> None:
    """How much compute it took to train notable machine-learning models.

    Example: traincompute explain gpt-3
    """


def main() -> None:
    """Runs the command line: an error is one message behind "Error: " and its exit code; Ctrl-C ends it with 130,
    whatever error it led to. Where nobody reads its output any more it ends quietly."""
    open_streams()
    interrupted = noticed_interrupts()
    try:
        code = group(standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        code = hang_up()
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except Exception as error:
        code = INTERRUPTED if interrupted else _report(error)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # a full disk; it would fail again at the very end
        hang_up()
    sys.exit(code if isinstance(code, int) else 0)


def _report(error: Exception) -> int:
    """Prints what is known of an error; returns the exit code."""
    if isinstance(error, click.ClickException):
        shown = io.StringIO()
        error.show(shown)
        click.echo(printable(shown.getvalue()), err=True, nl=False)
        return error.exit_code
    known = getattr(error, "exit_code", None)
    click.echo(f"Error: {printable(_message(error, isinstance(known, int)))}", err=True)
    return known if isinstance(known, int) else 1


def _message(error: Exception, known: bool) -> str:
    if isinstance(error, ModuleNotFoundError) and (absent := missing_module(error)):
        return absent
    if isinstance(error, FileNotFoundError) and not error.strerror:  # pyarrow's
        return f"{error}: no such file"
    if isinstance(error, MemoryError) or "Out of Memory" in str(error):
        return "there is not enough memory; close other programs, or allow this one more"
    return str(error) if known or isinstance(error, OSError) else _unexpected(error)


def _unexpected(error: Exception) -> str:
    """One line about an error that nobody foresaw; its details go to a file, if there is room for one."""
    from traincompute.show.details import write_details  # nothing but such an error needs it

    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    try:
        log = write_details(error, f"traincompute {__version__}, Python {sys.version}\n{sys.argv}\n")
    except OSError as full:
        return f"something unforeseen happened ({what}); its details cannot be written: {full}"
    return f"something unforeseen happened ({what}); the details are in {log}, please report it with them"


if __name__ == "__main__":
    main()
