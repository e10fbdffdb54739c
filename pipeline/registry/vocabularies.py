"""Vocabularies (schemas/vocab/*.yml): published codes, the spellings that mean them, and those that state nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.base.declared import Declared
from pipeline.base.errors import DataError, Problem
from pipeline.base.names import clean_name
from pipeline.base.paths import Paths
from pipeline.base.shapes import SCALAR, Shape
from pipeline.base.yamlfile import load_yaml
from pipeline.registry.schema import TYPES

ALIASES: dict[str, Shape] = {"aliases?": [SCALAR]}
ENTRIES: dict[str, Shape] = {  # of the vocabularies whose attributes are read
    "accessibility": ALIASES | {"open_weights": bool},
    "confidence": ALIASES | {"factor": float},
    "countries": ALIASES | {"iso3": (str, None)},
    "dataset_units": ALIASES | {"tokens_per_unit?": float},
    "fields": {"type": set(TYPES), "description": str, "unit?": str, "vocab?": str},
    "methods": ALIASES | {"description": str, "source?": str},
    "model_settings": ALIASES | {"only_marked?": bool},
    "numerical_formats": ALIASES | {"bits": float},
    "organizations": ALIASES | {"category?": str, "country?": str, "parent?": str, "hub?": [str]},
    "reasons": {"description": str},
}


@dataclass(frozen=True)
class Vocabulary:
    """One vocabulary; `lookup` maps every code and alias to its code, and every ignored value to None."""

    name: str
    file: str
    open: bool
    codes: Mapping[str, Mapping[str, Any]]
    lookup: Mapping[str, str | None]
    comma_names: re.Pattern[str] | None = None  # matches the spellings that contain a comma

    def attribute(self, code: str, key: str) -> Any:
        return (self.codes.get(code) or {}).get(key)

    def unknown(self, value: str) -> tuple[str, str]:
        """Reason and remedy for a value that is not listed."""
        near = get_close_matches(value, list(self.lookup), n=1, cutoff=0.8)
        hint = f'did you mean "{near[0]}"? Otherwise add' if near else "add"
        return f"not in the vocabulary {self.name}", f"{hint} it to {self.file} as a code or as an alias of one"


@cache
def load_vocabularies(paths: Paths) -> dict[str, Vocabulary]:
    """Every vocabulary by name. Raises DataError for a file that has not the shape of one, and for a spelling that
    stands for two codes."""
    found = {file.stem: _read(file, paths.short(file)) for file in sorted(paths.vocab.glob("*.yml"))}
    return Declared(found, paths.short(paths.vocab) + "/{}.yml")


def _read(file: Path, where: str) -> Vocabulary:
    raw = load_yaml(file, where, _shape(file.stem))
    codes = {str(code): (entry or {}) for code, entry in raw["codes"].items()}
    lookup: dict[str, str | None] = {}
    problems = []
    pairs = [(clean_name(str(text)), None) for text in raw.get("ignored", [])]
    for text, code in pairs + [(clean_name(str(s)), c) for c, e in codes.items() for s in [c, *e.get("aliases", [])]]:
        if lookup.setdefault(text, code) != code:
            problems.append(
                Problem(where, str(code), "aliases", text, f"also stands for {lookup[text]}", "remove one of the two")
            )
    DataError.raise_any(problems)
    return Vocabulary(file.stem, where, raw["on_unknown"] == "report", codes, lookup, _comma_names(lookup))


def _shape(name: str) -> Shape:
    """The shape of a vocabulary; where no attributes are read, a code may stand alone."""
    entry = ENTRIES.get(name, (ALIASES, None))
    return {"description": str, "ignored?": [SCALAR], "codes": {...: entry}, "on_unknown": {"error", "report"}}


def split_items(text: str, vocabulary: Vocabulary) -> list[str]:
    """The items of a comma-separated cell; a known spelling that contains a comma stays whole."""
    if "," not in text:
        return [text.strip()] if text.strip() else []
    pattern = vocabulary.comma_names
    shielded = pattern.sub(lambda match: match.group().replace(",", "\0"), text) if pattern else text
    return [item for item in (part.replace("\0", ",").strip() for part in shielded.split(",")) if item]


def resolve_items(text: str, vocabulary: Vocabulary) -> tuple[list[str], list[str]]:
    """The codes in a cell, in order and without duplicates, and the items that a closed vocabulary does not know."""
    items = split_items(text, vocabulary)
    unknown = [item for item in items if item not in vocabulary.lookup]
    codes = [vocabulary.lookup.get(item, item) for item in items]
    found = list(dict.fromkeys(code.replace(";", ",") for code in codes if code))
    return found, ([] if vocabulary.open else unknown)


def _comma_names(lookup: Mapping[str, str | None]) -> re.Pattern[str] | None:
    names = sorted((name for name in lookup if "," in name), key=len, reverse=True)
    return re.compile(r"(?<![^,\s])(?:" + "|".join(map(re.escape, names)) + r")(?=\s*(?:,|$))") if names else None
