"""Reads the text, CSV, JSON and YAML files that people or `git` keep, and checks each against its pydantic shape: an
error names file, line, place, value, what is allowed and what to do. Writes files whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import yaml
from pydantic import (
    BeforeValidator,
    ConfigDict,
    GetPydanticSchema,
    Strict,
    TypeAdapter,
    ValidationError,
    WrapValidator,
    with_config,
)
from pydantic_core import core_schema
from typing_extensions import TypedDict

from pipeline.errors import DataError, Problem
from traincompute.base.disk import write_whole

T = TypeVar("T")
Place = tuple[Any, ...]  # the way to a part of a document from the top: keys, and the numbers of items from 0
RESTORE = "`git diff` shows what changed"  # what a person typed may stand in the file: no advice throws it away
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

closed = with_config(ConfigDict(extra="forbid"))  # decorates a dataclass whose file may have no other keys
Text = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int | float | date) else value)]
Number = Annotated[float, Strict(), WrapValidator(lambda value, check: (check(value), value)[1])]  # 2020 stays whole
adapter = cache(TypeAdapter)


def mapping(**keys: Any) -> Any:
    """The shape of a mapping: the type of each key, of which `NotRequired` ones may be absent; others may not be."""
    return with_config(ConfigDict(extra="forbid", strict=True))(TypedDict("Mapping", keys))  # type: ignore[operator]


def list_of(shape: Any) -> Any:
    """The shape of a list of such items."""
    return list[shape]


def dict_of(shape: Any, key: Any = str) -> Any:
    """The shape of a mapping with any keys."""
    return dict[key, shape]


def written_as(shape: Any, read: Callable[[Any], Any]) -> GetPydanticSchema:
    """The annotation of what people write as another shape: `read` makes the value of it."""
    return GetPydanticSchema(
        lambda _, handler: core_schema.no_info_after_validator_function(read, handler.generate_schema(shape))
    )


def checked(document: Any, shape: Any, where: str, remedy: str = "", lines: Mapping[Place, int] | None = None) -> Any:
    """The document as the shape, a type that pydantic knows, makes it. Raises DataError with everything that is wrong
    with it, each with the line of its place, where `lines` has it, and with `remedy`, where that is given."""
    try:
        return adapter(shape).validate_python(document)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        raise DataError(
            dict.fromkeys(_problem(e, document, shape, where, remedy, lines or {}) for e in faults)
        ) from None


def _problem(error: Any, document: Any, shape: Any, where: str, remedy: str, lines: Mapping[Place, int]) -> Problem:
    place: Place = error["loc"]
    line = next((f":{lines[place[:n]]}" for n in range(len(place), -1, -1) if place[:n] in lines), "")
    record, part = "", document
    for step in place:  # what the innermost part around the place calls itself
        name = (part.get("id") or part.get("name")) if isinstance(part, dict) else None
        record = name if isinstance(name, str) else record
        steps = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        part = part[step] if step in steps else None
    field = ".".join(f"item {step + 1}" if isinstance(step, int) else step for step in place)
    value = "" if error["input"] is None or isinstance(error["input"], dict | list) else str(error["input"])
    if error["type"] in ("missing", "missing_argument"):
        return Problem(where + line, record, field, "", "the key is missing", remedy or f"add it; {RESTORE}")
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        keys = _keys(shape, place[:-1])
        near = "".join(f'did you mean "{key}"? ' for key in get_close_matches(str(place[-1]), keys, n=1))
        return Problem(where + line, record, field, "", "unknown key", f"{near}known keys: {', '.join(keys)}")
    words = error["msg"].removeprefix("Value error, ").replace("Input should be", "expected").replace("a valid ", "a ")
    reason, _, advice = words.partition("; ")
    return Problem(where + line, record, field, value, reason, remedy or advice or f"correct it; {RESTORE}")


def _keys(shape: Any, place: Place) -> list[str]:
    """The keys that a mapping at that place of a document may have."""
    schema = adapter(shape).json_schema()
    definitions = schema.get("$defs", {})
    for step in (*place, None):
        parts = schema.get("anyOf", [schema])
        schema = next((part for part in parts if part.get("type") != "null"), schema)
        schema = definitions.get(schema.get("$ref", "").rpartition("/")[2], schema)
        if step is not None:
            rest = schema.get("items" if isinstance(step, int) else "additionalProperties", {})
            schema = schema.get("properties", {}).get(step, rest)
    return sorted(schema.get("properties", ()))


def refuse(where: str, reason: str, remedy: str = RESTORE) -> DataError:
    """The error for a file as a whole, or for one of its lines."""
    return DataError.of(where, reason, remedy)


def read_text(path: Path, where: str, remedy: str = RESTORE) -> str:
    """The text of the file. Raises DataError where it is missing, empty or no UTF-8, or has a NUL."""
    if not path.exists():
        raise refuse(where, "the file is missing", remedy)
    raw = path.read_bytes()
    if not raw.strip():
        raise refuse(where, "the file is empty", remedy)
    try:
        text = raw.decode("utf-8-sig")
        fault, start = ("it contains a NUL byte", raw.index(b"\0")) if "\0" in text else ("", 0)
    except UnicodeDecodeError as error:
        fault, start = f"byte 0x{raw[error.start]:02x} is not UTF-8", error.start
    if fault:
        line = raw.count(b"\n", 0, start) + 1
        raise refuse(f"{where}:{line}", fault, remedy)
    return text


def read_whole(path: Path, where: str) -> str:
    """The text of a file of lines. Raises DataError as `read_text`, and where it ends within a line."""
    text = read_text(path, where)
    if not text.endswith("\n"):
        line = text.count("\n") + 1
        raise refuse(f"{where}:{line}", "the last line has no line break: the file may be cut")
    return text


def read_rows(file: Path, where: str, header: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The lines of a CSV below the header with their numbers, empty ones left out. Raises DataError for what is no
    whole CSV in UTF-8, for another header, and for lines with more or fewer cells."""
    reader = csv.reader(io.StringIO(read_whole(file, where), newline=""), strict=True)
    try:
        first = next(reader, [])
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise refuse(f"{where}:{reader.line_num}", f"not well-formed: {error}") from error
    if first != list(header):
        raise DataError.of(f"{where}:1", "wrong header", f"it must be {','.join(header)}", value=",".join(first))
    remedy = f"a line has {len(header)} cells; quote a cell that contains a comma"
    DataError.raise_any(
        Problem(f"{where}:{number}", row[0], "", "", f"{len(row)} cells", remedy)
        for number, row in rows
        if len(row) != len(header)
    )
    return rows


def load_lines(file: Path, where: str, shape: type[T]) -> list[T]:
    """The lines of a CSV that people keep, each as the shape, whose fields but `line` are the header. Raises DataError
    with the faults of all lines."""
    header = [name for name in get_type_hints(shape) if name != "line"]
    numbered = "line" in get_type_hints(shape)
    lines: list[T] = []
    problems: list[Problem] = []
    for number, cells in read_rows(file, where, header):
        row = {**dict(zip(header, cells, strict=True)), **({"line": number} if numbered else {})}
        try:
            lines.append(checked(row, shape, f"{where}:{number}"))
        except DataError as error:
            problems += [problem._replace(record=cells[0]) for problem in error.problems]
    DataError.raise_any(problems)
    return lines


def load_json(path: Path, where: str, shape: Any, remedy: str = RESTORE) -> Any:
    """The document in `path` as the shape makes it. Raises DataError that names `where`, the place and the remedy."""
    text = read_text(path, where, remedy)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refuse(where, f"not valid JSON: {error}", remedy) from error
    return checked(document, shape, where, remedy)


def load_yaml(path: Path, where: str, shape: Any) -> Any:
    """The document in `path` as the shape makes it. Raises DataError that names `where`, the line and the remedy."""
    return read_yaml(read_whole(path, where), where, shape)


def read_yaml(text: str, where: str, shape: Any) -> Any:
    """The document with this text as the shape makes it; keys are texts. Raises DataError for what is no YAML or has
    not the shape, for an alias, and for a key that occurs twice (YAML itself would drop the first without a word)."""
    reader = _Document()
    try:
        document = reader.value(yaml.compose(text, Loader=LOADER), ())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        reason = f"not valid YAML: {getattr(error, 'problem', error)}"
        raise refuse(where + line, reason, f"correct the line; {RESTORE}") from error
    return checked(document, shape, where, lines=reader.lines)


class _Document(yaml.constructor.SafeConstructor):
    """Makes plain values of the nodes of a document, which is quicker than PyYAML's own way, and keeps their lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines, self.nodes = dict[Place, int](), set[int]()

    def value(self, node: Any, place: Place) -> Any:
        self.lines[place] = node.start_mark.line + 1 if node else 1  # a file of comments has no node
        if id(node) in self.nodes:
            raise _fault_at(node, "an alias (*name) is not allowed: write the value out")
        self.nodes.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*place, number)) for number, item in enumerate(node.value)]
        if not isinstance(node, yaml.MappingNode):
            return self._scalar(node)
        document: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _fault_at(key, "a key is a list or a mapping")
            if key.value in document:
                raise _fault_at(key, f'the key "{key.value}" occurs twice')
            document[key.value] = self.value(value, (*place, key.value))
        return document

    def _scalar(self, node: Any) -> Any:
        if node is None or node.tag == "tag:yaml.org,2002:str":
            return node and node.value
        try:
            return self.construct_object(node)
        except ValueError as error:
            raise _fault_at(node, f'"{node.value}" is no number or date') from error


def _fault_at(node: Any, reason: str) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, reason, node.start_mark)


def replace_file(path: Path, text: str) -> None:
    """Writes a text completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())
