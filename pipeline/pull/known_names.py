"""A record keeps its name where upstream adds another of the same name: `name @ link` is still `name` if the last
snapshot had one record of that name, with that link."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.pull.tabular import LINK_FIELD, Fact


def keep_names(facts: list[Fact], before: Iterable[Fact]) -> list[Fact]:
    """The facts of a snapshot, with the records that the one before had under their bare name."""
    now = {fact.record for fact in facts}
    known = {f"{fact.record} @ {link}": fact.record for fact in before if (link := _link(fact))}
    kept = {record: name for record in now if (name := known.get(record)) and name not in now}
    return [fact._replace(record=kept.get(fact.record, fact.record)) for fact in facts]


def _link(fact: Fact) -> str:
    """The first link of a record without one in its name."""
    is_bare = fact.field == LINK_FIELD and not fact.locator and " @ " not in fact.record
    return fact.value_text.split()[0] if is_bare else ""
