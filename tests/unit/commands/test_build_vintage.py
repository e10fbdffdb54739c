"""A vintage has a folder of its own and says what it is; the newest build stays what is read."""

from __future__ import annotations

from click.testing import CliRunner

from traincompute.cli import group

DAY = "2026-03-30"
FOLDER = f"vintage-{DAY}"
STAGES = ("validate", "impute", "publish")


def run(*words: str) -> str:
    done = CliRunner().invoke(group, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output
