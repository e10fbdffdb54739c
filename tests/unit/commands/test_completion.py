"""Shell completion: the script is printed, and a shell that follows it is told the commands."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from traincompute.commands.completion import completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_names_the_command(shell: str) -> None:
    result = CliRunner().invoke(completion, [shell])
    assert result.exit_code == 0
    assert "_TRAINCOMPUTE_COMPLETE" in result.output


def test_a_shell_is_told_the_commands() -> None:
    asked = {"COMP_WORDS": "traincompute exp", "COMP_CWORD": "1", "_TRAINCOMPUTE_COMPLETE": "bash_complete"}
    code = "import sys; sys.argv = ['traincompute']; from traincompute.cli import main; main()"
    told = subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True)
    assert "plain,explain" in told.stdout.split()
