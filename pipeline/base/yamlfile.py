"""Reads our own YAML safely: plain values only, no aliases, bounded size; errors name the file and the line."""

from __future__ import annotations

import pickle
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from pipeline.base.errors import DataError, Problem

MAX_BYTES = 2_000_000
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ALIAS = re.compile(rb"\*\0?[\w-]")  # what every alias contains, in UTF-8 and UTF-16, and few files do


class _Loader(LOADER):  # type: ignore[misc, valid-type]
    """Refuses a key that occurs twice: YAML itself would take the second and drop the first without a word."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f'the key "{key.value}" occurs twice', key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def load_yaml(path: Path, where: str) -> Any:
    """The document in `path`, or a DataError that names `where`, the line and the remedy."""
    raw = path.read_bytes() if path.exists() else None
    if raw is None:
        raise _error(where, "the file is missing", "restore it with `git checkout`")
    if not raw.strip():
        raise _error(where, "the file is empty", "restore it with `git checkout`")
    if len(raw) > MAX_BYTES:
        raise _error(where, f"it has {len(raw)} bytes, but at most {MAX_BYTES} are allowed", "split the file")
    return pickle.loads(_read(raw, where))


@lru_cache(maxsize=256)
def _read(raw: bytes, where: str) -> bytes:
    """The document with this text, pickled: a file that is read again is a copy of it, in a twentieth of the time."""
    try:
        if ALIAS.search(raw) and any(isinstance(token, yaml.AliasToken) for token in yaml.scan(raw, Loader=LOADER)):
            raise _error(where, "YAML aliases (*name) are not allowed", "write the value out")
        return pickle.dumps(yaml.load(raw, Loader=_Loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise _error(where + line, f"not valid YAML: {getattr(error, 'problem', error)}", "correct the line") from error


def _error(where: str, reason: str, remedy: str) -> DataError:
    return DataError([Problem(where, "", "", "", reason, remedy)])
