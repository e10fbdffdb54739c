"""What people decide, in data/raw/curated/: which names are one model (identities.csv), which cells are wrong
(corrections.yml), what kind of network a model is (architectures.csv), and which others it uses as they are
(components.csv). All but identities say where they were read: `reference`, `evidence` and `accessed`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypeVar

from pydantic import AfterValidator

from pipeline.errors import DataError, Problem
from pipeline.files import Text, list_of, load_lines, mapping, read_whole, read_yaml
from pipeline.names import ADDRESS, PLACE, is_reference, leads_nowhere
from pipeline.paths import Paths
from pipeline.vocabularies import Vocabulary

Line = TypeVar("Line")


def _reference(text: str) -> str:
    if not is_reference(text):
        raise ValueError(f"is not a reference; {ADDRESS}")
    return text


def _filled(text: str) -> str:
    if not text:
        raise ValueError("is missing; say what the evidence is")
    return text


Reference = Annotated[Text, AfterValidator(_reference)]
Evidence = Literal["seen", "secondary", "recalled"]
Filled = Annotated[Text, AfterValidator(_filled)]


def _doubled(lines: Iterable[Line], key: Callable[[Line], Hashable]) -> Iterable[tuple[Line, Line]]:
    """Each line whose key another one before it has, with that one."""
    first: dict[Hashable, Line] = {}
    return [(line, other) for line in lines if (other := first.setdefault(key(line), line)) is not line]


def _load_cited(file: Path, where: str, shape: type[Line]) -> list[Line]:
    """The lines of a CSV that begin with two ids and say where they were read. Raises DataError for a locator that is
    no place in a text, and for a doubled line."""
    lines: list[Any] = list(load_lines(file, where, shape))
    faults = [(e, "locator", e.locator, "leads nowhere", PLACE) for e in lines if leads_nowhere(e.locator, e.evidence)]
    for line, other in _doubled(lines, lambda line: line[:2]):
        faults.append((line, "", line[1], f"is also on line {other.line}", "remove one of the two"))
    DataError.raise_any(Problem(f"{where}:{line.line}", line[0], *fault) for line, *fault in faults)
    return lines


# --- Identities

NO_RECORD = ("distinct", "called")  # relations that say nothing of whose row a record is


class Decision(NamedTuple):
    """One line of identities.csv: what `alias` (a record of one source, or of all) stands for; of the relation `called`
    a name in use, and of `distinct` a record or an address on a hub."""

    alias: str
    source_id: str
    relation: Literal["same", "renamed", "split", "distinct", "dropped", "called"]
    model_id: str
    since: str
    reason: Filled
    line: int

    @property
    def needs_record(self) -> bool:
        return self.relation != "called" and not (self.relation == "distinct" and "/" in self.alias)


def load_decisions(file: Path, where: str) -> list[Decision]:
    """The lines of identities.csv. Raises DataError for an unknown relation, a missing id and a doubled alias."""
    decisions = load_lines(file, where, Decision)
    reason, remedy = "model_id is missing", "give the id that the alias stands for"
    problems = [
        decision_problem(where, line, reason, remedy)
        for line in decisions
        if not line.model_id and line.relation != "dropped"
    ]
    one_of = [line for line in decisions if line.relation != "distinct"]
    problems += [
        decision_problem(where, line, f"the alias is also on line {other.line}", "keep one of the two")
        for line, other in _doubled(one_of, lambda line: (line.alias, line.source_id))
    ]
    DataError.raise_any(problems)
    return decisions


def decision_problem(where: str, decision: Decision, reason: str, remedy: str) -> Problem:
    """What is wrong with a line of identities.csv."""
    return Problem(f"{where}:{decision.line}", decision.alias, "", "", reason, remedy)


# --- Architectures and components, which hold in every vintage: what a model is made of does not change


class Architecture(NamedTuple):
    """One line of architectures.csv: the model and a code of the vocabulary `architectures`."""

    model_id: str
    code: str


class _ArchitectureLine(NamedTuple):
    model_id: str
    architecture: str
    locator: str
    reference: Reference
    evidence: Evidence
    accessed: str
    line: int


def load_architectures(paths: Paths, vocabulary: Vocabulary) -> list[Architecture]:
    """The lines of architectures.csv. Raises DataError for an unknown code or evidence, a reference that is none and a
    doubled line."""
    where = paths.short(paths.architectures)
    lines = _load_cited(paths.architectures, where, _ArchitectureLine)
    DataError.raise_any(
        Problem(f"{where}:{e.line}", e.model_id, "architecture", e.architecture, *vocabulary.unknown(e.architecture))
        for e in lines
        if e.architecture not in vocabulary.codes
    )
    return sorted(Architecture(line.model_id, line.architecture) for line in lines)


class Component(NamedTuple):
    """A model, another one that is part of it and was not trained with it, and the line that says so."""

    model_id: str
    component_id: str
    place: str


Encoder = Literal["text_encoder", "image_encoder", "audio_encoder", "protein_encoder"]
Role = Literal[Encoder, "tokenizer", "image_decoder", "reward_model"]


class _ComponentLine(NamedTuple):
    model_id: str
    component_id: str
    role: Role
    locator: str
    reference: Reference
    evidence: Evidence
    accessed: str
    line: int


def load_components(paths: Paths) -> list[Component]:
    """The lines of components.csv. Raises DataError for an unknown role, no reference and a doubled line."""
    where = paths.short(paths.components)
    lines = _load_cited(paths.components, where, _ComponentLine)
    reason, remedy = "is the model itself", "name the model that it uses"
    DataError.raise_any(
        Problem(f"{where}:{e.line}", e.model_id, "component_id", e.component_id, reason, remedy)
        for e in lines
        if e.component_id == e.model_id
    )
    return sorted(Component(line.model_id, line.component_id, f"{where}:{line.line}") for line in lines)


def check_known(components: Iterable[Component], ids: Collection[str]) -> None:
    """Raises DataError for lines with an id that is none of `ids`, those of all models."""
    named = ((line, field, getattr(line, field)) for line in components for field in ("model_id", "component_id"))
    DataError.raise_any(
        Problem(line.place, line.model_id, field, value, "no model has this id", "see the column model_id of models")
        for line, field, value in named
        if value not in ids
    )


# --- Corrections

BOUNDS = {"lower_bound": "low", "upper_bound": "high"}  # action → the end of the range that the value becomes


# An entry of corrections.yml: the cell, the value that it had, from which snapshot on, and what to do with it
CORRECTION = mapping(
    id=Text,
    source=Text,
    record=Text,
    field=Text,
    value_text=Text,
    locator=NotRequired[Text],
    since=date,
    until=NotRequired[date | None],
    entered=date,
    action=Literal["drop", "set", "lower_bound", "upper_bound", "acknowledge"],
    new_value=NotRequired[Text],
    rule=NotRequired[Text],
    reason=Text,
    reference=NotRequired[Reference],
    upstream=Literal["not reported", "reported", "mended"],
)


def load_corrections(paths: Paths) -> list[dict[str, Any]]:
    """The entries of corrections.yml, each with its `line`. Raises DataError for one that says too little or too
    much."""
    where = paths.short(paths.corrections)
    return _corrections(read_whole(paths.corrections, where), where)


@lru_cache(maxsize=2)
def _corrections(text: str, where: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = read_yaml(text, where, list_of(CORRECTION) | None) or []
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.startswith("- ")]
    if len(lines) == len(entries):
        entries = [{**entry, "line": line} for entry, line in zip(entries, lines, strict=True)]
    DataError.raise_any(problem for entry in entries for problem in _contradictions(where, entry))
    DataError.raise_any(
        Problem(
            f"{where}:{entry.get('line', '')}",
            entry["id"],
            "id",
            "",
            "another entry has this id",
            "give it one of its own",
        )
        for entry, _ in _doubled(entries, lambda entry: entry["id"])
    )
    return entries


def _contradictions(where: str, entry: Mapping[str, Any]) -> Iterable[Problem]:
    """What an action lacks, or has no use for."""
    needed = ("new_value", "reference") if entry["action"] == "set" else ()
    remedy = f"add it: the action is {entry['action']}"
    reasons = [(key, "the key is missing", remedy) for key in needed if key not in entry]
    if entry["action"] != "set" and "new_value" in entry:
        reasons.append(("new_value", f"has no meaning beside the action {entry['action']}", "remove it"))
    place = f"{where}:{entry['line']}" if "line" in entry else where
    return [Problem(place, entry["id"], *(key, "", reason, remedy)) for key, reason, remedy in reasons]


def entry_problem(paths: Paths, entry: Mapping[str, Any], reason: str, remedy: str = "see CONTRIBUTING.md") -> Problem:
    """What is wrong with an entry."""
    where = paths.short(paths.corrections)
    place = f"{where}:{entry['line']} ({entry['id']})" if "line" in entry else f"{where} ({entry['id']})"
    return Problem(place, entry["record"], entry["field"], entry["value_text"], reason, remedy)
