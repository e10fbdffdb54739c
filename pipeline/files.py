"""Reads the text, CSV, JSON and YAML files of a checkout; pydantic checks them and makes objects of them. An error
names file, line, place, value and what is allowed. Writes files whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Hashable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError, WrapValidator, with_config
from typing_extensions import TypedDict

from pipeline.errors import DataError, Problem
from traincompute.base.disk import write_whole

T = TypeVar("T")
Steps = tuple[Any, ...]  # the way to a part of a document from the top: keys, and the numbers of items from 0
RESTORE = "`git diff` shows what changed"  # what a person typed may stand in the file: no advice throws it away


def _whole_or_float(value: Any, to_float: Callable[[Any], float]) -> float:
    return int(value) if str(value).isdigit() else to_float(value)


Number = Annotated[float, WrapValidator(_whole_or_float)]  # 2020 stays whole


def mapping(**keys: Any) -> Any:
    """The shape of a mapping: the type of each key, of which `NotRequired` ones may be absent; others may not be."""
    return with_config(ConfigDict(extra="forbid"))(TypedDict("Mapping", keys))  # type: ignore[operator]


def list_of(shape: Any) -> Any:
    """The shape of a list of such items."""
    return list[shape]


def dict_of(shape: Any, key: Any = str) -> Any:
    """The shape of a mapping with any keys."""
    return dict[key, shape]


# --- Documents


def load_yaml(path: Path, where: str, shape: Any, is_typed: bool = False) -> Any:
    """The document in `path` as the shape, a type that pydantic knows, makes it. Every scalar is read as text, as in a
    CSV, of which the shape makes numbers and dates; an empty one or `null` is None. With `is_typed` scalars have the
    types of YAML, for parts that no shape describes. Raises DataError for what is no YAML or has not the shape, and for
    a key that occurs twice (YAML itself would drop the first without a word)."""
    text = read_text(path, where)
    try:
        document = yaml.load(text, Loader=yaml.SafeLoader if is_typed else _Texts)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise refuse(where + line, f"not valid YAML: {getattr(error, 'problem', error)}") from error

    def place(steps: Steps) -> Place:
        node, name, line = yaml.compose(text, Loader=_Texts), "", 0
        for step in (*steps, None):  # as far as there are such parts; the innermost with a name gives it
            line = node.start_mark.line if node else line
            if not isinstance(node, yaml.MappingNode):
                node = node.value[step] if isinstance(node, yaml.SequenceNode) and step is not None else None
                continue
            parts = {key.value: part for key, part in node.value}
            names = [parts[key].value for key in ("id", "name") if isinstance(parts.get(key), yaml.ScalarNode)]
            name, node = (names or [name])[0], parts.get(step)
        return Place(f"{where}:{line + 1}", name, _field(steps))

    return checked(document, shape, place)


class _Texts(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    def construct_scalar(self, node: Any) -> Any:
        return None if node.value in ("", "null") and not node.style else super().construct_scalar(node)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        document = super().construct_mapping(node, deep)
        if len(document) < len(node.value):
            keys = [key.value for key, _ in node.value]
            again = next(key for number, (key, _) in enumerate(node.value) if key.value in keys[:number])
            reason = f'the key "{again.value}" occurs twice'
            raise yaml.constructor.ConstructorError(None, None, reason, again.start_mark)
        return document


def load_json(path: Path, where: str, shape: Any, remedy: str = RESTORE) -> Any:
    """The document in `path` as the shape makes it. Raises DataError that names `where`, the place and the remedy."""
    text = read_text(path, where, remedy)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refuse(where, f"not valid JSON: {error}", remedy) from error
    return checked(document, shape, lambda steps: Place(where, "", _field(steps)), remedy)


def load_lines(file: Path, where: str, shape: type[T], key: Callable[[T], Hashable]) -> list[T]:
    """The lines of a CSV that people keep, empty ones left out. The fields of `shape` are the header, but for `line`,
    its number. Raises DataError with the faults of all lines, and for lines with the same `key`."""
    header = set(get_type_hints(shape)) - {"line"}
    reader = csv.reader(io.StringIO(read_text(file, where), newline=""), strict=True)
    try:
        names = next(reader, [])
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise refuse(f"{where}:{reader.line_num}", f"not well-formed: {error}") from error
    if sorted(names) != sorted(header):
        remedy = f"it must name {', '.join(sorted(header))}"
        raise DataError.of(f"{where}:1", "wrong header", remedy, value=",".join(names))
    remedy = f"a line has {len(names)} cells; quote a cell that contains a comma"
    DataError.raise_any(
        Problem(f"{where}:{number}", row[0], "", "", f"{len(row)} cells", remedy)
        for number, row in rows
        if len(row) != len(names)
    )

    def place(steps: Steps) -> Place:
        number, row = rows[steps[0]]
        return Place(f"{where}:{number}", row[0], _field(steps[1:]))

    document = [{**dict(zip(names, row, strict=True)), "line": number} for number, row in rows]
    lines: list[T] = checked(document, list_of(shape), place)
    first: dict[Hashable, int] = {}
    DataError.raise_any(
        Problem(*place((at,)), "", f"line {rows[other][0]} says this already", "remove one of the two")
        for at, line in enumerate(lines)
        if (other := first.setdefault(key(line), at)) != at
    )
    return lines


# --- What pydantic says, as one of our sentences


class Place(NamedTuple):
    """The part of a file that a fault is in: file and line, the record around it, and the keys that lead to it."""

    where: str
    record: str
    field: str


def _field(steps: Steps) -> str:
    return ".".join(f"item {step + 1}" if isinstance(step, int) else step for step in steps if step != "[key]")


adapter = cache(TypeAdapter)


def checked(document: Any, shape: Any, place: Callable[[Steps], Place], remedy: str = "") -> Any:
    """The document as the shape makes it. Raises DataError with everything that is wrong with it, each with its place
    and with `remedy`, where that is given."""
    try:
        return adapter(shape).validate_python(document)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        raise DataError(dict.fromkeys(_problem(fault, shape, place, remedy) for fault in faults)) from None


def _problem(fault: Any, shape: Any, place: Callable[[Steps], Place], remedy: str) -> Problem:
    steps, value = fault["loc"], fault["input"]
    at = place(steps)
    if fault["type"] == "missing":
        return Problem(*at, "", "the key is missing", remedy or f"add it; {RESTORE}")
    if fault["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        keys = _keys(shape, steps[:-1])
        near = "".join(f'did you mean "{key}"? ' for key in get_close_matches(str(steps[-1]), keys, n=1))
        return Problem(*at, "", "unknown key", f"{near}known keys: {', '.join(keys)}")
    words = fault["msg"].removeprefix("Value error, ").replace("Input should be", "expected").replace("a valid ", "a ")
    reason, _, advice = words.partition("; ")
    shown = "" if value is None or isinstance(value, dict | list) else str(value)
    return Problem(*at, shown, reason.partition(", unable")[0], remedy or advice or f"correct it; {RESTORE}")


def _keys(shape: Any, steps: Steps) -> list[str]:
    """The keys that a mapping at that place of a document may have."""
    schema = adapter(shape).json_schema()
    definitions = schema.get("$defs", {})
    for step in (*steps, None):
        schema = next((part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"), schema)
        schema = definitions.get(schema.get("$ref", "").rpartition("/")[2], schema)
        if step is not None:
            rest = schema.get("items" if isinstance(step, int) else "additionalProperties", {})
            schema = schema.get("properties", {}).get(step, rest)
    return sorted(schema.get("properties", ()))


# --- Texts


def refuse(where: str, reason: str, remedy: str = RESTORE) -> DataError:
    """The error for a file as a whole, or for one of its lines."""
    return DataError.of(where, reason, remedy)


def read_text(path: Path, where: str, remedy: str = RESTORE) -> str:
    """The text of a file. Raises DataError where it is missing, empty or no UTF-8, has a NUL, or, but for JSON, ends
    within a line."""
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
    if not fault and path.suffix != ".json" and not raw.endswith(b"\n"):
        fault, start = "the last line has no line break: the file may be cut", len(raw)
    if fault:
        line = raw.count(b"\n", 0, start) + 1
        raise refuse(f"{where}:{line}", fault, remedy)
    return text


def replace_file(path: Path, text: str) -> None:
    """Writes a text completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())
