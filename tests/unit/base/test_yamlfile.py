"""Our own YAML: what is refused, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.errors import DataError
from pipeline.base.yamlfile import load_yaml


def test_a_key_that_occurs_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "constants.yml"
    file.write_text("utilization: {Language: 0.3}\npower:\n  pue: 1.1\nutilization: {scales: [1, 64]}\n")
    with pytest.raises(DataError, match=r'constants\.yml:4: not valid YAML: the key "utilization" occurs twice'):
        load_yaml(file, "data/constants.yml")


def test_the_same_key_at_two_places_is_fine(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("a: {low: 1}\nb: {low: 2}\n")
    assert load_yaml(file, "a.yml") == {"a": {"low": 1}, "b": {"low": 2}}
