"""Reads our own YAML safely: plain values only, no aliases, bounded size and depth, and the shape that its reader
needs; errors name the file and the line."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from pipeline.base import shapes
from pipeline.base.errors import DataError, Problem
from pipeline.base.textfile import RESTORE, read_whole, refuse

MAX_BYTES = 2_000_000
MEND = f"correct the line; {RESTORE}"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEEPEST = 50  # a parser in C does not survive a hundred thousand


class _Loader(LOADER):  # type: ignore[misc, valid-type]
    """Refuses a key that occurs twice (YAML itself would take the second and drop the first without a word), a key that
    is no plain value, and a number or a day that is none."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _refuse(key, "a key is a list or a mapping")
            if key.value in seen:
                raise _refuse(key, f'the key "{key.value}" occurs twice')
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            raise _refuse(node, f'"{node.value}" is no number or date') from error


def load_yaml(path: Path, where: str, shape: shapes.Shape) -> Any:
    """The document in `path`, or a DataError that names `where`, the line and the remedy."""
    text = read_whole(path, where)
    if len(text) > MAX_BYTES:
        raise refuse(where, f"it has {len(text)} characters, but at most {MAX_BYTES} are allowed", "split the file")
    document = pickle.loads(_read(text, where))
    DataError.raise_any(_problem(text, where, fault) for fault in shapes.faults(document, shape))
    return document


@cache
def _read(text: str, where: str) -> bytes:
    """The document with this text, pickled: a file that is read again is a copy of it, in a twentieth of the time."""
    try:
        check_events(text, where)
        return pickle.dumps(yaml.load(text, Loader=_Loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise refuse(where + line, f"not valid YAML: {getattr(error, 'problem', error)}", MEND) from error


def check_events(text: str, where: str, remedy: str = RESTORE) -> None:
    """Refuses aliases and more than DEEPEST levels, before anything is made of them."""
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            raise refuse(where, "YAML aliases (*name) are not allowed", "write the value out")
        if depth > DEEPEST:
            raise refuse(where, f"not valid YAML: it is nested more than {DEEPEST} levels deep", remedy)


def _refuse(node: Any, reason: str) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, reason, node.start_mark)


def _problem(text: str, where: str, fault: shapes.Fault) -> Problem:
    """The fault with the line where it stands; of what is missing, the line of what it is missing in."""
    node: Any = yaml.compose(text, Loader=LOADER)
    for step in fault.place:
        node = _child(node, step) or node
    line = node.start_mark.line + 1 if node else 1  # a file of comments has no node
    return Problem(f"{where}:{line}", "", fault.field, fault.value, fault.reason, fault.remedy)


def _child(node: Any, step: object) -> Any:
    if isinstance(step, int):  # of a list; the keys of a mapping are texts
        return node.value[step]
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for key, value in pairs if key.value == str(step)), None)
