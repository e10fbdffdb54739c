"""Parses numbers with units. Strict: a text is read in full by a small anchored grammar, converted with a note, or
refused with a reason and a remedy. Nothing is guessed. The factors are in traincompute/units/table.py."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from traincompute.units.table import (
    COUNTABLE,
    ZERO_ALLOWED,
    UnitError,
    check_unit,
    factor_of,
    name_of,
    short_factor,
    unknown_unit,
)

OUT_OF_RANGE = ("too large or too small for a 64-bit float", "check the exponent", "out_of_range")
LONGEST_TEXT, MOST_DIGITS = 200, 40

NUMBER = re.compile(
    r"\+?\s*(?P<currency>(?:US\$|\$|USD\s)\s*)?(?:10(?:\^|\*\*)(?P<bare>[+-]?[0-9]+)"
    r"|(?P<mantissa>[1-9][0-9]{0,2}(?:,[0-9]{3})+(?!,?[0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?:[eE](?P<e>[+-]?[0-9]+)|\s*[x×*·⋅]\s*10(?:\^|\*\*)(?P<power>[+-]?[0-9]+))?)"
)
ITEM = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
LIST = re.compile(rf"{ITEM}(?:[,;]\s*{ITEM})+")
DECIMAL_COMMA = re.compile("0,[0-9]+|[0-9]{1,3},[0-9]{1,2}")
JOINT = re.compile(r"\s*(?P<sign>±|\+/-|\+-|-|–|—|\bto\b)\s*(?=[$.0-9]|US)")
QUALIFIER = re.compile(
    r"(?P<low>≥|⩾|>=?|(?:at least|more than|over|above)\b)"
    r"|(?P<high>≤|⩽|<=?|(?:less than|at most|up to|under|below)\b)"
    r"|(?P<about>~|≈|(?:approximately|about|around|roughly|circa)\b|(?:approx|ca?)\.|approx\b)",
    re.IGNORECASE,
)
NOTHING = frozenset({"n/a", "na", "none", "null", "unknown", "unk", "tbd", "-", "–", "—", "?", "not stated"})
INFINITE = re.compile("[+-]?(?:nan|inf|infinity|∞)", re.IGNORECASE)
SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
# Not NFKC: that would make 21 of "2①" and 102 of "10₂"
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x2212: ord("-")}


class Quantity(NamedTuple):
    """A number in the asked unit. `low` and `high` are what the text itself says: a bound, a range or a ±."""

    value: float | None
    low: float | None
    high: float | None
    note: str


class _Number(NamedTuple):
    mantissa: Fraction
    exponent: int | None
    notes: tuple[str, ...]
    suffix: str = ""


def parse_quantity(text: str, unit: str) -> Quantity:
    """The quantity that the text states, in `unit` (a key of UNITS), rounded once, to the nearest float64.

    A bound ("> 1e25") has no value but low or high, a range low and high; > and ≥ are not told apart. Raises
    UnitError for a text outside the grammar, and LookupError for a unit that UNITS does not have.

    >>> parse_quantity("3,640 pfs-days", "FLOP").value  # GPT-3 [Brown et al. 2020, table D.1]
    3.14496e+23
    >>> parse_quantity("> 1e25", "FLOP")
    Quantity(value=None, low=1e+25, high=None, note='')
    """
    check_unit(unit)
    plain, notes = _clean(text)
    qualifier = QUALIFIER.match(plain)
    body = plain[qualifier.end() :].lstrip() if qualifier else plain
    kind = (qualifier.lastgroup or "") if qualifier else ""
    if kind == "about":
        notes.append("approximate")
    if LIST.fullmatch(body) and not NUMBER.fullmatch(body):
        body = _one_of_list(body, unit)
        notes.append("list of equal values")
    first, rest = _number(body, unit)
    joint = JOINT.search(rest)
    if not joint:
        amount, said = _amount(first._replace(suffix=rest.strip()), unit)
        value, note = _float(amount, unit), "; ".join([*notes, *said])
        ends = {"low": Quantity(None, value, None, note), "high": Quantity(None, None, value, note)}
        return ends.get(kind, Quantity(value, None, None, note))
    if kind in ("low", "high"):
        raise UnitError("a bound and a range in one cell", "keep the one that is meant", "ambiguous")
    second, tail = _number(rest[joint.end() :], unit)
    pair = _share(first._replace(suffix=rest[: joint.start()].strip()), second._replace(suffix=tail.strip()))
    (a, said), (b, also) = _amount(pair[0], unit), _amount(pair[1], unit)
    notes = list(dict.fromkeys([*notes, *said, *also]))
    if joint["sign"] in ("±", "+/-", "+-"):
        return Quantity(_float(a, unit), _float(a - b, unit), _float(a + b, unit), "; ".join(notes))
    if a > b:
        raise UnitError("a range that runs downwards", "write both ends in full, the smaller first", "ambiguous")
    return Quantity(None, _float(a, unit), _float(b, unit), "; ".join(notes))


def _clean(text: str) -> tuple[str, list[str]]:
    """The text with one kind of digit, sign and space, and what was converted for that."""
    if len(text) > LONGEST_TEXT:
        raise UnitError(f"longer than {LONGEST_TEXT} characters", "keep the number and its unit", "too_long")
    raised = re.sub("[⁰¹²³⁴-⁹⁺⁻]+", lambda m: "^" + m[0].translate(SUPERSCRIPT), text)
    plain = " ".join(raised.translate(FULL_WIDTH).split())
    if not plain or plain.lower() in NOTHING:
        reason = "no value stated" if plain else "empty"
        raise UnitError(reason, "leave the fact out, or enter a number", "no_value")
    if INFINITE.fullmatch(plain):
        raise UnitError("not a finite number", "enter a finite number, or leave the fact out")
    if re.search(rf"[0-9](?:[.,]?[0-9]){{{MOST_DIGITS}}}", plain):
        raise UnitError(f"a number with more than {MOST_DIGITS} digits", "check the number; 17 digits are kept")
    return plain, ["converted full-width digits"] if re.search("[０-９]", text) else []


def _number(text: str, unit: str) -> tuple[_Number, str]:
    """The number at the start of the text, and what follows it."""
    match = NUMBER.match(text)
    if not match or re.match("0x", text, re.IGNORECASE):
        raise _not_a_number(text)
    rest = text[match.end() :]
    if re.match(r"[0-9.,;_^*]|[eE][+-]?[0-9]|\s+[.,]?[0-9]", rest):
        raise _not_a_number(text)
    mantissa, power = match["mantissa"] or "1", match["bare"] or match["power"]
    if match["currency"] and unit != "USD":
        raise UnitError(f'"$" is a unit of USD, not of {name_of(unit)}', "write the number alone", "wrong_unit")
    notes = {"thousands separators": "," in mantissa, "power of ten": power, '"$" = 1 USD': match["currency"]}
    digits = power or match["e"]
    exponent = None if digits is None else int(digits)
    said = tuple(note for note, seen in notes.items() if seen)
    return _Number(Fraction(mantissa.replace(",", "")), exponent, said), rest


def _not_a_number(text: str) -> UnitError:
    if re.match(r"[+$\s]*-\s*[$.0-9]", text):
        return UnitError("negative", "quantities are positive: check the sign", "negative")
    return UnitError("not a number", 'write digits without spaces or underscores, such as "1400000000000" or "1.4e12"')


def _one_of_list(body: str, unit: str) -> str:
    """The number that a list repeats. Raises UnitError if the list has several, or may be a decimal comma."""
    items = re.split(r"[,;]\s*", body)
    alike = len({_exact(_number(item, unit)[0]) for item in items}) == 1
    if DECIMAL_COMMA.fullmatch(body) and not (alike and unit in COUNTABLE):
        raise UnitError("decimal comma", f'write "{body.replace(",", ".")}" if that is meant', "ambiguous")
    if not alike:
        remedy = "enter the one that is meant in the curated facts"
        raise UnitError("several values in one cell", remedy, "several_values")
    return items[0]


def _share(a: _Number, b: _Number) -> tuple[_Number, _Number]:
    """Both ends in full: "1–3e24 FLOP" is 1e24 FLOP to 3e24 FLOP. Only a bare first number borrows."""
    if (a.suffix and not b.suffix) or (a.exponent is not None and b.exponent is None):
        raise UnitError("unclear what the second number counts", "write both numbers in full", "ambiguous")
    if a.suffix:
        return a, b
    if a.exponent is None and b.exponent is not None:
        a = a._replace(exponent=b.exponent, notes=(*a.notes, "exponent taken for both numbers"))
    return a._replace(suffix=b.suffix), b


def _exact(number: _Number) -> Fraction:
    """Mantissa times power of ten; an absurd power is refused before it is computed."""
    exponent = number.exponent or 0
    if number.mantissa and abs(exponent) > 999:
        raise UnitError(*OUT_OF_RANGE)
    return number.mantissa * Fraction(10) ** exponent if number.mantissa else number.mantissa


def _amount(number: _Number, unit: str) -> tuple[Fraction, list[str]]:
    """The exact amount in the unit and what was converted."""
    amount, notes = _exact(number), [*number.notes]
    if not number.suffix:
        return amount, notes
    factor = factor_of(number.suffix, unit)
    if factor is None:
        raise unknown_unit(number.suffix, unit)
    notes.append(f'"{number.suffix}" = {short_factor(factor)} {unit if unit != "1" else ""}'.rstrip())
    if unit in ("FLOP", "FLOP/s") and number.suffix.endswith("FLOPS" if unit == "FLOP" else "FLOPs"):
        notes.append("FLOPS taken as an amount, not a rate" if unit == "FLOP" else "FLOPs taken as a rate")
    return amount * factor, notes


def _float(amount: Fraction, unit: str) -> float:
    if amount < 0 or (not amount and unit not in ZERO_ALLOWED):
        kind = "negative" if amount else "zero"
        raise UnitError(kind, "enter a positive number, or leave the fact out", kind)
    try:
        value = float(amount)
    except OverflowError:
        value = 0.0
    if amount and not value:
        raise UnitError(*OUT_OF_RANGE)
    return value
