"""Units, their spellings and factors: the only place with conversion factors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

Factor = Fraction | float
DAY = 86_400  # seconds
# 1e15 FLOP/s for a day = 8.64e19 FLOP [Amodei and Hernandez 2018, openai.com/index/ai-and-compute]
FLOP_PER_PFS_DAY = float(10**15 * DAY)
SCALES = {"K": 3, "k": 3, "thousand": 3, "M": 6, "million": 6, "B": 9, "billion": 9, "T": 12, "trillion": 12}
# SI prefixes as powers of ten [SI brochure, 9th edition, table 7]; K is a common slip for k
SYMBOLS = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24}
PREFIXES = SYMBOLS | {"mega": 6, "giga": 9, "tera": 12, "peta": 15, "exa": 18, "zetta": 21}
# a month is a twelfth of the Julian year of 8,766 h (365.25 days)
HOURS: dict[str, Factor] = {"second": Fraction(1, 3600), "minute": Fraction(1, 60), "hour": 1, "day": 24, "week": 168,
                             "month": 730.5, "year": 8766}  # fmt: skip
CHIPS = ("chip", "gpu", "tpu", "v100", "a100", "h100", "h800")
COUNTED = ("token", "word", "example", "item", "image")
ALONE = ("parameter", "token", "epoch", "node", "token/s", "g/kWh", "nm", "example", "OP/s", "bit/s", "mm^2",
         "MHz", "bit")  # fmt: skip
NAMES = {"item": "a plain count", "1": "a ratio"}  # of units without a word
SCALED = re.compile(r"([KkMBT](?![A-Za-z])|(?i:thousand|million|billion|trillion)\b)\s*(.*)")


def _spelled(units: Mapping[str, Factor]) -> dict[str, Fraction]:
    """The spellings with their factors: "" for a number alone, and *W for W, kW, MW and so on."""
    spellings = {"": Fraction(1)}
    for unit, factor in units.items():
        for prefix, power in ({"": 0} | PREFIXES if unit.startswith("*") else {"": 0}).items():
            spellings[prefix + unit.removeprefix("*")] = Fraction(factor) * Fraction(10) ** power
    return spellings


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
    "item": _spelled(dict.fromkeys(COUNTED, 1)),
}


class UnitError(ValueError):
    """The text is no quantity of the asked unit: `reason` says why, `remedy` what to write, and `code` is the kind of
    reason (schemas/vocab/reasons.yml)."""

    def __init__(self, reason: str, remedy: str, code: str = "not_a_number") -> None:
        super().__init__(f"{reason}; {remedy}")
        self.code = code
        self.reason = reason
        self.remedy = remedy


def factor_of(suffix: str, unit: str) -> Fraction | None:
    """What one of the suffix (scale, spelling or both) is in the unit; None if it is no spelling of it."""
    if (factor := _unscaled(suffix, unit)) is not None:
        return factor
    scaled = SCALED.fullmatch(suffix)
    rest = _unscaled(scaled[2], unit) if scaled else None
    if not scaled or rest is None or (scaled[1] == "B" and unit.startswith("byte")):  # 16 B may be bytes or billions
        return None
    return rest * Fraction(10) ** SCALES[scaled[1] if scaled[1] in SCALES else scaled[1].lower()]


def _unscaled(text: str, unit: str) -> Fraction | None:
    joined = re.sub(r"(?<=[a-zA-Z0-9])(?:\s*-\s*|\s+)", "-", text)
    exact = re.sub("(?i)flops?", lambda found: found[0].lower(), joined)
    lower = exact.lower()
    words = (lower, lower.removesuffix("s")) if len(lower) > 2 else ()
    return next((UNITS[unit][each] for each in (text, exact, *words) if each in UNITS[unit]), None)


def unknown_unit(suffix: str, unit: str) -> UnitError:
    """The refusal of a suffix: of another kind, a remark, or a word that is not known."""
    shown = suffix if len(suffix) <= 40 else suffix[:39] + "…"
    alone = f"write the number alone{'' if unit in NAMES else f', in {unit}'}"
    if unit.startswith("chip") and re.search(r"(?i)\bcores?\b", suffix):
        return UnitError(f'"{shown}" are no chips', "a TPU v2 or v3 chip has two cores: give chips", "wrong_unit")
    of = next((other for other in UNITS if other != unit and factor_of(suffix, other) is not None), None)
    if not of or suffix in SCALES:
        return UnitError(f'unknown unit "{shown}"', alone, "unknown_unit")
    of, own = NAMES.get(of, of), NAMES.get(unit, unit)
    return UnitError(f'"{shown}" is a unit of {of}, not of {own}', alone, "wrong_unit")
