"""Reads data/raw/curated/components.csv: the networks that a model uses as they are, such as a frozen text encoder.

They hold in every vintage, as architectures do: what a model is made of does not change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from pipeline.base.csvfile import read_rows
from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.registry.provenance import CITATION, citation_faults

HEADER = ("model_id", "component_id", "role", "locator", *CITATION)
ROLES = (
    "text_encoder",
    "image_encoder",
    "audio_encoder",
    "protein_encoder",
    "tokenizer",
    "image_decoder",
    "reward_model",
)


class Component(NamedTuple):
    """A model, another one that is part of it and was not trained with it, and the line that says so."""

    model_id: str
    component_id: str
    place: str


def load_components(paths: Paths) -> list[Component]:
    """The lines of the file. Raises DataError for an unknown role, a missing reference and a doubled line."""
    where = paths.short(paths.components)
    seen: dict[tuple[str, str], Component] = {}
    problems: list[Problem] = []
    for number, cells in read_rows(paths.components, where, HEADER):
        row = dict(zip(HEADER, cells, strict=True))
        pair, place = (row["model_id"], row["component_id"]), f"{where}:{number}"
        faults = _faults(row, pair in seen)
        problems += [Problem(place, pair[0], field, row[field], *told) for field, told in faults]
        seen[pair] = Component(*pair, place)
    DataError.raise_any(problems)
    return sorted(seen.values())


def _faults(row: dict[str, str], doubled: bool) -> Iterator[tuple[str, tuple[str, str]]]:
    if row["component_id"] == row["model_id"]:
        yield "component_id", ("is the model itself", "name the model that it uses")
    if row["role"] not in ROLES:
        yield "role", ("is not known", f"one of {', '.join(ROLES)}")
    yield from (("component_id", told) for told in citation_faults(row))
    if doubled:
        yield "component_id", ("is listed twice", "remove one of the two lines")


def check_known(components: Iterable[Component], ids: Collection[str]) -> None:
    """Raises DataError for lines with an id that is none of `ids`, those of all models."""
    named = ((line, field, getattr(line, field)) for line in components for field in ("model_id", "component_id"))
    DataError.raise_any(
        Problem(line.place, line.model_id, field, value, "no model has this id", "see the column model_id of models")
        for line, field, value in named
        if value not in ids
    )
