"""A source of models in a plain table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

from pipeline.config import Source

ABOUT: dict[str, Any] = {
    "id": "acme",
    "title": "Acme",
    "publisher": "Acme",
    "priority": 1,
    "licence": "L",
    "redistribute": True,
    "attribution": "A",
    "adapter": "plain_table",
    "subject": "models",
}


def source(
    fields: Mapping[str, Sequence[str]] = MappingProxyType({}),
    required: Collection[str] = (),
    vintages: Iterable[tuple[date, date | None]] = (),
    **given: Any,
) -> Source:
    """`fields` are the columns, `vintages` first and last day."""
    columns = {n: {"columns": dict.fromkeys(of, "/"), "required": n in required} for n, of in fields.items()}
    spans = [{"from": first, "until": last} for first, last in vintages]
    return Source(**ABOUT | given, fields=columns, vintages=spans)


def replace(source: Source, **given: Any) -> Source:
    """The same source but for that."""
    return source.model_copy(update=given)
