"""Reads our own JSON: no name twice, and the shape that its reader needs; errors name the file and the place in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pipeline.base import shapes
from pipeline.base.errors import DataError, Problem
from pipeline.base.textfile import RESTORE, read_text, refuse


def load_json(path: Path, where: str, shape: shapes.Shape, remedy: str = RESTORE) -> Any:
    """The document in `path`, or a DataError that names `where`, the place and the remedy."""
    try:
        document = json.loads(read_text(path, where, remedy), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise refuse(where, f"not valid JSON: {error}", remedy) from error
    faults = shapes.faults(document, shape)
    DataError.raise_any(Problem(where, "", fault.field, fault.value, fault.reason, remedy) for fault in faults)
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := next((name for number, name in enumerate(names) if name in names[:number]), None):
        raise ValueError(f'the name "{twice}" stands twice in it')
    return dict(pairs)
