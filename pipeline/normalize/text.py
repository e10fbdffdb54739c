"""Reads one text as the value of a field: the rules that pull, the build and add-fact share.

Strict: day and month are never guessed; a text that could be read in two ways, or that is not a date in the calendar,
is refused with a reason and a remedy. Free of pandas, so that add-fact starts quickly; parse.py reads plain texts a
column at a time and leaves the rest to this module."""

from __future__ import annotations

import calendar
import datetime as dt
import difflib
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from pipeline.schema import Field
from pipeline.vocabularies import Vocabulary, resolve_items
from traincompute.units import Quantity, UnitError, factor_of, parse_quantity

TRUE_WORDS = {"true": "true", "yes": "true", "1": "true", "false": "false", "no": "false", "0": "false"}
NUMBER_WITH_UNIT = re.compile(
    r"(?P<number>[0-9]{1,17}(?:\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?)(?P<rest>\s?(?:%|[^\W\d_][^\d.,]*))"
)


class ParsedValue(NamedTuple):
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
    latest: dt.date | None = None,
) -> ParsedValue:
    """The text as a value of the field: codes if the field has a vocabulary, otherwise what its type requires.

    `day_first` and `latest` are those of parse_date. Raises LookupError for a field whose unit,
    vocabulary or type it does not know."""
    try:
        return _read(field, text, vocabularies, day_first, latest)._replace(unit=field.unit)
    except (UnitError, DateError) as error:
        return ParsedValue(unit=field.unit, reason_code=error.code, reason=error.reason, remedy=error.remedy)


def _read(
    field: Field, text: str, vocabularies: Mapping[str, Vocabulary], day_first: bool, latest: dt.date | None
) -> ParsedValue:
    if field.vocab:
        return _read_codes(field, text, vocabularies[field.vocab])
    if field.type == "string":
        return ParsedValue(code=text)
    if field.type == "date":
        found = parse_date(text, day_first=day_first, latest=latest)
        return ParsedValue(code=found.date.isoformat(), note=found.precision)
    if field.type == "number":
        number = _quantity(text, field.unit)
        if any(number[:3]):
            return ParsedValue(number.value, number.low, number.high, note=number.note)
        # no field of this dataset can be zero; sources write 0.0 when the value is unknown
        return ParsedValue(note=number.note, reason_code="zero", reason="zero is no quantity")
    if field.type != "boolean":
        raise LookupError(f"a fact of type {field.type} needs a vocabulary")
    if code := TRUE_WORDS.get(text.lower()):
        return ParsedValue(code=code)
    remedy = f"write {' or '.join(TRUE_WORDS)}"
    return ParsedValue(reason_code="not_a_truth", reason="neither true nor false", remedy=remedy)


def _read_codes(field: Field, text: str, vocabulary: Vocabulary) -> ParsedValue:
    """The codes joined by ";", in the order of the text if that order matters."""
    codes, unknown = resolve_items(text, vocabulary)
    if unknown:
        reason, remedy = vocabulary.unknown(unknown[0])
        return ParsedValue(reason_code="unknown_code", reason=f'"{unknown[0]}" is {reason}', remedy=remedy)
    if not codes:
        return ParsedValue(reason_code="states_nothing", reason="states nothing")
    if field.type == "string" and len(codes) > 1:
        remedy = "enter the one that is meant in the curated facts"
        return ParsedValue(reason_code="several_values", reason="several values in one cell", remedy=remedy)
    return ParsedValue(code=";".join(codes if field.keep_order else sorted(codes)))


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


# --- Dates

LONGEST_TEXT = 60
# The first machine that was trained is Theseus (1950). The end is fixed: no clock is read, so results never change
FIRST_YEAR, LAST_YEAR = 1940, 2100

MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
ABBREVIATIONS = {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}

TIME = r"[ T](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
ISO = re.compile(rf"([0-9]{{4}})(?:-([0-9]{{2}})(?:-([0-9]{{2}})(?:{TIME})?)?)?")
SLASHES = re.compile(r"(?:([0-9]{1,2})/)?([0-9]{1,2})/([0-9]{4})")
WORDS = (
    re.compile(r"(?P<month>[A-Za-z]+)\.?,? (?P<year>[0-9]{4})"),
    re.compile(r"(?P<month>[A-Za-z]+)\.? (?P<day>[0-9]{1,2}),? (?P<year>[0-9]{4})"),
    re.compile(r"(?P<day>[0-9]{1,2}) (?P<month>[A-Za-z]+)\.?,? (?P<year>[0-9]{4})"),
)
NOTHING = frozenset({"n/a", "na", "none", "null", "unknown", "forthcoming", "tbd", "-", "?"})


class PartialDate(NamedTuple):
    """A date and how much of it is known: precision is day, month (the date is the 1st) or year (1 January)."""

    date: dt.date
    precision: str


class DateError(ValueError):
    """The text is not a date: `reason` says why, `remedy` what to write, and `code` is the kind of reason
    (schemas/vocab/reasons.yml)."""

    def __init__(self, reason: str, remedy: str, code: str = "not_a_date") -> None:
        super().__init__(f"{reason}; {remedy}")
        self.code = code
        self.reason = reason
        self.remedy = remedy


def parse_date(text: str, *, day_first: bool = False, latest: dt.date | None = None) -> PartialDate:
    """The date that the text states, with its precision: the first day that its parts allow.

    25/11/2019 and 05/2019 are read only if the source is known to write the day first. Dates before 1940,
    after 2100 or after `latest` are refused. Raises DateError.
    """
    if len(text) > LONGEST_TEXT:
        raise DateError(f"longer than {LONGEST_TEXT} characters", "keep the date alone, as YYYY-MM-DD", "too_long")
    plain = " ".join(text.split())
    if not plain or plain.lower() in NOTHING:
        raise DateError("no date stated" if plain else "empty", "leave the fact out, or enter a date", "no_value")
    year, month, day = (None if part is None else int(part) for part in _parts(plain, day_first))
    if month is not None and not 1 <= month <= 12:
        raise DateError(f"the calendar has no month {month}", "check whether day and month are swapped")
    if year is None or not FIRST_YEAR <= year <= LAST_YEAR:
        reason = f"the year {year} is not between {FIRST_YEAR} and {LAST_YEAR}"
        raise DateError(reason, "check the year", "out_of_range")
    length = calendar.monthrange(year, month or 1)[1]
    if day is not None and not 1 <= day <= length:
        name = f"{calendar.month_name[month or 1]} {year}"
        raise DateError(f"the calendar has no day {day} in {name}, which has {length}", "check the day")
    date = dt.date(year, month or 1, day or 1)
    if latest is not None and date > latest:
        raise DateError(f"{date} is later than {latest}", "check the year", "out_of_range")
    return PartialDate(date, "day" if day else "month" if month else "year")


def _parts(plain: str, day_first: bool) -> Sequence[str | int | None]:
    """Year, month and day as they stand in one of the forms; None for a part that is not stated."""
    if match := ISO.fullmatch(plain):
        return match.groups()
    if match := SLASHES.fullmatch(plain):
        if day_first:
            return match.groups()[::-1]
        remedy = "write YYYY-MM-DD or YYYY-MM, or say in source.yml that the source writes the day first"
        raise DateError("the order of day and month is not known", remedy, "ambiguous")
    match = next(filter(None, (form.fullmatch(plain) for form in WORDS)), None)
    if not match:
        raise DateError(f'"{plain}" is not a date', "write YYYY-MM-DD, YYYY-MM or YYYY")
    word, parts = match["month"].lower(), match.groupdict()
    number = MONTHS.get(word) or ABBREVIATIONS.get(word)
    if number is None:
        near = difflib.get_close_matches(word, MONTHS, n=1)
        better = near and plain.replace(match["month"], near[0].title())
        remedy = f'did you mean "{better}"?' if better else "write YYYY-MM-DD"
        raise DateError(f'unknown month "{match["month"]}"', remedy)
    return parts["year"], number, parts.get("day")
