"""A source of models in a plain table, of which a test gives what matters to it."""

from __future__ import annotations

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


def source(**given: Any) -> Source:
    return Source(**ABOUT | given)
