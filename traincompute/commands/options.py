"""Which dataset a command reads, and the options --data and --version that say so."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from traincompute.releases.places import DUCKDB_NAME, processed_folder

Command = TypeVar("Command", bound=Callable[..., Any])


def dataset_file(data: str | None = None) -> Path:
    """The DuckDB file: `data` (one, or a folder with one), else $TRAINCOMPUTE_DATA, else that of the checkout in use."""
    if data and not Path(data).is_dir():
        return Path(data)
    folder = data or os.environ.get("TRAINCOMPUTE_DATA")
    path = Path(folder or processed_folder()) / DUCKDB_NAME
    if data and not path.exists():
        return _only_file(Path(data))
    if not path.exists():
        raise click.ClickException(f"{path} does not exist; run `traincompute build` first")
    return path


def _only_file(folder: Path) -> Path:
    found = sorted(folder.glob("*.duckdb"))
    if len(found) != 1:
        what = f"{len(found)} .duckdb files; name one" if found else "no .duckdb file"
        raise click.BadParameter(f"{folder} holds {what}", param_hint="'--data'")
    return found[0]


def data_option(command: Command) -> Command:
    """Adds --data PATH and --version V to a command that reads the dataset; both reach it as `data`."""

    @functools.wraps(command)
    def with_data(*args: Any, data: str | None, version: str | None, **options: Any) -> Any:
        if data and version:
            raise click.UsageError("give --data or --version, not both")
        return command(*args, data=_release_file(version) if version else data, **options)

    kind = click.Path(exists=True)
    text = "Another dataset: a .duckdb file, or a folder with one."
    with_path = click.option("--data", type=kind, metavar="PATH", help=text)(with_data)
    about = "A release (see `traincompute releases`), downloaded if necessary."
    return cast(Command, click.option("--version", metavar="V", help=about)(with_path))


def _release_file(version: str) -> str:
    """The DuckDB file of a release."""
    from traincompute.reader import path

    return str(path(version=version))
