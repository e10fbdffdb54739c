"""Files that people keep: a damaged or malformed one is refused with file, line, place, value and remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired

import pytest
import yaml

from pipeline.errors import DataError
from pipeline.files import (
    Number,
    dict_of,
    list_of,
    load_json,
    load_lines,
    load_yaml,
    mapping,
    read_rows,
    read_yaml,
    replace_file,
)
from pipeline.paths import CHECKOUT

ANY = dict[str, Any]
SHAPE = mapping(name=str, fields=list_of(mapping(name=str, type=Literal["text", "number"])), end=NotRequired[Number])


def refusal(load: Any, *arguments: Any) -> list[str]:
    """What is said of a file, a line each."""
    with pytest.raises(DataError) as caught:
        load(*arguments)
    return str(caught.value).splitlines()


def written(folder: Path, name: str, content: bytes | str) -> Path:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


@pytest.mark.parametrize("file", sorted(CHECKOUT.glob("[dps]*/**/*.yml")), ids=lambda file: file.name)
def test_every_yaml_file_loads_with_the_pure_python_loader_as_with_ours(file: Path) -> None:
    """Others read our files with whatever they have; a flow sequence with a ? in it is one that libyaml alone reads."""
    text = file.read_text(encoding="utf-8")
    if file.name == "corrections.yml":  # a twentieth is enough: the pure loader takes seconds for the whole
        text = "\n- id: ".join(text.split("\n- id: ")[::20])
    expected = yaml.load(text, Loader=yaml.SafeLoader)
    assert read_yaml(text, file.name, Any) == as_text_keys(expected)


def as_text_keys(document: Any) -> Any:
    """The document as ours is: the keys of a mapping are texts."""
    if isinstance(document, list):
        return [as_text_keys(item) for item in document]
    return (
        {str(key): as_text_keys(value) for key, value in document.items()} if isinstance(document, dict) else document
    )


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"\n", "", "the file is empty"),
        (b"a: 1\nb: \xff\n", ":2", "byte 0xff is not UTF-8"),
        (b"a: 1\nb: \0\n", ":2", "it contains a NUL byte"),
        (b"a: 1\nb: 2", ":2", "the last line has no line break"),
        (b"a: [1\n", ":2", "not valid YAML: did not find expected ',' or ']'"),
        (b"a: 1\n? [b]\n: 2\n", ":2", "not valid YAML: a key is a list or a mapping"),
        (b"a: 1\nb: 2\na: 3\n", ":3", 'not valid YAML: the key "a" occurs twice'),
        (b"a: 2024-02-30\n", ":1", 'not valid YAML: "2024-02-30" is no number or date'),
        (b"a: &x [1]\nb: *x\n", ":1", "not valid YAML: an alias"),
    ],
)
def test_fault_107_a_damaged_yaml_file_is_refused_with_the_line(
    tmp_path: Path, content: bytes, line: str, words: str
) -> None:
    (said,) = refusal(load_yaml, written(tmp_path, "a.yml", content), "a.yml", ANY)
    assert said.startswith(f"a.yml{line}: {words}")
    assert "`git diff`" in said


def test_a_malformed_document_is_told_by_line_place_value_and_what_is_allowed(tmp_path: Path) -> None:
    text = "name: 7\ncolour: red\nfields:\n- {name: a, type: text}\n- {name: b, typ: number, type: none}\nend: x\n"
    said = refusal(load_yaml, written(tmp_path, "a.yml", text), "a.yml", SHAPE)
    assert [line.split("; ")[0] for line in sorted(said)] == [
        'a.yml:1: name "7": expected a string',
        "a.yml:2: colour: unknown key",
        'a.yml:5 [b]: fields.item 2.typ: unknown key',
        "a.yml:5 [b]: fields.item 2.type \"none\": expected 'text' or 'number'",
        'a.yml:6: end "x": expected a number',
    ]  # fmt: skip
    assert any(line.endswith('did you mean "type"? known keys: name, type') for line in said)


@pytest.mark.parametrize(
    ("text", "shape", "said"),
    [
        ("# one\n\n- 1\n- a\n", list_of(Number), 'a.yml:4: item 2 "a": expected a number'),
        ("a:\n  2010: {b: x}\n", dict_of(dict_of(dict_of(Number))), 'a.yml:2: a.2010.b "x": expected a number'),
        ("# one\n# two\n", ANY, "a.yml:1: expected a dictionary"),
        ("a: 1\nb: {}\n", mapping(a=int, b=mapping(c=str)), "a.yml:2: b.c: the key is missing; add it"),
        ("a:\n", mapping(a=str), "a.yml:1: a: expected a string"),
    ],
)
def test_a_fault_has_the_line_of_what_it_is_in(tmp_path: Path, text: str, shape: Any, said: str) -> None:
    assert refusal(load_yaml, written(tmp_path, "a.yml", text), "a.yml", shape)[0].startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a" 1}', "lock.json: not valid JSON: Expecting ':' delimiter"),
        ('{"a": "x", "b": {}}', 'lock.json: a "x": expected a number; pull again'),
        ("[" * 100_000, "lock.json: not valid JSON: "),
    ],
)
def test_a_json_file_that_is_not_as_it_should_be_is_named(tmp_path: Path, text: str, said: str) -> None:
    shape = mapping(a=Number, b=dict_of(Number))
    assert load_json(written(tmp_path, "lock.json", '{"a": 1, "b": {}}'), "lock.json", shape) == {"a": 1, "b": {}}
    assert refusal(load_json, written(tmp_path, "lock.json", text), "lock.json", shape, "pull again")[0].startswith(
        said
    )


class Chip(NamedTuple):
    name: str
    kind: Literal["GPU", "TPU"]
    line: int


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name,kind\nV100,FPGA\n", "a.csv:2 [V100]: kind \"FPGA\": expected 'GPU' or 'TPU'"),
        ('name,kind\n"V100,GPU\n', "a.csv:2: not well-formed: unexpected end of data"),
        ("name,name\nV100,GPU\n", 'a.csv:1: "name,name": wrong header; it must be name,kind'),
        ("name,kind\nV100,GPU,3\n", "a.csv:2 [V100]: 3 cells; a line has 2 cells"),
        ("name,kind\nV100\n", "a.csv:2 [V100]: 1 cells; a line has 2 cells"),
    ],
)
def test_a_line_of_a_csv_that_cannot_be_is_refused(tmp_path: Path, content: str, said: str) -> None:
    assert refusal(load_lines, written(tmp_path, "a.csv", content), "a.csv", Chip)[0].startswith(said)


def test_lines_come_with_their_numbers_and_without_empty_ones(tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", 'name,kind\n\n"V\n100",GPU\nv4,TPU\n')
    assert read_rows(file, "a.csv", ["name", "kind"]) == [(4, ["V\n100", "GPU"]), (5, ["v4", "TPU"])]
    assert load_lines(file, "a.csv", Chip) == [Chip("V\n100", "GPU", 4), Chip("v4", "TPU", 5)]


def test_a_text_takes_the_place_of_another_in_folders_that_are_made_for_it(tmp_path: Path) -> None:
    for text in ("one", "dvě"):
        replace_file(tmp_path / "a" / "b" / "c.txt", text)
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == "dvě".encode()
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.txt"]
