"""Small things that tests of commands share."""

from __future__ import annotations

from typing import Any

import click
from click.testing import CliRunner

Ended = tuple[int, str, str]


def just(value: Any) -> Any:
    """A function that returns this, whatever it is given."""
    return lambda *_, **__: value


def ended(command: click.Command, *words: str) -> Ended:
    """The exit code of a command, and what it printed."""
    done = CliRunner().invoke(command, words)
    return done.exit_code, done.stdout, done.stderr
