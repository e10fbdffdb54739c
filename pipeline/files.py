"""Reads the text, CSV and YAML files of a checkout; pydantic checks them and makes objects of them. An error names
file, line, place, value and what is allowed."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import yaml
from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError, WrapValidator, with_config
from typing_extensions import TypedDict

from pipeline.errors import DataError, Problem
from traincompute.base.files import locked

T = TypeVar("T")
Steps = tuple[Any, ...]  # the way to a part of a document from the top: keys, and the numbers of items from 0
adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)
Place = tuple[str, str, str]  # file and line, the record around it, and the keys that lead to it
RESTORE = "`git diff` shows what changed"  # what a person typed may stand in the file: no advice throws it away


def _whole_or_float(value: Any, to_float: Callable[[Any], float]) -> float:
    return int(value) if str(value).isdigit() else to_float(value)


Number = Annotated[float, WrapValidator(_whole_or_float)]  # 2020 stays whole


def mapping(**keys: Any) -> Any:
    """The shape of a mapping: the type of each key; only keys that are `NotRequired` may be absent."""
    return with_config(ConfigDict(extra="forbid"))(TypedDict("Mapping", keys))  # type: ignore[operator]


def list_of(shape: Any) -> Any:
    """The shape of a list of such items."""
    return list[shape]


def dict_of(shape: Any, key: Any = str) -> Any:
    """The shape of a mapping with any keys."""
    return dict[key, shape]


def passing(test: Callable[[Any], Any], otherwise: str) -> Any:
    """The check that a value passes a test; `otherwise` has reason and remedy, parted by a semicolon."""

    def check(value: Any) -> Any:
        if not test(value):
            raise ValueError(otherwise)
        return value

    return AfterValidator(check)


def one_of(*words: str) -> Any:
    """The check that a text is one of the words."""
    return passing(words.__contains__, f"is not known; one of {', '.join(words)}")


def twice(names: Iterable[str]) -> list[str]:
    """The names that occur more than once."""
    return [name for name, count in Counter(names).items() if count > 1]


# --- Documents


def load_yaml(path: Path, where: str, shape: type[T], is_typed: bool = False) -> T:
    """The document in `path`, YAML or JSON, as the shape, a type that pydantic knows, makes it. Every scalar is read as
    text, as in a CSV, and the shape makes numbers and dates of it; an empty one or `null` is None. With `is_typed`
    scalars have the types of YAML. Raises DataError for what is no YAML or has not the shape, and for a key that occurs
    twice (YAML itself would drop the first without a word)."""
    text = read_text(path, where)
    try:
        if path.suffix == ".json":  # ten times as fast
            document = json.loads(text, object_pairs_hook=_no_key_twice)
        else:
            document = yaml.load(text, Loader=_Typed if is_typed else _Texts)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise DataError.of(where + line, f"not well-formed: {getattr(error, 'problem', error)}", RESTORE) from error

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
        return f"{where}:{line + 1}", name, _field(steps)

    return checked(document, shape, place)


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if again := twice(key for key, _ in pairs):
        raise ValueError(f'the key "{again[0]}" occurs twice')
    return dict(pairs)


class _NoKeyTwice:
    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        document = super().construct_mapping(node, deep)  # type: ignore[misc]
        if len(document) < len(node.value):
            again = twice(key.value for key, _ in node.value)[0]
            mark = [key for key, _ in node.value if key.value == again][1].start_mark
            raise yaml.constructor.ConstructorError(None, None, f'the key "{again}" occurs twice', mark)
        return document


class _Typed(_NoKeyTwice, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    pass


class _Texts(_NoKeyTwice, getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    def construct_scalar(self, node: Any) -> Any:
        return None if node.value in ("", "null") and not node.style else super().construct_scalar(node)


def load_lines(file: Path, where: str, shape: type[T], key: Callable[[T], Hashable]) -> list[T]:
    """The lines of a CSV that people keep, empty ones left out. The fields of `shape` are the header, but for `line`,
    its number. Raises DataError with the faults of all lines, and for lines with the same `key`."""
    header = sorted(set(get_type_hints(shape)) - {"line"})
    reader = csv.DictReader(io.StringIO(read_text(file, where), newline=""), strict=True)
    try:
        names = list(reader.fieldnames or ())
        rows: list[dict[Any, Any]] = [{**row, "line": reader.line_num} for row in reader]
    except csv.Error as error:
        raise DataError.of(f"{where}:{reader.reader.line_num}", f"not well-formed: {error}", RESTORE) from error
    if sorted(names) != header:
        raise DataError.of(f"{where}:1", "wrong header", f"it must name {', '.join(header)}", value=",".join(names))

    def place(steps: Steps) -> Place:
        row = rows[steps[0]]
        return f"{where}:{row['line']}", row[names[0]], _field(steps[1:])

    remedy = f"a line has {len(names)} cells; quote a cell that contains a comma"
    DataError.raise_any(
        Problem(*place((at,)), "", "too many or too few cells", remedy)
        for at, row in enumerate(rows)
        if None in row or None in row.values()
    )
    lines: list[T] = checked(rows, list_of(shape), place)
    first: dict[Hashable, int] = {}
    DataError.raise_any(
        Problem(*place((at,)), "", f"line {rows[other]['line']} says this already", "remove one of the two")
        for at, line in enumerate(lines)
        if (other := first.setdefault(key(line), at)) != at
    )
    return lines


# --- What pydantic says, as one of our sentences


def _field(steps: Steps) -> str:
    return ".".join(f"item {step + 1}" if isinstance(step, int) else step for step in steps if step != "[key]")


def checked(document: Any, shape: type[T], place: Callable[[Steps], Place]) -> T:
    """The document as the shape makes it. Raises DataError with everything that is wrong with it, each with its
    place."""
    try:
        made: T = adapter(shape).validate_python(document)
        return made
    except ValidationError as error:
        faults = error.errors(include_url=False)
        raise DataError(dict.fromkeys(_problem(fault, place(fault["loc"])) for fault in faults)) from None


def _problem(fault: Any, at: Place) -> Problem:
    if fault["type"] == "missing":
        return Problem(*at, "", "the key is missing", f"add it; {RESTORE}")
    if fault["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return Problem(*at, "", "unknown key", f"correct its spelling or remove it; {RESTORE}")
    words = fault["msg"].removeprefix("Value error, ").replace("Input should be", "expected").replace("a valid ", "a ")
    reason, _, advice = words.partition("; ")
    shown = "" if fault["input"] is None or isinstance(fault["input"], dict | list) else str(fault["input"])
    return Problem(*at, shown, reason.partition(", unable")[0], advice or f"correct it; {RESTORE}")


# --- Texts


def read_text(path: Path, where: str) -> str:
    """The text of a file. Raises DataError where it is missing, empty or no UTF-8, has a NUL, or, but for JSON, ends
    within a line."""
    if not path.exists():
        raise DataError.of(where, "the file is missing", RESTORE)
    raw = path.read_bytes()
    if not raw.strip():
        raise DataError.of(where, "the file is empty", RESTORE)
    try:
        text = raw.decode("utf-8-sig")
        fault, start = ("it contains a NUL byte", raw.index(b"\0")) if "\0" in text else ("", 0)
    except UnicodeDecodeError as error:
        fault, start = f"byte 0x{raw[error.start]:02x} is not UTF-8", error.start
    if not fault and path.suffix != ".json" and not raw.endswith(b"\n"):
        fault, start = "the last line has no line break: the file may be cut", len(raw)
    if fault:
        line = raw.count(b"\n", 0, start) + 1
        raise DataError.of(f"{where}:{line}", fault, RESTORE)
    return text


@contextmanager
def sole_writer(folder: Path, wait: bool = True) -> Iterator[None]:
    """Waits until no other process writes below the folder, if it is to wait, and removes the temporary files that
    killed ones left there; where another may be writing them they stay. What is written again is read inside."""
    with locked(folder, wait) as is_ours:
        for left in folder.rglob(".*.tmp") if is_ours else ():
            if not left.is_dir():  # a folder is another's, see `staging`
                left.unlink(missing_ok=True)
        yield
