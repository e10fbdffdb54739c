"""Reads an upstream document (JSON, TOML or YAML) whose shape an adapter states: what differs from it is named by its
place."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import yaml

from pipeline.base import shapes
from pipeline.base.errors import DataError, Problem
from pipeline.base.yamlfile import LOADER, check_events
from pipeline.pull.tabular import decode

FORM = "look at the file; its form has changed, or it is another one"
REST: dict[Any, Any] = {...: (object, None)}  # keys that nothing is read of
PLAIN = (str, float, bool, date, None)


def read_json(content: bytes, where: str, shape: shapes.Shape) -> Any:
    """The document. Raises DataError where it is no JSON or has another shape."""
    return _read(json.loads, content, where, shape)


def read_toml(content: bytes, where: str, shape: shapes.Shape) -> Any:
    """The document. Raises DataError where it is no TOML or has another shape."""
    return _read(tomllib.loads, content, where, shape)


def read_yaml(content: bytes, where: str, shape: shapes.Shape) -> Any:
    """The document. Raises DataError where it is no YAML, has an alias, is nested deeply, or has another shape."""

    def plain(text: str) -> Any:
        check_events(text, where, FORM)
        return yaml.load(text, Loader=LOADER)  # the safe one

    return _read(plain, content, where, shape)


def plain_columns(columns: Iterable[Iterable[str]]) -> dict[Any, Any]:
    """The shape of a record of which only plain values are read, under these names."""
    return {f"{name}?": PLAIN for names in columns for name in names} | REST


def _read(parse: Callable[[str], Any], content: bytes, where: str, shape: shapes.Shape) -> Any:
    try:
        document = parse(decode(content, where))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        what = " ".join(str(error).split())
        raise DataError.of(where, f"cannot be read: {what}", "fetch the file again; it is cut or damaged") from error
    DataError.raise_any(
        Problem(where, _record(document, fault), fault.field, fault.value, fault.reason, FORM)
        for fault in shapes.faults(document, shape)
    )
    return document


def _record(document: Any, fault: shapes.Fault) -> str:
    """The name of the innermost record around the fault that has one."""
    found = ""
    for step in fault.place:
        name = document.get("name") if isinstance(document, dict) else None
        found = name if isinstance(name, str) else found
        parts = document.items() if isinstance(document, dict) else enumerate(document or [])
        document = next((part for key, part in parts if str(key) == str(step)), None)
    return found
