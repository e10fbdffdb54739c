"""What a user may give a command that it cannot take."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from traincompute.base.errors import ReleaseError
from traincompute.base.places import default_folder
from traincompute.cli import group

COMES = "'--as-of': 2999-12-31 is to come"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["build", "--as-of", "2999-12-31"], COMES),
        (["pull", "epoch_notable", "--as-of", "2999-12-31"], COMES),
    ],
)
def test_a_word_that_cannot_be_meant_is_named(words: list[str], told: str) -> None:
    done = CliRunner().invoke(group, words)
    assert done.exit_code == click.UsageError.exit_code
    assert told in done.stderr


def test_a_pipe_in_the_environment_is_no_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(tmp_path / "pipe"))
    with pytest.raises(ReleaseError, match=r"TRAINCOMPUTE_DATA: .*/pipe is no folder"):
        default_folder()
