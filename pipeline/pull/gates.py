"""Gates of a live pull: a snapshot that is too small, lost or changed too much, or cannot be read stops before anything
is written.

The gates of all rows stand in source.yml, those of each column in limits.csv beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from pipeline.base.dates import DateError, parse_date
from pipeline.base.errors import Problem
from pipeline.pull.revisions import Revision, revisions
from pipeline.pull.tabular import Fact, Reading
from pipeline.registry.limits import UNKNOWN, Limit
from pipeline.registry.sources import Source
from traincompute.units.grammar import parse_quantity
from traincompute.units.table import UnitError

FEW = 2  # cells that may always change, and …
ENOUGH = 20  # … how many a column must have for its shares of filled cells and distinct values to say anything
Fault = tuple[str, str, str]  # field, reason and remedy


def check_gates(source: Source, reading: Reading, before: Iterable[Fact], where: str) -> list[Problem]:
    """What speaks against accepting the reading: rows, rows and names lost against `before`, unreadable cells."""
    gates = source.gates
    names = {fact.record for fact in reading.facts}
    before = list(before)
    old = {fact.record for fact in before}
    named = reading.rows - reading.unnamed
    faults = chain(
        _rows(gates, named, len(old)),
        _names(gates, names, old),
        _cells(gates, reading),
        _columns(source, reading.facts, before),
    )
    return [Problem(where, "", field, "", reason, remedy) for field, reason, remedy in faults]


def _rows(gates: Mapping[str, Any], named: int, before: int) -> Iterator[Fault]:
    floor = max(gates.get("min_rows", 1), round(before * (1 - gates.get("max_shrink", 1))))
    if named < floor:
        remedy = "look whether the file is cut; else lower gates.min_rows or gates.max_shrink in source.yml"
        yield "", f"{named} named rows, at least {floor} expected ({before} before)", remedy


def _names(gates: Mapping[str, Any], names: set[str], old: set[str]) -> Iterator[Fault]:
    gone = len(old - names)
    if old and gone > gates.get("max_names_gone", 1) * len(old):
        remedy = "look whether the name column was exchanged; else raise gates.max_names_gone in source.yml"
        yield "name", f"{gone} of {len(old)} names are gone", remedy


def _cells(gates: Mapping[str, Any], reading: Reading) -> Iterator[Fault]:
    remedy = "look at the column; its form or meaning may have changed"
    for field, floor in gates.get("min_parsable", {}).items():
        texts = [fact.value_text for fact in reading.facts if fact.field == field and not fact.locator]
        good = sum(_readable(field, text) for text in texts)
        if texts and good < floor * len(texts):
            yield field, f"only {good} of {len(texts)} cells can be read, {floor:.0%} expected", remedy


def _columns(source: Source, after: Iterable[Fact], before: Iterable[Fact]) -> Iterator[Fault]:
    """Columns that were revised beyond their limits."""
    remedy = "look whether the column was renamed or its cells have moved; else raise its limit, with the reason, in"
    for field, seen in sorted(revisions(before, after).items()):
        if reason := _reason(seen, source.limits.get(field, UNKNOWN)):
            yield field, reason, f"{remedy} data/raw/{source.id}/limits.csv"


def _reason(seen: Revision, limit: Limit) -> str:
    """Which limit a column breaks, the first of them; "" where it breaks none."""
    for what, count, most in (
        ("emptied", seen.emptied, limit.max_emptied),
        ("changed", seen.changed, limit.max_changed),
    ):
        if count > max(FEW, most * seen.cells):
            return f"{count} of {seen.cells} cells were {what}, at most {most:.3g} of them expected"
    for what, left, least in (
        ("filled cells", seen.filled, limit.min_filled),
        ("distinct values", seen.distinct, limit.min_distinct),
    ):
        if seen.cells >= ENOUGH and left < least:
            return f"its share of {what} is {left:.2g} of what it was, at least {least:.3g} expected"
    return ""


def _readable(field: str, text: str) -> bool:
    """Whether a text is a date or a quantity; whether its unit is that of the field is judged cell by cell."""
    try:
        if field == "date" or field.endswith("_date"):
            parse_date(text, day_first=True)
        else:
            parse_quantity(text, "item")
    except UnitError as error:
        return error.code == "wrong_unit"
    except DateError:
        return False
    return True
