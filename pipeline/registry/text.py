"""Reads one text as the value of a field: the rules that pull, the build and add-fact share.

Free of pandas, so that add-fact starts quickly. normalize/readings.py reads plain texts a column at a time and leaves
the rest to this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from pipeline.base.dates import DateError, parse_date
from pipeline.registry.fields import TRUE_WORDS, Field
from pipeline.registry.reasons import NOT_A_TRUTH, SEVERAL_VALUES, STATES_NOTHING, UNKNOWN_CODE, ZERO
from pipeline.registry.vocabularies import Vocabulary, resolve_items
from traincompute.units.grammar import Quantity, parse_quantity
from traincompute.units.table import UnitError, factor_of

NUMBER_WITH_UNIT = re.compile(
    r"(?P<number>[0-9]{1,17}(?:\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?)(?P<rest>\s?(?:%|[^\W\d_][^\d.,]*))"
)


class Reading(NamedTuple):
    """What a text says: a number (`value`, `low`, `high` in `unit`) or a `code` for any other kind of value. `note`
    says what was converted on the way, or how precise a date is.

    A text without a readable value has a `reason_code` (from schemas/vocab/reasons.yml), the `reason` in words and
    usually a `remedy`; these are empty for all others."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    note: str = ""
    code: str = ""
    reason_code: str = ""
    reason: str = ""
    remedy: str = ""


def read_text(
    field: Field,
    text: str,
    vocabularies: Mapping[str, Vocabulary],
    *,
    day_first: bool = False,
    latest: date | None = None,
) -> Reading:
    """The text as a value of the field: codes if the field has a vocabulary, otherwise what its type requires.

    `day_first` and `latest` are those of parse_date. Raises LookupError for a field whose unit,
    vocabulary or type it does not know."""
    try:
        return _read(field, text, vocabularies, day_first, latest)._replace(unit=field.unit)
    except (UnitError, DateError) as error:
        return Reading(unit=field.unit, reason_code=error.code, reason=error.reason, remedy=error.remedy)


def _read(
    field: Field, text: str, vocabularies: Mapping[str, Vocabulary], day_first: bool, latest: date | None
) -> Reading:
    if field.vocab:
        return _read_codes(field, text, vocabularies[field.vocab])
    if field.type == "number":
        return _read_number(text, field.unit)
    if field.type == "date":
        found = parse_date(text, day_first=day_first, latest=latest)
        return Reading(code=found.date.isoformat(), note=found.precision)
    if field.type == "boolean":
        return _read_truth(text)
    if field.type != "string":
        raise LookupError(f"a fact of type {field.type} needs a vocabulary")
    return Reading(code=text)


def _read_codes(field: Field, text: str, vocabulary: Vocabulary) -> Reading:
    """The codes joined by ";", in the order of the text if that order matters."""
    codes, unknown = resolve_items(text, vocabulary)
    if unknown:
        reason, remedy = vocabulary.unknown(unknown[0])
        return Reading(reason_code=UNKNOWN_CODE, reason=f'"{unknown[0]}" is {reason}', remedy=remedy)
    if not codes:
        return Reading(reason_code=STATES_NOTHING, reason="states nothing")
    if field.type == "string" and len(codes) > 1:
        remedy = "enter the one that is meant in the curated facts"
        return Reading(reason_code=SEVERAL_VALUES, reason="several values in one cell", remedy=remedy)
    return Reading(code=";".join(codes if field.keep_order else sorted(codes)))


def _read_number(text: str, unit: str) -> Reading:
    """The quantity. No field of this dataset can be zero; sources write 0.0 when the value is unknown."""
    found = _quantity(text, unit)
    if not any(found[:3]):
        return Reading(note=found.note, reason_code=ZERO, reason="zero is no quantity")
    return Reading(found.value, found.low, found.high, note=found.note)


def _read_truth(text: str) -> Reading:
    if code := TRUE_WORDS.get(text.lower()):
        return Reading(code=code)
    remedy = f"write {' or '.join(TRUE_WORDS)}"
    return Reading(reason_code=NOT_A_TRUTH, reason="neither true nor false", remedy=remedy)


def _quantity(text: str, unit: str) -> Quantity:
    """parse_quantity, but faster for plain numbers with a unit: the unit is parsed only once, from "1 unit"."""
    match = NUMBER_WITH_UNIT.fullmatch(text)
    one, factor = _one(match["rest"], unit) if match else (None, None)
    value = float(Fraction(match["number"]) * factor) if match and factor else 0.0
    return one._replace(value=value) if one and 0 < value < float("inf") else parse_quantity(text, unit)


@cache
def _one(rest: str, unit: str) -> tuple[Quantity | None, Fraction | None]:
    """What "1 unit" says, and the exact factor of that unit."""
    try:
        return parse_quantity(f"1{rest}", unit), factor_of(rest.strip(), unit)
    except UnitError:
        return None, None
