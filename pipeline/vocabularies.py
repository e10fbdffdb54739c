"""The vocabularies of schemas/vocab/*.yml: published codes and the spellings that mean them, or state nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, NotRequired

from pipeline.errors import DataError, Problem
from pipeline.files import Number, dict_of, load_yaml, mapping
from pipeline.names import clean_name
from pipeline.paths import Paths

ITEM = "[^,;]+"
TypeName = Literal["string", "number", "integer", "boolean", "date", "list"]
# What a vocabulary says of each of its codes, beside the spellings that mean it
ATTRIBUTES: Mapping[str, Mapping[str, Any]] = {
    "accessibility": {"open_weights": bool},
    "confidence": {"factor": Number},
    "countries": {"iso3": str | None},
    "dataset_units": {"tokens_per_unit": NotRequired[Number]},
    "fields": {"type": TypeName, "description": str, "unit": NotRequired[str], "vocab": NotRequired[str]},
    "methods": {"description": str, "source": NotRequired[str]},
    "model_settings": {"only_marked": NotRequired[bool]},
    "numerical_formats": {"bits": Number},
    "organizations": dict.fromkeys(("category", "country", "parent"), NotRequired[str])
    | {"hub": NotRequired[list[str]]},
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
    item: re.Pattern[str] = re.compile(ITEM)  # matches an item of a cell, also a known spelling that contains a comma

    def attribute(self, code: str, key: str) -> Any:
        return self.codes.get(code, {}).get(key)

    def unknown(self, value: str) -> tuple[str, str]:
        """Reason and remedy for a value that is not listed."""
        near = get_close_matches(value, list(self.lookup), n=1, cutoff=0.8)
        hint = f'did you mean "{near[0]}"? Otherwise add' if near else "add"
        return f"not in the vocabulary {self.name}", f"{hint} it to {self.file} as a code or as an alias of one"


@cache
def load_vocabularies(paths: Paths) -> dict[str, Vocabulary]:
    """Every vocabulary by name. Raises DataError for a file that has not the shape of one, and for a spelling that
    stands for two codes."""
    return {file.stem: _load(file.stem, paths) for file in sorted(paths.vocab.glob("*.yml"))}


def _load(name: str, paths: Paths) -> Vocabulary:
    where = f"schemas/vocab/{name}.yml"
    codes = dict_of(mapping(aliases=NotRequired[list[str]], **ATTRIBUTES.get(name, {})))
    shape = mapping(description=str, ignored=NotRequired[list[str]], codes=codes, on_unknown=Literal["error", "report"])
    raw = load_yaml(paths.vocab / f"{name}.yml", where, shape)
    spellings: list[tuple[str, str | None]] = [(clean_name(text), None) for text in raw.get("ignored", [])]
    for code, about in raw["codes"].items():
        spellings += [(clean_name(text), code) for text in (code, *about.get("aliases", []))]
    lookup, problems = dict[str, str | None](), []
    for text, code in spellings:
        if lookup.setdefault(text, code) != code:
            reason = f"also stands for {lookup[text]}"
            problems.append(Problem(where, str(code), "aliases", text, reason, "remove one of the two"))
    DataError.raise_any(problems)
    names = sorted((text for text in lookup if re.search("[,;]", text)), key=len, reverse=True)
    whole = [rf"\s*{re.escape(text)}(?=\s*(?:[,;]|$))" for text in names]
    item = re.compile("|".join([*whole, ITEM]))
    return Vocabulary(name, where, raw["on_unknown"] == "report", raw["codes"], lookup, item)


def resolve_items(text: str, vocabulary: Vocabulary) -> tuple[list[str], list[str]]:
    """The codes in a cell whose items are separated by commas or semicolons, in order and without duplicates, and the
    items that a closed vocabulary does not know. A known spelling that contains a separator stays whole."""
    items = [item for part in vocabulary.item.findall(text) if (item := part.strip())]
    codes = [vocabulary.lookup.get(item, item) for item in items]
    found = list(dict.fromkeys(code for code in codes if code))
    return found, [item for item in items if item not in vocabulary.lookup and not vocabulary.open]
