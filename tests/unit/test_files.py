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
def test_every_yaml_file_is_read_as_the_pure_python_loader_reads_it(file: Path, tmp_path: Path) -> None:
    """Others read our files with whatever they have; a flow sequence with a ? in it is one that libyaml alone reads."""
    text = file.read_text(encoding="utf-8")
    if file.name == "corrections.yml":  # a twentieth is enough: the pure loader takes seconds for the whole
        text = "\n- id: ".join(text.split("\n- id: ")[::20])
    part = written(tmp_path, "a.yml", text)
    assert without_nulls(load_yaml(part, "a.yml", Any)) == without_nulls(yaml.load(text, Loader=yaml.BaseLoader))


def without_nulls(document: Any) -> Any:
    """What is empty or null, which PyYAML reads as a text here, as the empty text."""
    if isinstance(document, dict):
        return {key: without_nulls(value) for key, value in document.items()}
    if isinstance(document, list):
        return [without_nulls(item) for item in document]
    return "" if document in (None, "null") else document


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"a: 1\nb: 2", ":2", "the last line has no line break"),
        (b"a: [1\n", ":2", "not valid YAML: did not find expected ',' or ']'"),
        (b"a: 1\n? [b]\n: 2\n", ":2", "not valid YAML: found unhashable key"),
        (b"a: 1\nb: 2\na: 3\n", ":3", 'not valid YAML: the key "a" occurs twice'),
    ],
)
def test_fault_107_a_damaged_yaml_file_is_refused_with_the_line(
    tmp_path: Path, content: bytes, line: str, words: str
) -> None:
    (said,) = refusal(load_yaml, written(tmp_path, "a.yml", content), "a.yml", ANY)
    assert said.startswith(f"a.yml{line}: {words}")
    assert "`git diff`" in said


def test_a_malformed_document_is_told_by_line_place_value_and_what_is_allowed(tmp_path: Path) -> None:
    text = "name:\ncolour: red\nfields:\n- {name: a, type: text}\n- {name: b, typ: number, type: none}\nend: x\n"
    said = refusal(load_yaml, written(tmp_path, "a.yml", text), "a.yml", SHAPE)
    assert [line.split("; ")[0] for line in sorted(said)] == [
        "a.yml:1: name: expected a string",
        "a.yml:2: colour: unknown key",
        "a.yml:5 [b]: fields.item 2.typ: unknown key",
        "a.yml:5 [b]: fields.item 2.type \"none\": expected 'text' or 'number'",
        'a.yml:6: end "x": expected a number',
    ]
    assert any(line.endswith('did you mean "type"? known keys: name, type') for line in said)


@pytest.mark.parametrize(
    ("text", "shape", "said"),
    [
        ("# one\n\n- 1\n- a\n", list_of(Number), 'a.yml:4: item 2 "a": expected a number'),
        ("a:\n  2010: {b: x}\n", dict_of(dict_of(dict_of(Number))), 'a.yml:2: a.2010.b "x": expected a number'),
        ("# one\n# two\n", ANY, "a.yml:1: expected a dictionary"),
        ("a: 1\nb: {}\n", mapping(a=int, b=mapping(c=str)), "a.yml:2: b.c: the key is missing; add it"),
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
    assert load_json(written(tmp_path, "lock.json", '{"a": 1, "b": {}}\n'), "lock.json", shape) == {"a": 1, "b": {}}
    file = written(tmp_path, "lock.json", f"{text}\n")
    assert refusal(load_json, file, "lock.json", shape, "pull again")[0].startswith(said)


class Chip(NamedTuple):
    name: str
    kind: Literal["GPU", "TPU"]
    line: int


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name,kind\nV100,FPGA\n", "a.csv:2 [V100]: kind \"FPGA\": expected 'GPU' or 'TPU'"),
        ('name,kind\n"V100,GPU\n', "a.csv:2: not well-formed: unexpected end of data"),
        ("name,name\nV100,GPU\n", 'a.csv:1: "name,name": wrong header; it must name kind, name'),
        ("name,kind\nV100,GPU,3\n", "a.csv:2 [V100]: 3 cells; a line has 2 cells"),
        ("name,kind\nV100\n", "a.csv:2 [V100]: 1 cells; a line has 2 cells"),
        ("kind,name\nGPU,V100\nTPU,v4\nTPU,V100\n", "a.csv:4 [TPU]: line 2 says this already; remove one"),
    ],
)
def test_a_line_of_a_csv_that_cannot_be_is_refused(tmp_path: Path, content: str, said: str) -> None:
    file = written(tmp_path, "a.csv", content)
    assert refusal(load_lines, file, "a.csv", Chip, lambda chip: chip.name)[0].startswith(said)


def test_lines_come_with_their_numbers_and_without_empty_ones(tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", 'name,kind\n\n"V\n100",GPU\nv4,TPU\n')
    chips = load_lines(file, "a.csv", Chip, lambda chip: chip.name)
    assert chips == [Chip("V\n100", "GPU", 4), Chip("v4", "TPU", 5)]


def test_every_scalar_is_text_but_for_null(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yml", "NO: null\n1: 'null'\nc:\nd: 2024-02-30\n")
    assert load_yaml(file, "a.yml", Any) == {"NO": None, "1": "null", "c": None, "d": "2024-02-30"}
