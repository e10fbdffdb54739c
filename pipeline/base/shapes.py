"""The shape of what we declare in YAML or JSON, written as a Python value, and where a document differs from it.

`str`, `bool`, `date` and `float` (any number) stand for themselves, `object` for any value, `None` for none, and a
tuple for one of several shapes. `[str]` is a list of texts, a set the texts of which it must be one. A mapping names
its keys, `"key?"` one that may be absent, and `...` stands for all others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from difflib import get_close_matches
from typing import Any, NamedTuple

from pipeline.base.textfile import RESTORE

Shape = Any
SCALAR = (str, float, bool)
WORDS = {dict: "a mapping", list: "a list", str: "a text", bool: "true or false", float: "a number", date: "a day"}


class Fault(NamedTuple):
    """`place` is the way to it from the top of the document: keys, as texts, and the numbers of items from 0."""

    place: tuple[Any, ...]
    value: str
    reason: str
    remedy: str

    @property
    def field(self) -> str:
        return ".".join(f"item {step + 1}" if isinstance(step, int) else step for step in self.place)


def faults(value: Any, shape: Shape, place: tuple[Any, ...] = ()) -> Iterator[Fault]:
    """Where `value` has not the shape."""
    options = shape if isinstance(shape, tuple) else (shape,)
    fitting = next((option for option in options if _is_a(value, option)), ...)
    if fitting is ...:
        yield Fault(place, _shown(value), _reason(value, options), f"correct it; {RESTORE}")
    elif isinstance(fitting, dict):
        yield from _of_mapping(value, fitting, place)
    elif isinstance(fitting, list):
        for number, item in enumerate(value):
            yield from faults(item, fitting[0], (*place, number))


def _of_mapping(value: dict[Any, Any], shape: dict[Any, Shape], place: tuple[Any, ...]) -> Iterator[Fault]:
    known = {key.removesuffix("?"): part for key, part in shape.items() if key is not ...}
    for key in known:
        if key in shape and key not in value:
            yield Fault((*place, key), "", "the key is missing", f"add it; {RESTORE}")
    for key, part in value.items():
        if key in known or ... in shape:
            yield from faults(part, known[key] if key in known else shape[...], (*place, str(key)))
        else:
            near = get_close_matches(str(key), list(known), n=1)
            remedy = (f'did you mean "{near[0]}"? ' if near else "") + f"known keys: {', '.join(sorted(known))}"
            yield Fault((*place, str(key)), "", "unknown key", remedy)


def _is_a(value: Any, shape: Shape) -> bool:
    match shape:
        case None:
            return value is None
        case set():
            return isinstance(value, str) and value in shape
        case dict() | list():
            return isinstance(value, type(shape))
        case _ if shape is float:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return value is not None and isinstance(value, shape)


def _reason(value: Any, options: tuple[Shape, ...]) -> str:
    wanted = " or ".join(_named(option) for option in options if option is not None)
    if value is None:
        return f"has no value; it needs {wanted}"
    return f"is {next((word for kind, word in WORDS.items() if _is_a(value, kind)), 'something else')}, not {wanted}"


def _named(shape: Shape) -> str:
    if isinstance(shape, set):
        return f"one of {', '.join(sorted(shape))}"
    return WORDS.get(type(shape) if isinstance(shape, dict | list) else shape, "a value")


def _shown(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)
