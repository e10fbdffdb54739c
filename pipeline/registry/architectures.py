"""Reads data/raw/curated/architectures.csv: the kinds of network that the compute of a model depends on.

They hold in every vintage: what a model is does not change, and gives no answer away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pipeline.base.csvfile import read_rows
from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.registry.provenance import CITATION, citation_faults
from pipeline.registry.vocabularies import Vocabulary

HEADER = ("model_id", "architecture", "locator", *CITATION)


class Architecture(NamedTuple):
    """One line: the model and a code of the vocabulary `architectures`."""

    model_id: str
    code: str


def load_architectures(paths: Paths, vocabulary: Vocabulary) -> list[Architecture]:
    """The lines. Raises DataError for an unknown code or evidence, a missing reference and a
    doubled line."""
    where = paths.short(paths.architectures)
    seen: set[Architecture] = set()
    problems: list[Problem] = []
    for number, row in read_rows(paths.architectures, where, HEADER):
        line = Architecture(row[0], row[1])
        for reason, remedy in _faults(dict(zip(HEADER, row, strict=True)), line in seen, vocabulary):
            problems.append(Problem(f"{where}:{number}", line.model_id, "architecture", line.code, reason, remedy))
        seen.add(line)
    DataError.raise_any(problems)
    return sorted(seen)


def _faults(row: dict[str, str], doubled: bool, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    if row["architecture"] not in vocabulary.codes:
        yield vocabulary.unknown(row["architecture"])
    yield from citation_faults(row)
    if doubled:
        yield "is listed twice", "remove one of the two lines"
