"""Numbers with their units: one grammar and one table of units, which is the only place with conversion factors.
Strict: a text is read in full, converted with a note, or refused with a reason and a remedy; nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import NamedTuple

DAY = 86_400  # seconds
# 1e15 FLOP/s for a day = 8.64e19 FLOP [Amodei and Hernandez 2018, openai.com/index/ai-and-compute]
FLOP_PER_PFS_DAY = float(10**15 * DAY)
SCALES = {"K": 3, "k": 3, "thousand": 3, "M": 6, "million": 6, "B": 9, "billion": 9, "T": 12, "trillion": 12}
# SI prefixes as powers of ten [SI brochure, 9th edition, table 7]; K is a common slip for k
SYMBOLS = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24}
PREFIXES = SYMBOLS | {"mega": 6, "giga": 9, "tera": 12, "peta": 15, "exa": 18, "zetta": 21}
# a month is a twelfth of the Julian year of 8,766 h (365.25 days)
HOURS: dict[str, Fraction | float] = {"second": Fraction(1, 3600), "minute": Fraction(1, 60), "hour": 1, "day": 24,
                                      "week": 168, "month": 730.5, "year": 8766}  # fmt: skip
CHIPS = ("chip", "gpu", "tpu", "v100", "a100", "h100", "h800")
ALONE = ("parameter", "token", "epoch", "node", "token/s", "g/kWh", "nm", "example", "OP/s", "bit/s", "mm^2",
         "MHz", "bit", "degree")  # fmt: skip
NAMES = {"item": "a plain count", "1": "a ratio"}  # of units without a word
SCALED = re.compile(r"([KkMBT](?![A-Za-z])|(?i:thousand|million|billion|trillion)\b)\s*(.*)")


def _spelled(units: Mapping[str, Fraction | float]) -> dict[str, Fraction]:
    """The spellings with their factors: "" for a number alone, and *W for W, kW, MW and so on."""
    return {"": Fraction(1)} | {
        prefix + unit.removeprefix("*"): Fraction(factor) * Fraction(10) ** power
        for unit, factor in units.items()
        for prefix, power in ({"": 0} | PREFIXES if unit.startswith("*") else {"": 0}).items()
    }


# unit -> its spellings. Those in lower case match in any case and in the plural; all others are symbols and match
# exactly (MW is not mW, GB is not Gb). A - may be a space
UNITS: dict[str, dict[str, Fraction]] = {
    "FLOP": _spelled({"*flop": 1, "*flop/s-day": DAY, "pfs-day": FLOP_PER_PFS_DAY, "pf-day": FLOP_PER_PFS_DAY}),
    "FLOP/s": _spelled({"*flop/s": 1, "*flops": 1}),
    **{unit: _spelled({unit: 1}) for unit in ALONE},
    "hour": _spelled(HOURS),
    "chip-hour": _spelled({f"{chip}-{time}": HOURS[time] for chip, time in product(CHIPS, HOURS)}),
    "chip": _spelled(dict.fromkeys(CHIPS, 1)),
    "W": _spelled({"*W": 1}),
    "kWh": _spelled({"*Wh": Fraction(1, 1000)}),
    "kg": _spelled({"kg": 1, "t": 1000, "tonne": 1000}),
    "USD": _spelled({"USD": 1, "dollar": 1, "$": 1}),
    "byte": _spelled({"byte": 1, **{f"{prefix}B": 10 ** SYMBOLS[prefix] for prefix in "kMGTP"}}),
    "byte/s": _spelled({f"{prefix}B/s": 10 ** SYMBOLS[prefix] for prefix in "kMGTP"}),
    "year": _spelled({"year": 1, "month": Fraction(1, 12)}),
    # a number alone is in millions already, so that "54.2 billion" is 54,200 of them
    "million": _spelled({scale: Fraction(10) ** (power - 6) for scale, power in SCALES.items()}),
    "1": _spelled({"%": Fraction(1, 100)}),
    "item": _spelled(dict.fromkeys(("token", "word", "example", "item", "image"), 1)),
}


class UnitError(ValueError):
    """The text is no quantity of the unit: why, what to write, and the kind of reason (schemas/vocab/reasons.yml)."""

    def __init__(self, reason: str, remedy: str, code: str = "not_a_number") -> None:
        super().__init__(f"{reason}; {remedy}")
        self.reason, self.remedy, self.code = reason, remedy, code


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
    """A number in the asked unit; a bound has `low` or `high` and no value. `note` says what was converted."""

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
        raise LookupError(f'unit "{unit}" is not in traincompute/units.py: enter it with its spellings')
    if len(text) > 200:
        raise UnitError("longer than 200 characters", "keep the number and its unit", "too_long")
    plain = " ".join(text.split())
    if not plain or plain.lower() in NOTHING:
        raise UnitError("no value stated" if plain else "empty", "leave the fact out, or enter a number", "no_value")
    if unit == "degree" and plain.startswith("-"):  # west or south
        east = parse_quantity(plain[1:], unit)
        return east._replace(value=-east.value if east.value else None)
    if not (found := QUANTITY.fullmatch(plain)):
        if LIST.fullmatch(plain):
            return parse_quantity(_one_of_list(plain, unit), unit)._replace(note="list of equal values")
        if re.match(r"[+$\s]*-\s*[$.0-9]", plain):
            raise UnitError("negative", "quantities are positive: check the sign", "negative")
        raise UnitError("not a number", 'write digits without spaces, such as "1400000000000" or "1.4e12"')
    suffix, mantissa, power = found["suffix"], found["mantissa"] or "1", found["bare"] or found["power"]
    factor, is_money = factor_of(suffix, unit), found["currency"] and unit != "USD"
    if factor is None or is_money:
        raise _unknown_unit("$" if is_money else suffix, unit)
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
    if is_one:
        return numbers[0]
    raise UnitError("several values in one cell", "enter the one that is meant in the curated facts", "several_values")


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


def factor_of(suffix: str, unit: str) -> Fraction | None:
    """What one of the suffix (scale, spelling or both) is in the unit; None if it is no spelling of it."""
    factor, scaled = _unscaled(suffix, unit), SCALED.fullmatch(suffix)
    if factor is not None or not scaled or (scaled[1] == "B" and unit.startswith("byte")):
        return factor  # "16 B" may be bytes or billions
    rest = _unscaled(scaled[2], unit)
    scale = SCALES[scaled[1] if len(scaled[1]) == 1 else scaled[1].lower()]
    return None if rest is None else rest * Fraction(10) ** scale


def _unscaled(text: str, unit: str) -> Fraction | None:
    joined = re.sub(r"(?<=[a-zA-Z0-9])(?:\s*-\s*|\s+)", "-", text)
    exact = re.sub("(?i)flops?", lambda found: found[0].lower(), joined)
    lower = exact.lower()
    words = (lower, lower.removesuffix("s")) if len(lower) > 2 else ()
    return next((UNITS[unit][each] for each in (text, exact, *words) if each in UNITS[unit]), None)


def _unknown_unit(suffix: str, unit: str) -> UnitError:
    """The refusal of a suffix: a range, a unit of another kind, or a word that is not known."""
    if RANGE.search(suffix):
        return UnitError("a range", 'write one number, or a bound such as "> 1e24"', "ambiguous")
    shown = suffix if len(suffix) <= 40 else suffix[:39] + "…"
    alone = f"write the number alone{'' if unit in NAMES else f', in {unit}'}"
    if unit.startswith("chip") and re.search(r"(?i)\bcores?\b", suffix):
        return UnitError(f'"{shown}" are no chips', "a TPU v2 or v3 chip has two cores: give chips", "wrong_unit")
    of = next((other for other in UNITS if other != unit and factor_of(suffix, other) is not None), None)
    if not of or suffix in SCALES:
        return UnitError(f'unknown unit "{shown}"', alone, "unknown_unit")
    of, own = NAMES.get(of, of), NAMES.get(unit, unit)
    return UnitError(f'"{shown}" is a unit of {of}, not of {own}', alone, "wrong_unit")
