"""Our own YAML: what is refused, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.errors import DataError
from pipeline.base.yamlfile import load_yaml

ANY = {...: object}


def test_a_key_that_occurs_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "constants.yml"
    file.write_text("utilization: {Language: 0.3}\npower:\n  pue: 1.1\nutilization: {scales: [1, 64]}\n")
    with pytest.raises(DataError, match=r'constants\.yml:4: not valid YAML: the key "utilization" occurs twice'):
        load_yaml(file, "data/constants.yml", ANY)


def test_the_same_key_at_two_places_is_fine(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("a: {low: 1}\nb: {low: 2}\n")
    assert load_yaml(file, "a.yml", ANY) == {"a": {"low": 1}, "b": {"low": 2}}


@pytest.mark.parametrize("alias", ["*x", "[*x]", "{c: *x}"])
def test_an_alias_is_refused(tmp_path: Path, alias: str) -> None:
    file = tmp_path / "a.yml"
    file.write_text(f"a: &x [1]\nb: {alias}\n")
    with pytest.raises(DataError, match=r"a\.yml: YAML aliases \(\*name\) are not allowed; write the value out"):
        load_yaml(file, "a.yml", ANY)


def test_an_asterisk_in_a_text_is_none(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("formula: 6 * N * D\nname: ViT*B\n")
    assert load_yaml(file, "a.yml", ANY) == {"formula": "6 * N * D", "name": "ViT*B"}


def test_what_one_reader_changes_no_other_sees_and_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("codes: {a: {}}\n")
    load_yaml(file, "a.yml", ANY)["codes"]["b"] = {}
    assert load_yaml(file, "a.yml", ANY) == {"codes": {"a": {}}}
    file.write_text("codes: {c: {}}\n")
    assert load_yaml(file, "a.yml", ANY) == {"codes": {"c": {}}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n", "a.yml: the file is empty; `git diff` shows what changed"),
        (b"a: 1\nb: \xff\n", "a.yml:2: byte 0xff is not UTF-8; `git diff` shows what changed"),
        ("a: 1\n".encode("utf-16"), "a.yml:1: byte 0xff is not UTF-8; `git diff` shows what changed"),
        (b"a: 1\nb: \0\n", "a.yml:2: it contains a NUL byte; `git diff` shows what changed"),
        (b"a: 1\nb: 2", "a.yml:2: the last line has no line break: the file may be cut; `git diff` shows what changed"),
        (
            b"a: [1\n",
            (
                "a.yml:2: not valid YAML: did not find expected ',' or ']'; correct the line; `git diff` shows what"
                " changed"
            ),
        ),
        (
            b"a: 1\n? [b]\n: 2\n",
            "a.yml:2: not valid YAML: a key is a list or a mapping; correct the line; `git diff` shows what changed",
        ),
        (
            b"a: 2024-02-30\n",
            (
                'a.yml:1: not valid YAML: "2024-02-30" is no number or date; correct the line; `git diff` shows what'
                " changed"
            ),
        ),
        (
            b"a: " + b"[" * 50 + b"]" * 50 + b"\n",
            "a.yml: not valid YAML: it is nested more than 50 levels deep; `git diff` shows what changed",
        ),
        (
            b"a: " + b"[" * 900_000 + b"]" * 900_000 + b"\n",
            "a.yml: not valid YAML: it is nested more than 50 levels deep; `git diff` shows what changed",
        ),
    ],
)
def test_fault_107_a_damaged_file_is_refused_with_the_line(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "a.yml"
    file.write_bytes(content)
    with pytest.raises(DataError) as caught:
        load_yaml(file, "a.yml", ANY)
    assert str(caught.value) == message


def test_what_has_not_the_shape_is_named_with_line_and_place(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text("name: 7\ncolour: red\nfields:\n- {type: text}\n- {typ: number, type: none}\n")
    with pytest.raises(DataError) as caught:
        load_yaml(file, "a.yml", {"name": str, "fields": [{"type": {"text", "number"}}], "end": bool})
    assert str(caught.value).splitlines() == [
        "a.yml:1: end: the key is missing; add it; `git diff` shows what changed",
        'a.yml:1: name "7": is a number, not a text; correct it; `git diff` shows what changed',
        "a.yml:2: colour: unknown key; known keys: end, fields, name",
        'a.yml:5: fields.item 2.typ: unknown key; did you mean "type"? known keys: type',
        (
            'a.yml:5: fields.item 2.type "none": is a text, not one of number, text; correct it; `git diff` shows what'
            " changed"
        ),
    ]


def test_a_file_that_is_too_large_or_too_deep_is_refused_before_anything_is_made_of_it(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    long = "x" * 1_999_996
    file.write_text(f"a: {long}\n")
    assert load_yaml(file, "a.yml", ANY) == {"a": long}
    file.write_text(f"a: {long}x\n")
    with pytest.raises(
        DataError, match=r"a\.yml: it has 2000001 characters, but at most 2000000 are allowed; split the file"
    ):
        load_yaml(file, "a.yml", ANY)
    file.write_text("a: " + "[" * 49 + "]" * 49 + "\nb: [" + "[], " * 60 + "]\n")
    assert len(load_yaml(file, "a.yml", ANY)["b"]) == 60, "a mapping with lists 49 deep, and many side by side"


def test_what_is_wrong_in_an_item_or_in_a_file_of_comments_has_the_line_of_what_it_stands_in(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    for text, shape, line in (
        ("# one\n\n- 1\n- a\n", [float], 'a.yml:4: item 2 "a": is a text, not a number'),
        ("# one\na:\n  2010: {b: x}\n", {"a": {...: {"b": float}}}, 'a.yml:3: a.2010.b "x": is a text, not a number'),
        ("# one\n# two\n", ANY, "a.yml:1: has no value; it needs a mapping"),
        ("a: 1\nb: {}\n", {"a": float, "b": {"c": str}}, "a.yml:2: b.c: the key is missing"),
    ):
        file.write_text(text)
        with pytest.raises(DataError) as caught:
            load_yaml(file, "a.yml", shape)
        assert str(caught.value).startswith(line), text
