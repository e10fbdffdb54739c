"""Parses a number with its unit. Strict: a text is read in full, converted with a note, or refused with a reason and a
remedy; nothing is guessed. The units are in traincompute/units/table.py."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from traincompute.units.table import UNITS, UnitError, factor_of, unknown_unit

LONGEST_TEXT = 200
QUANTITY = re.compile(
    r"(?:(?P<low>≥|>=?|(?:at least|more than|over|above)\b)|(?P<high>≤|<=?|(?:at most|less than|up to|under|below)\b)"
    r"|(?P<about>~|≈|(?:about|around|approximately)\b|approx\.))?\s*\+?(?P<currency>(?:US)?\$)?\s*"
    r"(?:10\^(?P<bare>[+-]?[0-9]+)"
    r"|(?P<mantissa>[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?:e(?P<e>[+-]?[0-9]+)|\s*[x×·]\s*10\^(?P<power>[+-]?[0-9]+))?)"
    r"(?![0-9.,;_^*]|e[+-]?[0-9]|\s+[.,]?[0-9])\s*(?P<suffix>.*)",
    re.IGNORECASE,
)
RANGE = re.compile(r"(?:±|\+/-|[-–—]|\bto\b)\s*[$.0-9]")
ITEM = r"[0-9]+(?:\.[0-9]+)?(?:[eE][0-9]+)?"
LIST = re.compile(rf"{ITEM}(?:[,;]\s*{ITEM})+")
NOTHING = ("n/a", "na", "none", "null", "unknown", "tbd", "-", "–", "?", "not stated")


class Quantity(NamedTuple):
    """A number in the asked unit; of a bound ("> 1e25") `low` or `high` and no value. `note` says what was
    converted."""

    value: float | None
    low: float | None
    high: float | None
    note: str


def parse_quantity(text: str, unit: str) -> Quantity:
    """The quantity that the text states, in `unit` (a key of UNITS), rounded once, to the nearest float64. Raises
    UnitError for a text outside the grammar, and LookupError for a unit that UNITS does not have.

    >>> parse_quantity("3,640 pfs-days", "FLOP").value  # GPT-3 [Brown et al. 2020, table D.1]
    3.14496e+23
    >>> parse_quantity("> 1e25", "FLOP")
    Quantity(value=None, low=1e+25, high=None, note='')
    """
    if unit not in UNITS:
        raise LookupError(f'unit "{unit}" is not in traincompute/units/table.py: enter it with its spellings')
    if len(text) > LONGEST_TEXT:
        raise UnitError(f"longer than {LONGEST_TEXT} characters", "keep the number and its unit", "too_long")
    plain = " ".join(text.split())
    if not plain or plain.lower() in NOTHING:
        raise UnitError("no value stated" if plain else "empty", "leave the fact out, or enter a number", "no_value")
    found = QUANTITY.fullmatch(plain)
    if not found:
        if LIST.fullmatch(plain):
            return parse_quantity(_one_of_list(plain, unit), unit)._replace(note="list of equal values")
        if re.match(r"[+$\s]*-\s*[$.0-9]", plain):
            raise UnitError("negative", "quantities are positive: check the sign", "negative")
        raise UnitError("not a number", 'write digits without spaces, such as "1400000000000" or "1.4e12"')
    suffix, mantissa, power = found["suffix"], found["mantissa"] or "1", found["bare"] or found["power"]
    if found["currency"] and unit != "USD":
        raise unknown_unit("$", unit)
    factor = factor_of(suffix, unit)
    if factor is None and RANGE.search(suffix):
        raise UnitError("a range", 'write one number, or a bound such as "> 1e24"', "ambiguous")
    if factor is None:
        raise unknown_unit(suffix, unit)
    value = _float(Fraction(mantissa.replace(",", "")), int(found["e"] or power or 0), factor, unit)
    shown = f"{float(factor):g}"
    exactly = shown if Fraction(shown) == factor else f"{float(factor):.10g}"
    notes = {
        "approximate": found["about"],
        "thousands separators": "," in mantissa,
        "power of ten": power,
        '"$" = 1 USD': found["currency"],
        f'"{suffix}" = {exactly} {"" if unit == "1" else unit}'.rstrip(): suffix,
    }
    note = "; ".join(text for text, is_true in notes.items() if is_true)
    if found["low"] or found["high"]:
        return Quantity(None, value if found["low"] else None, value if found["high"] else None, note)
    return Quantity(value, None, None, note)


def _one_of_list(items: str, unit: str) -> str:
    """The number that a list of counts repeats. Raises UnitError if it has several, or may be a decimal comma."""
    numbers = re.split(r"[,;]\s*", items)
    is_one = len({*map(float, numbers)}) == 1
    if re.fullmatch("0,[0-9]+|[0-9]{1,3},[0-9]{1,2}", items) and not (is_one and unit == "item"):
        raise UnitError("decimal comma", f'write "{items.replace(",", ".")}" if that is meant', "ambiguous")
    if not is_one:
        remedy = "enter the one that is meant in the curated facts"
        raise UnitError("several values in one cell", remedy, "several_values")
    return numbers[0]


def _float(mantissa: Fraction, exponent: int, factor: Fraction, unit: str) -> float:
    """Their product; an absurd power of ten is refused before it is computed."""
    if not mantissa and unit not in ("1", "item"):
        raise UnitError("zero", "enter a positive number, or leave the fact out", "zero")
    try:
        value = float(mantissa * Fraction(10) ** exponent * factor) if mantissa and abs(exponent) < 1000 else 0.0
    except OverflowError:
        value = 0.0
    if mantissa and not value:
        raise UnitError("too large or too small for a 64-bit float", "check the exponent", "out_of_range")
    return value
