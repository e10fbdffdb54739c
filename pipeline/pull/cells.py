"""Reads every cell of a snapshot as the build will, before anything of it is entered."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from pipeline.base.errors import Problem
from pipeline.base.paths import Paths
from pipeline.pull.tabular import Fact
from pipeline.registry.fields import PAST, field_registry
from pipeline.registry.reasons import STATES_NOTHING, UNKNOWN_CODE
from pipeline.registry.schema import load_schemas
from pipeline.registry.sources import Source
from pipeline.registry.text import read_text
from pipeline.registry.vocabularies import load_vocabularies


def unread_cells(
    paths: Paths, source: Source, facts: Iterable[Fact], day: date, where: str
) -> tuple[list[Problem], list[Problem]]:
    """The cells of a snapshot of that day with which no build would work, and those that the build sets aside."""
    vocabularies = load_vocabularies(paths)
    fields = field_registry(load_schemas(paths), vocabularies, [source.subject])
    is_early = source.day_first_until is not None and day < source.day_first_until
    refused: list[Problem] = []
    aside: list[Problem] = []
    for fact in facts:
        problem = Problem(where, fact.record, fact.field, fact.value_text, "", "")
        field = fields.get(f"{source.subject}.{fact.field}")
        if any(len(text.splitlines()) != 1 or "\0" in text for text in fact[:3]):
            refused.append(problem._replace(reason="empty, or more than one line", remedy="look at the file"))
        elif field is None:
            remedy = f"use a column of schemas/{source.subject}.yml or a field of schemas/vocab/fields.yml"
            refused.append(problem._replace(reason="no such field", remedy=remedy))
        else:
            day_first, latest = is_early and fact.field.endswith("_date"), day if fact.field in PAST else None
            read = read_text(field, fact.value_text, vocabularies, day_first=day_first, latest=latest)
            if read.reason_code not in ("", STATES_NOTHING):
                cells = refused if read.reason_code == UNKNOWN_CODE else aside
                cells.append(problem._replace(reason=read.reason, remedy=read.remedy))
    return refused, aside
