"""Damaged or malformed files are refused with the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired

import pytest

from pipeline.errors import DataError
from pipeline.files import Number, dict_of, list_of, load_lines, load_yaml, mapping

ANY = dict[str, Any]
FIELD = mapping(name=str, type=Literal["text", "number"])
SHAPE = mapping(name=str, fields=list_of(FIELD), end=NotRequired[Number])


class Chip(NamedTuple):
    name: str
    kind: Literal["GPU", "TPU"]
    line: int


def load(folder: Path, content: bytes | str, shape: Any) -> Any:
    file = folder / ("a.csv" if shape is Chip else "a.yml")
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    if shape is Chip:
        return load_lines(file, file.name, Chip, lambda chip: chip.name)
    return load_yaml(file, file.name, shape)


@pytest.mark.parametrize(
    ("content", "shape", "said"),
    [
        (b"a: 1\nb: 2", ANY, "a.yml:2: the last line has no line break: the file may be cut; `git diff`"),
        (b"a: [1\n", ANY, "a.yml:2: not well-formed: did not find expected ',' or ']'; `git diff`"),
        (b"a: 1\n? [b]\n: 2\n", ANY, "a.yml:2: not well-formed: found unhashable key"),
        (b"a: 1\nb: 2\na: 3\n", ANY, 'a.yml:3: not well-formed: the key "a" occurs twice'),
        ("# one\n\n- 1\n- a\n", list[Number], 'a.yml:4: item 2 "a": expected a number; correct it'),
        ("a:\n  2010: {b: x}\n", dict_of(dict_of(dict_of(Number))), 'a.yml:2: a.2010.b "x": expected a number'),
        ('{"a": 1, "b": {"c": {}}}\n', dict_of(Number), "a.yml:1: b: expected a number"),  # JSON, too
        ("# one\n# two\n", ANY, "a.yml:1: expected a dictionary"),
        ("a: 1\nb: {}\n", mapping(a=int, b=mapping(c=str)), "a.yml:2: b.c: the key is missing; add it"),
        ("name,kind\nV100,FPGA\n", Chip, "a.csv:2 [V100]: kind \"FPGA\": expected 'GPU' or 'TPU'"),
        ('name,kind\n"V100,GPU\n', Chip, "a.csv:2: not well-formed: unexpected end of data"),
        ("name,name\nV100,GPU\n", Chip, 'a.csv:1: "name,name": wrong header; it must name kind, name'),
        ("name,kind\nV100,GPU,3\n", Chip, "a.csv:2 [V100]: too many or too few cells; a line has 2 cells"),
        ("kind,name\nGPU,V100\nTPU,v4\nTPU,V100\n", Chip, "a.csv:4 [TPU]: line 2 says this already; remove one"),
    ],
)
def test_a_damaged_or_malformed_file_is_refused_with_the_line(
    tmp_path: Path, content: bytes | str, shape: Any, said: str
) -> None:
    with pytest.raises(DataError) as caught:
        load(tmp_path, content, shape)
    assert str(caught.value).startswith(said)


def test_everything_that_is_wrong_with_a_document_is_told_at_once(tmp_path: Path) -> None:
    text = "name:\ncolour: red\nfields:\n- {name: a, type: text}\n- {name: b, typ: number, type: none}\nend: x\n"
    with pytest.raises(DataError) as caught:
        load(tmp_path, text, SHAPE)
    assert sorted(line.partition("; ")[0] for line in str(caught.value).split("\n")) == [
        "a.yml:1: name: expected a string",
        "a.yml:2: colour: unknown key",
        "a.yml:5 [b]: fields.item 2.typ: unknown key",
        "a.yml:5 [b]: fields.item 2.type \"none\": expected 'text' or 'number'",
        'a.yml:6: end "x": expected a number',
    ]


def test_lines_come_with_their_numbers_and_scalars_as_text_but_for_null(tmp_path: Path) -> None:
    chips = load(tmp_path, 'name,kind\n\n"V\n100",GPU\nv4,TPU\n', Chip)
    assert chips == [Chip("V\n100", "GPU", 4), Chip("v4", "TPU", 5)]
    document = load(tmp_path, "NO: null\n1: 'null'\nc:\nd: 2024-02-30\n", ANY)
    assert document == {"NO": None, "1": "null", "c": None, "d": "2024-02-30"}
