"""Which dataset a command reads, and the options --data and --version that say so."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, TypeVar, cast

import click

from traincompute.base.places import DUCKDB_NAME, default_folder, is_odd

Command = TypeVar("Command", bound=Callable[..., Any])

DAY = click.DateTime(["%Y-%m-%d"])


def as_date(value: datetime | None) -> date | None:
    return value.date() if value else None


def as_of_option(text: str) -> Callable[[Command], Command]:
    """The option --as-of with that help; it reaches the command as a date that has come, or None."""
    return click.option("--as-of", type=DAY, metavar="DATE", callback=lambda _c, _p, value: past(value), help=text)


def past(value: datetime | None) -> date | None:
    """The day; raises click.BadParameter for one to come."""
    if value and value > datetime.now():
        raise click.BadParameter(f"{value:%Y-%m-%d} is to come: today is {datetime.now():%Y-%m-%d}")
    return as_date(value)


AS_OF = as_of_option("Build the dataset as it stood on that day, into a folder of its own.")


def dataset_file(data: str | None = None) -> str:
    """The DuckDB file: `data` (one, or a folder with one), else that of the dataset at hand (releases/choice.py)."""
    folder = data or default_folder()
    if not folder:
        return _database(None)
    path = os.path.join(folder, DUCKDB_NAME) if os.path.isdir(folder) else folder
    if not os.path.exists(path) and not data:
        raise click.ClickException(f"{path} does not exist; run `traincompute build` first, or name another by --data")
    return path if os.path.exists(path) else _only_file(os.path.dirname(path))


def _database(version: str | None) -> str:
    from traincompute.cache.choice import database  # a dataset at hand is found without it

    return str(database(version))


def _only_file(folder: str) -> str:
    found = sorted(name for name in os.listdir(folder) if name.endswith(".duckdb"))
    if len(found) != 1:
        what = f"{len(found)} .duckdb files; name one" if found else "no .duckdb file"
        raise click.BadParameter(f"{folder} holds {what}", param_hint="'--data'")
    return os.path.join(folder, found[0])


def data_option(command: Command) -> Command:
    """Adds --data PATH and --version V to a command that reads the dataset; both reach it as `data`."""

    @functools.wraps(command)
    def with_data(*args: Any, data: str | None, version: str | None, **options: Any) -> Any:
        if data and version:
            raise click.UsageError("give --data or --version, not both")
        if data and is_odd(data):
            raise click.BadParameter(f"{data} is neither a file nor a folder", param_hint="'--data'")
        return command(*args, data=_database(version) if version else data, **options)

    kind = click.Path(exists=True)
    text = "Another dataset: a .duckdb file, or a folder with one."
    with_path = click.option("--data", type=kind, metavar="PATH", help=text)(with_data)
    about = "A release (see `traincompute releases`), downloaded if necessary."
    return cast(Command, click.option("--version", metavar="V", help=about)(with_path))
