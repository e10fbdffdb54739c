"""Options that several commands share; --data and --version say which dataset a command reads."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import click

from traincompute.base.places import default_folder

Command = Callable[..., Any]

DAY = click.DateTime(["%Y-%m-%d"])
FORMS = {"csv": "CSV", "json": "JSON as a list of rows", "jsonl": "JSON with a row per line", "markdown": "Markdown"}
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
version_option = click.option(
    "--version",
    metavar="V",
    help="Release to read: a version listed by `traincompute releases`, or the path of a release folder.",
)


def form_options(*forms: str, **texts: str) -> Callable[[Command], Command]:
    """Options such as --csv, which reach the command as `form`; the texts are help for those that print more."""

    def add(command: Command) -> Command:
        for form in reversed(forms):
            text = texts.get(form, f"Print {FORMS[form]}.")
            command = click.option(f"--{form}", "form", flag_value=form, help=text)(command)
        return command

    return add


def limit_option(text: str, least: int = 1, **settings: Any) -> Callable[[Command], Command]:
    """The option --limit N with that help."""
    return click.option("--limit", type=click.IntRange(min=least), metavar="N", help=text, **settings)


def dataset_folder(data: str | None = None, version: str | None = None) -> str:
    """The folder with the dataset's Parquet files: `data`, that of a version, or else that of the dataset at hand."""
    folder = data or (None if version else default_folder())
    if not folder:
        from traincompute.releases import resolve_version  # a dataset at hand is found without it

        folder = str(resolve_version(version).folder)
    if not os.path.isdir(folder):
        raise click.BadParameter(f"{folder} is no folder; name the one with the Parquet files", param_hint="'--data'")
    return folder


def data_option(command: Command) -> Command:
    """Adds --data PATH and --version V to a command that reads the dataset; both reach it as `data`."""

    @functools.wraps(command)
    def with_data(*args: Any, data: str | None, version: str | None, **options: Any) -> Any:
        if data and version:
            raise click.UsageError("give --data or --version, not both")
        return command(*args, data=dataset_folder(None, version) if version else data, **options)

    text = "Folder with the Parquet files to read, instead of the default dataset."
    return version_option(click.option("--data", type=click.Path(exists=True), metavar="PATH", help=text)(with_data))
