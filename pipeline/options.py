"""Options that several commands of the pipeline share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

FOLDER = click.Path(file_okay=False, path_type=Path)  # to write into
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


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
