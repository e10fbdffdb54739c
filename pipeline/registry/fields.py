"""The fields that a fact may state, and how the text of each is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pipeline.registry.schema import Column, TableSchema
from pipeline.registry.vocabularies import Vocabulary

# dates of what has happened, which cannot lie after the snapshot that has them
PAST = ("publication_date", "knowledge_cutoff", "release_date", "price_date", "list_date")
TRUE_WORDS = {"true": "true", "yes": "true", "1": "true", "false": "false", "no": "false", "0": "false"}


class Field(NamedTuple):
    """How the texts of one fact field are read."""

    type: str
    unit: str
    vocab: str
    keep_order: bool


def field_registry(
    schemas: Mapping[str, TableSchema], vocabularies: Mapping[str, Vocabulary], subjects: Iterable[str]
) -> dict[str, Field]:
    """Every field that a fact may state, by `subject.field`: the columns of the subject's table and, for models, the
    additional fields in vocab/fields.yml."""
    registry = {f"{name}.{c.claim or c.name}": _field(c) for name in subjects for c in schemas[name].columns}
    further = vocabularies["fields"].codes.items()
    extra = {f"models.{name}": Field(e["type"], e.get("unit", ""), e.get("vocab", ""), True) for name, e in further}
    return {**registry, **extra}


def _field(column: Column) -> Field:
    return Field(column.type, column.unit or "", column.vocab or "", not column.set)
