"""Options that several commands share, and the dataset that a command reads."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from traincompute.base.places import default_folder

Command = Callable[..., Any]

DAY = click.DateTime(["%Y-%m-%d"])
FORMS = {"csv": "CSV", "json": "JSON as a list of rows", "markdown": "Markdown"}
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
version_option = click.option("--version", "--data", "version", metavar="V",
    help="Release to read: a version listed by `traincompute releases`, or a folder with Parquet files.")  # fmt: skip


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


def dataset_folder(version: str | None = None) -> str:
    """The folder of the dataset that a version or a folder stands for, or of the dataset at hand."""
    folder = version or default_folder()
    if folder and os.path.isdir(folder):
        return folder
    from traincompute.releases import resolve_version  # a folder is read without it

    return str(resolve_version(version).folder)
