"""What people decide, in data/raw/curated/: which names are one model (identities.csv), which cells are wrong
(corrections.yml), what kind of network a model is (architectures.csv), which others it uses as they are
(components.csv), and which changes since the last release are right (waivers.csv)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypeVar

from pipeline.errors import DataError, Problem
from pipeline.files import list_of, load_lines, load_yaml, mapping, one_of, passing, twice
from pipeline.names import ADDRESS, PLACE, is_reference, leads_nowhere
from pipeline.paths import Paths

T = TypeVar("T")
IS_DAY = re.compile(r"(?:[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))?")
Reference = Annotated[str, passing(is_reference, f"is not a reference; {ADDRESS}")]
Filled = Annotated[str, passing(str.strip, "is missing; say what the evidence is")]
Day = Annotated[str, passing(IS_DAY.fullmatch, "is not a day; write it like 2026-11-30")]  # empty where there is none


# --- Identities

NO_RECORD = ("distinct", "called")  # relations that say nothing of whose row a record is


@dataclass(frozen=True)
class Decision:
    """One line of identities.csv: what `alias` (a record of one source, or of all) stands for; of the relation `called`
    a name in use, and of `distinct` a record or an address on a hub."""

    alias: str
    source_id: str
    relation: Literal["same", "renamed", "split", "distinct", "dropped", "called"]
    model_id: str
    since: Day
    reason: Filled
    line: int

    def __post_init__(self) -> None:
        if not self.model_id and self.relation != "dropped":
            raise ValueError("model_id is missing; give the id that the alias stands for")

    @property
    def needs_record(self) -> bool:
        return self.relation != "called" and not (self.relation == "distinct" and "/" in self.alias)


def decision_problem(where: str, decision: Decision, reason: str, remedy: str) -> Problem:
    """What is wrong with a line of identities.csv."""
    return Problem(f"{where}:{decision.line}", decision.alias, "", "", reason, remedy)


# --- Architectures and components, which hold in every vintage: what a model is made of does not change

ENCODERS = ("text_encoder", "image_encoder", "audio_encoder", "protein_encoder")
ROLES = (*ENCODERS, "tokenizer", "image_decoder", "reward_model")


@dataclass(frozen=True)
class _Cited:
    """A line that says where it was read."""

    model_id: str
    locator: str
    reference: Reference
    evidence: Literal["seen", "secondary", "recalled"]
    accessed: Day
    line: int

    def __post_init__(self) -> None:
        if leads_nowhere(self.locator, self.evidence):
            raise ValueError(f'locator "{self.locator}": leads nowhere; {PLACE}')


@dataclass(frozen=True)
class Architecture(_Cited):
    """The kind of network that a model is, a code of the vocabulary `architectures`."""

    architecture: str


@dataclass(frozen=True)
class Component(_Cited):
    """Another model that is part of a model and was not trained with it."""

    component_id: str
    role: Annotated[str, one_of(*ROLES)]


def check_known(paths: Paths, components: Iterable[Component], ids: Collection[str]) -> None:
    """Raises DataError for lines with an id that is none of `ids`, those of all models."""
    where, remedy = paths.short(paths.components), "see the column model_id of models"
    DataError.raise_any(
        Problem(f"{where}:{line.line}", line.model_id, field, value, "no model has this id", remedy)
        for line in components
        for field, value in (("model_id", line.model_id), ("component_id", line.component_id))
        if value not in ids
    )


# --- Corrections and waivers

BOUNDS = {"lower_bound": "low", "upper_bound": "high"}  # action → the end of the range that the value becomes


# An entry of corrections.yml: the cell, the value that it had, from which snapshot on, and what to do with it
CORRECTION = mapping(
    id=str,
    source=str,
    record=str,
    field=str,
    value_text=str,
    locator=NotRequired[str],
    since=date,
    until=NotRequired[date | None],
    entered=date,
    action=Literal["drop", "set", "lower_bound", "upper_bound", "acknowledge"],
    new_value=NotRequired[str],
    rule=NotRequired[str],
    reason=str,
    reference=NotRequired[Reference],
    upstream=Literal["not reported", "reported", "mended"],
)
SET = passing(
    lambda entry: entry["action"] != "set" or {"new_value", "reference"} <= entry.keys(),
    "the action set needs new_value and reference; add them",
)
NOT_SET = passing(
    lambda entry: entry["action"] == "set" or "new_value" not in entry,
    "new_value has no meaning beside another action than set; remove it",
)
CORRECTIONS = list_of(Annotated[CORRECTION, SET, NOT_SET]) | None


def load_corrections(paths: Paths) -> list[dict[str, Any]]:
    """The entries of corrections.yml. Raises DataError for one that says too little or too much."""
    where = paths.short(paths.corrections)
    entries: list[dict[str, Any]] = load_yaml(paths.corrections, where, CORRECTIONS) or []
    doubled = twice(entry["id"] for entry in entries)
    DataError.raise_any(Problem(where, name, "id", "", "two entries have it", "rename one") for name in doubled)
    return entries


def entry_problem(paths: Paths, entry: Mapping[str, Any], reason: str, remedy: str = "see CONTRIBUTING.md") -> Problem:
    """What is wrong with an entry of corrections.yml."""
    place = f"{paths.short(paths.corrections)} ({entry['id']})"
    return Problem(place, entry["record"], entry["field"], entry["value_text"], reason, remedy)


class Waiver(NamedTuple):
    """A change that a person accepts: a cell's new value, or with the id `*` a column until the next release."""

    table: str
    id: str
    column: str
    new_value: str
    reason: Filled
    day: date
    line: int


# --- Files of lines

# what a line is: the file, and what no two lines may have in common
LINES: Mapping[Any, tuple[str, Callable[[Any], Hashable]]] = {
    Decision: ("identities.csv", lambda d: (d.alias, d.source_id, d.relation == "distinct" and d.model_id)),
    Architecture: ("architectures.csv", lambda line: (line.model_id, line.architecture)),
    Component: ("components.csv", lambda line: (line.model_id, line.component_id)),
    Waiver: ("waivers.csv", lambda waiver: waiver[:4]),
}


def load_curated(paths: Paths, kind: type[T]) -> list[T]:
    """All lines of a kind; the file of waivers may be missing. Raises DataError for a line that is malformed or not
    well cited, and for one that says what another says."""
    name, key = LINES[kind]
    file = paths.curated / name
    return load_lines(file, paths.short(file), kind, key) if file.exists() or kind is not Waiver else []
