"""Proposes the model that a record of a speaking source is about, where neither its name nor a line says so yet.

A speaking source names the form that it tested ("Falcon3-7B-Instruct") and the day of a version, so names are compared
without those, and the size is compared as a number. Whether the form is the model is for a person to decide.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import NamedTuple

from rapidfuzz import fuzz

from pipeline.base.names import skeleton
from pipeline.curate.entries import NAME_SCORE, Entry, bare_name, sizes_agree

FORMS = frozenset(["base", "chat", "fp8", "instruct", "instructed", "it", "latest", "pretrained", "preview"])
STAMP = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b20\d{6}\b|\(2[3-9](?:0[1-9]|1[0-2])\)")  # the day or month of a version
WORD = re.compile(r"[^\W_]+(?:\.\d+[^\W_]*)?")
SIZE = re.compile(r"(\d+(?:\.\d+)?)([kmbt])")
FACTORS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


class Spelling(NamedTuple):
    """A name in the form in which it is compared: its words in order of the alphabet, also without gaps, its versions,
    its sizes."""

    words: str
    letters: str
    versions: tuple[str, ...]
    sizes: frozenset[float]


def spoken_pairs(
    silent: list[Entry], models: list[Entry], spoken: Collection[tuple[str, str]]
) -> Iterator[tuple[str, float, Entry, Entry]]:
    """("voice", score, model, record) for the records without a model that are named and sized like one.

    `spoken` holds (source, model_id) where a source already speaks of a model: what else it lists under a similar name
    is the same model run in another way, and adds no voice."""
    by_version: dict[tuple[str, ...], list[tuple[Spelling, Entry]]] = defaultdict(list)
    for model in models:
        spelling = spell(model)
        by_version[spelling.versions].append((spelling, model))
    for record in silent:
        spelling = spell(record)
        for other, model in by_version[spelling.versions]:
            heard = any((source, model.model_id) in spoken for source in record.sources)
            if not heard and sizes_agree(spelling.sizes, other.sizes) and (score := _score(spelling, other)):
                yield "voice", score, model, record


def spell(entry: Entry) -> Spelling:
    """The name without forms, stamps and sizes; the sizes are those stated and those in the name."""
    words = WORD.findall(STAMP.sub(" ", bare_name(entry.record).lower()))
    sizes = {float(m[1]) * FACTORS[m[2]] for m in map(SIZE.fullmatch, words) if m}
    kept = sorted(word for word in words if word not in FORMS and not SIZE.fullmatch(word))
    versions = sorted(re.findall(r"\d+(?:\.\d+)?", " ".join(kept)))
    return Spelling(" ".join(kept), skeleton(" ".join(kept)), tuple(versions), frozenset(sizes | entry.parameters))


def _score(one: Spelling, other: Spelling) -> float:
    """The similarity of two names, with or without the gaps between their words; 0 below the limit."""
    gaps = fuzz.ratio(one.words, other.words, score_cutoff=NAME_SCORE)
    return max(gaps, fuzz.ratio(one.letters, other.letters, score_cutoff=NAME_SCORE))
