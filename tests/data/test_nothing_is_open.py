"""The committed facts hold no contradiction and no pair of names that nobody has dealt with. Estimates of ours that are
hardly possible (checks of class 5) are no facts."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pipeline.paths import Paths
from traincompute.cli import group


@pytest.mark.parametrize("command", ["audit", "duplicates"])
def test_nothing_is_open(real: Paths, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(real.root))
    monkeypatch.delenv("TRAINCOMPUTE_DATA", raising=False)
    found = json.loads(CliRunner().invoke(group, ["curate", command, "--json"]).stdout)
    assert not {name: section["rows"] for name, section in found.items() if not name.startswith("5_")}
