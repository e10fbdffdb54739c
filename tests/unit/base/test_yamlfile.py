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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("alias", ["*x", "[*x]", "{c: *x}"])
def test_an_alias_is_refused(tmp_path: Path, alias: str, encoding: str) -> None:
    file = tmp_path / "a.yml"
    file.write_text(f"a: &x [1]\nb: {alias}\n", encoding=encoding)
    with pytest.raises(DataError, match=r"a\.yml: YAML aliases \(\*name\) are not allowed; write the value out"):
        load_yaml(file, "a.yml")


def test_an_asterisk_in_a_text_is_none(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("formula: 6 * N * D\nname: ViT*B\n")
    assert load_yaml(file, "a.yml") == {"formula": "6 * N * D", "name": "ViT*B"}


def test_what_one_reader_changes_no_other_sees_and_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("codes: {a: {}}\n")
    load_yaml(file, "a.yml")["codes"]["b"] = {}
    assert load_yaml(file, "a.yml") == {"codes": {"a": {}}}
    file.write_text("codes: {c: {}}\n")
    assert load_yaml(file, "a.yml") == {"codes": {"c": {}}}


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("\n")
    with pytest.raises(DataError, match=r"a\.yml: the file is empty; restore it with `git checkout`"):
        load_yaml(file, "a.yml")
