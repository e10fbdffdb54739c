"""Runs a command and ends it as the command line does."""

from __future__ import annotations

import sys
from typing import Any

import click
from click import testing

from traincompute.base.errors import ReleaseError, TraincomputeError
from traincompute.show.terminal import printable


class CliRunner(testing.CliRunner):
    """A runner for which an error of the package is what `traincompute` prints of it. A ReleaseError stays an
    exception."""

    def invoke(self, cli: click.Command, args: Any = None, **options: Any) -> testing.Result:  # type: ignore[override]
        def main(*given: Any, **named: Any) -> Any:
            try:
                return type(cli).main(cli, *given, **named)
            except ReleaseError:
                raise
            except TraincomputeError as error:
                click.echo(f"Error: {printable(str(error))}", err=True)
                sys.exit(error.exit_code)

        cli.main = main  # type: ignore[method-assign]
        try:
            return super().invoke(cli, args, **options)
        finally:
            del cli.main
