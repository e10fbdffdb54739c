"""The committed facts hold no contradiction and no pair of names that nobody has dealt with."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from pipeline.paths import Paths
from traincompute.cli import group


@pytest.mark.parametrize("command", ["audit", "duplicates"])
def test_nothing_is_open(real: Paths, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(real.root))
    monkeypatch.delenv("TRAINCOMPUTE_DATA", raising=False)
    assert CliRunner().invoke(group, ["curate", command]).output == "nothing is open\n"
