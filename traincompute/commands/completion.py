"""`traincompute completion`: the script that lets a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of SHELL.

    Example: traincompute completion bash >> ~/.bashrc
    """
    from traincompute.cli import group

    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"click has no completion for {shell}")
    click.echo(kind(group, {}, "traincompute", "_TRAINCOMPUTE_COMPLETE").source())
