"""Shell completion."""

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


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("traincompute expl", "explain"),
        ("traincompute sta", "stage"),
        ("traincompute stage norm", "normalize"),
        ("traincompute dev re", "rebuild release"),
        ("traincompute norm", ""),
        ("traincompute curate status --li", "--limit"),
    ],
)
def test_a_shell_is_told_commands_groups_and_options(typed: str, told: str) -> None:
    """Those that are listed: an old name is not offered."""
    asked = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_TRAINCOMPUTE_COMPLETE": "bash_complete"}
    code = "import sys; sys.argv = ['traincompute']; from traincompute.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True)
    assert sorted(done.stdout.split()) == [f"plain,{name}" for name in told.split()]
