"""Options that several builder commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

FOLDER = click.Path(file_okay=False, path_type=Path)  # to write into
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FILE_OR_FOLDER = click.Path(exists=True, path_type=Path)


def json_option(text: str) -> Callable[[Command], Command]:
    """The option --json with that help, as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def limit_option(text: str, least: int = 1, **settings: Any) -> Callable[[Command], Command]:
    """The option --limit N with that help."""
    return click.option("--limit", type=click.IntRange(min=least), metavar="N", help=text, **settings)


def mirror_option(command: Command) -> Command:
    """Adds --mirror, a server that has copies of what others serve, by host and path."""
    text = "Fetch URL/host/path instead of https://host/path."
    return click.option("--mirror", metavar="URL", default="", help=text)(command)


@contextmanager
def published_stays() -> Iterator[None]:
    """Says of an error of the disk that the published dataset is as it was."""
    try:
        yield
    except BrokenPipeError:  # whoever read the output has gone
        raise
    except OSError as error:
        raise click.ClickException(f"{error}; the published dataset is as it was") from error


def engine_options(command: Command) -> Command:
    """Adds --engine, --master and --memory, which say where a listing of millions is read."""
    engines = click.Choice(["duckdb", "spark"])
    for option in (
        click.option("--memory", default="1GB", show_default=True, help="Memory that DuckDB may use."),
        click.option("--master", default="local[2]", show_default=True, metavar="URL", help="Spark's master."),
        click.option("--engine", type=engines, default="duckdb", show_default=True, help="Where it runs."),
    ):
        command = option(command)
    return command
