"""Options that several commands share; --data and --version say which dataset a command reads."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, TypeVar, cast

import click

from traincompute.base.places import default_folder, is_odd

Command = TypeVar("Command", bound=Callable[..., Any])

DAY = click.DateTime(["%Y-%m-%d"])
FORMS = {
    "csv": "Print CSV.",
    "json": "Print JSON, one list of rows.",
    "jsonl": "Print JSON, one row per line.",
    "markdown": "Print Markdown.",
}


def form_options(*forms: str, **texts: str) -> Callable[[Command], Command]:
    """Options such as --csv, which reach the command as `form`; the texts are help for those that print more."""

    def add(command: Command) -> Command:
        for form in reversed(forms):
            text = texts.get(form, FORMS[form])
            command = click.option(f"--{form}", "form", flag_value=form, help=text)(command)
        return command

    return add


def json_option(text: str = "Print JSON.") -> Callable[[Command], Command]:
    """The option --json with that help, as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def limit_option(text: str, least: int = 1, **settings: Any) -> Callable[[Command], Command]:
    """The option --limit N with that help."""
    return click.option("--limit", type=click.IntRange(min=least), metavar="N", help=text, **settings)


def as_of_option(text: str) -> Callable[[Command], Command]:
    """The option --as-of with that help; it reaches the command as a date that has come, or None."""

    def past(_c: click.Context, _p: click.Parameter, value: datetime | None) -> date | None:
        if value and value > datetime.now():
            raise click.BadParameter(f"{value:%Y-%m-%d} is to come: today is {datetime.now():%Y-%m-%d}")
        return value.date() if value else None

    return click.option("--as-of", type=DAY, metavar="DATE", callback=past, help=text)


AS_OF = as_of_option("Build the dataset as it stood on that day, into a folder of its own.")
version_option = click.option(
    "--version", metavar="V", help="A release (see `traincompute releases`), downloaded if necessary, or its folder."
)


def dataset_folder(data: str | None = None) -> str:
    """The folder with the dataset's Parquet files: `data`, else that of the dataset at hand (releases.py)."""
    folder = data or default_folder() or _folder_of(None)
    if not os.path.isdir(folder):
        raise click.BadParameter(f"{folder} is no folder; name the one with the Parquet files", param_hint="'--data'")
    return folder


def _folder_of(version: str | None) -> str:
    from traincompute.releases import resolve_version  # a dataset at hand is found without it

    return str(resolve_version(version).folder)


def data_option(command: Command) -> Command:
    """Adds --data PATH and --version V to a command that reads the dataset; both reach it as `data`."""

    @functools.wraps(command)
    def with_data(*args: Any, data: str | None, version: str | None, **options: Any) -> Any:
        if data and version:
            raise click.UsageError("give --data or --version, not both")
        if data and is_odd(data):
            raise click.BadParameter(f"{data} is no folder", param_hint="'--data'")
        return command(*args, data=_folder_of(version) if version else data, **options)

    text = "Another dataset: a folder with its Parquet files."
    with_path = click.option("--data", type=click.Path(exists=True), metavar="PATH", help=text)(with_data)
    return cast(Command, version_option(with_path))
