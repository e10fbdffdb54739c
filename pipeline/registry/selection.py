"""Which source is believed where several state the same field: data/raw/selection.yml as ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.base.yamlfile import load_yaml
from pipeline.registry.provenance import EVIDENCE
from pipeline.registry.sources import Source

LISTS = [[str]]
SHAPE = {"fields?": ({...: LISTS}, None), "default": LISTS}


@dataclass(frozen=True)
class Selection:
    """Ranks (smaller is preferred) of sources, by default and by field; a curated fact ranks as `source/evidence`."""

    default: Mapping[str, int]
    fields: Mapping[str, Mapping[str, int]]


def load_selection(paths: Paths, sources: Iterable[Source]) -> Selection:
    """selection.yml, checked: each list names every source of models exactly once. Raises DataError otherwise."""
    file = paths.raw / "selection.yml"
    where = paths.short(file)
    raw = load_yaml(file, where, SHAPE)
    lists = {"default": raw["default"], **(raw.get("fields") or {})}
    ranks = {name: _ranks(lines) for name, lines in lists.items()}
    needed = {name for source in sources if source.subject == "models" for name in _names(source)}
    DataError.raise_any(fault for name, lines in lists.items() for fault in _faults(where, name, lines, needed))
    return Selection(ranks.pop("default"), ranks)


def _ranks(lines: list[list[str]]) -> dict[str, int]:
    return {name: number for number, line in enumerate(lines) for name in line}


def _names(source: Source) -> list[str]:
    return [f"{source.id}/{word}" for word in EVIDENCE] if source.adapter == "curated" else [source.id]


def _faults(where: str, field: str, lines: list[list[str]], needed: set[str]) -> list[Problem]:
    named = [name for line in lines for name in line]
    lost = [(name, "is not listed", "add it to a line") for name in sorted(needed - set(named))]
    strange = [(name, "is not a source of models", "correct the spelling") for name in sorted(set(named) - needed)]
    twice = [(name, "is listed twice", "keep one") for name in sorted({n for n in named if named.count(n) > 1})]
    return [Problem(where, "", field, name, reason, remedy) for name, reason, remedy in lost + strange + twice]
