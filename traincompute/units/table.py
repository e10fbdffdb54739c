"""Units, their accepted spellings and factors: the only place with conversion factors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

DAY = 86_400  # seconds
# 1e15 FLOP/s for a day = 8.64e19 FLOP [Amodei and Hernandez 2018, openai.com/index/ai-and-compute]
FLOP_PER_PFS_DAY = float(10**15 * DAY)

SCALES: dict[str, int] = {
    **dict.fromkeys(("K", "k", "thousand"), 10**3),
    **dict.fromkeys(("M", "mn", "million"), 10**6),
    **dict.fromkeys(("B", "bn", "billion"), 10**9),
    **dict.fromkeys(("T", "tn", "trillion"), 10**12),
    "quadrillion": 10**15,
}
# SI prefixes as powers of ten [SI brochure, 9th edition, table 7]; K is a common slip for k
MULTIPLES = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24}
WORDS = {"kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15, "exa": 18, "zetta": 21, "yotta": 24}
SYMBOLS = {"": 0, **MULTIPLES}
PREFIXES = SYMBOLS | WORDS
PFS = ("pfs", "pf", "PF", "PF/s", "pf/s")
BINARY = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}  # IEC 80000-13
# A month is a twelfth of the Julian year of 8,766 h (365.25 days)
HOURS: dict[str, Fraction | float] = {
    "second(s)": Fraction(1, 3600), "minute(s)": Fraction(1, 60), "min": Fraction(1, 60), "h": 1, "hr(s)": 1,
    "hour(s)": 1, "day(s)": 24, "week(s)": 168, "month(s)": 730.5, "year(s)": 8766,
}  # fmt: skip
CHIPS = (
    "chip", "gpu", "tpu", "accelerator", "p100", "v100", "a100", "h100", "h200", "h800", "a800", "b200",
    "gb200", "mi250x", "mi300x", "tpuv2", "tpuv3", "tpuv4", "tpu v2", "tpu v3", "tpu v4",
)  # fmt: skip
COUNTED = (
    "token", "word", "example", "sample", "item", "image", "datapoint", "data point", "sentence", "document",
    "epoch", "sequence", "video", "game", "position",
)  # fmt: skip


def _si(spelling: str, factor: Fraction | float, prefixes: Mapping[str, int]) -> dict[str, Fraction]:
    """The spelling under each of the SI prefixes."""
    return {prefix + spelling: Fraction(factor) * 10**power for prefix, power in prefixes.items()}


def _expand(*spellings: Mapping[str, Fraction] | Mapping[str, Fraction | float]) -> dict[str, Fraction]:
    """token(s) stands for token and tokens; a number without a word is in the unit itself."""
    factors = {spelling: Fraction(factor) for each in spellings for spelling, factor in each.items()}
    singular = {spelling.replace("(s)", ""): factor for spelling, factor in factors.items()}
    return {"": Fraction(1)} | singular | {s.replace("(s)", "s"): factor for s, factor in factors.items()}


# unit -> accepted spellings and their factors. Wholly lower-case runs of three or more characters are words
# and match in any case; everything else is a symbol and matches exactly (MW is not mW, GB is not Gb).
UNITS: dict[str, dict[str, Fraction]] = {
    "FLOP": _expand(
        _si("flop(s)", 1, PREFIXES),
        *(_si(f"{rate}{mark}day(s)", DAY, PREFIXES) for rate in ("flop/s", "flops") for mark in "- "),
        {f"{pfs}{mark}day(s)": FLOP_PER_PFS_DAY for pfs in PFS for mark in "- "},
    ),
    "FLOP/s": _expand(*(_si(rate, 1, PREFIXES) for rate in ("flop/s", "flops/s", "flops"))),
    "OP/s": _expand(_si("OP/s", 1, SYMBOLS), _si("OPS", 1, SYMBOLS)),
    "parameter": _expand({"parameter(s)": 1, "param(s)": 1}),
    "token": _expand({"token(s)": 1}),
    "hour": _expand(HOURS),
    "chip-hour": _expand({f"{chip}{m}{t}": n for chip in CHIPS for m in "- " for t, n in HOURS.items()}),
    "chip": _expand({f"{chip}(s)": 1 for chip in CHIPS}),
    "W": _expand(_si("W", 1, SYMBOLS), _si("watt(s)", 1, {"": 0, **WORDS})),
    "kWh": _expand(
        _si("Wh", Fraction(1, 1000), SYMBOLS),
        _si("J", Fraction(1, 3_600_000), SYMBOLS),  # a watt-second
        *(_si(f"watt{mark}hour(s)", Fraction(1, 1000), WORDS) for mark in "- "),
    ),
    "kg": _expand({"kg": 1, "t": 1000, "tonne(s)": 1000, "metric ton(s)": 1000}),
    "USD": _expand({"usd": 1, "$": 1, "dollar(s)": 1, "US dollar(s)": 1, "us dollar(s)": 1}),
    # no bare "B": 16 B could be bytes or billions
    "byte": _expand({"byte(s)": 1}, _si("B", 1, MULTIPLES), _si("byte(s)", 1, WORDS), BINARY),
    "byte/s": _expand(
        {"byte(s)/s": 1}, _si("B/s", 1, MULTIPLES), _si("Bps", 1, MULTIPLES),
        {f"{name}/s": n for name, n in BINARY.items()},
    ),
    "bit/s": _expand(*(_si(rate, 1, SYMBOLS) for rate in ("bit/s", "b/s", "bps"))),
    "year": _expand({"year(s)": 1, "yr(s)": 1, "month(s)": Fraction(1, 12)}),
    "nm": _expand({"nm": 1, "nanometer(s)": 1, "nanometre(s)": 1}),
    "mm^2": _expand({"mm^2": 1, "mm2": 1, "sq mm": 1}),
    "MHz": _expand({"kHz": Fraction(1, 1000), "MHz": 1, "GHz": 1000}),
    "bit": _expand({"bit(s)": 1, "-bit": 1}),
    "epoch": _expand({"epoch(s)": 1}),
    "example": _expand({"example(s)": 1, "sample(s)": 1}),
    # a number without a word is in millions already, so that "54.2 billion" is 54,200 of them
    "million": _expand(
        {"transistor(s)": Fraction(1, 10**6)}, {scale: Fraction(n, 10**6) for scale, n in SCALES.items()}
    ),
    "node": _expand({"node(s)": 1}),
    "token/s": _expand({"token(s)/s": 1, "token(s)/second": 1}),
    "g/kWh": _expand({"g/kWh": 1, "gCO2/kWh": 1, "gCO2eq/kWh": 1}),
    "1": _expand({"%": Fraction(1, 100), "percent": Fraction(1, 100)}),
    "item": _expand({f"{thing}(s)": 1 for thing in COUNTED}),
}  # fmt: skip
ZERO_ALLOWED = frozenset({"1", "item"})
COUNTABLE = frozenset({"parameter", "token", "chip", "epoch", "example", "bit", "byte", "item"})
CORES = "a core is not a chip (a TPU v2 or v3 chip has two): give"
REFUSED = {
    ("chip", "core"): f"{CORES} the number of chips",
    ("chip-hour", "core"): f"{CORES} chip-hours",
    ("byte", "B"): 'B could mean bytes or billions: write "bytes" or "billion bytes"',
    ("byte/s", "B"): 'B could mean bytes or billions: write "bytes/s" or "billion bytes/s"',
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
    """What one of the suffix (scale, unit word or both) is in the unit; None if it is no spelling of it."""
    key, spellings = _key(suffix), UNITS[unit]
    if key in spellings:
        return spellings[key]
    if any(unit == of and re.search(rf"\b{word}s?\b", key) for of, word in REFUSED):
        return None
    for scale, factor in SCALES.items():
        rest = key[len(scale) :].lstrip()
        if key.startswith(scale) and rest in spellings and not (unit == "million" and not rest):
            return factor * spellings[rest]
    return None


def _key(suffix: str) -> str:
    """The suffix as UNITS spells it: words in lower case, symbols as they stand, no space around / and -."""
    tight = re.sub(r"\s*([/-])\s*", r"\1", suffix)
    lowered = re.sub("flops?", lambda m: m[0].lower(), tight, flags=re.IGNORECASE)
    return re.sub("[A-Za-z0-9]+", lambda m: m[0].lower() if m[0].lower() in _words() else m[0], lowered)


@cache
def _words() -> frozenset[str]:
    """Every run of letters and digits in a spelling that matches in any case."""
    spellings = [*SCALES, *(spelling for unit in UNITS.values() for spelling in unit)]
    runs = {run for spelling in spellings for run in re.findall("[A-Za-z0-9]+", spelling)}
    symbols = {run.lower() for run in runs if run != run.lower()}  # bps is no word, for Bps is another unit
    return frozenset(run for run in runs if len(run) > 2 and run == run.lower() and run not in symbols)


def unknown_unit(suffix: str, unit: str) -> UnitError:
    """The refusal of a suffix: of another dimension, a remark, or a word that is not known."""
    shown, asked = suffix if len(suffix) <= 40 else suffix[:39] + "…", name_of(unit)
    alone = f"write the number alone{f', in {unit}' if unit not in ZERO_ALLOWED else ''}"
    for (of, word), remedy in REFUSED.items():
        if unit == of and re.search(rf"\b{word}s?\b", _key(suffix)):
            return UnitError(f'"{shown}" is no unit of {asked}', remedy, "wrong_unit")
    for other in UNITS:
        if other != unit and factor_of(suffix, other) is not None:
            return UnitError(f'"{shown}" is a unit of {name_of(other)}, not of {asked}', alone, "wrong_unit")
    return UnitError(f'unknown unit "{shown}"', alone, "unknown_unit")


def name_of(unit: str) -> str:
    return {"item": "a plain count", "1": "a ratio"}.get(unit, unit)


def short_factor(factor: Fraction) -> str:
    brief = f"{float(factor):g}"
    return brief if Fraction(brief) == factor else f"{float(factor):.10g}"


def check_unit(unit: str) -> None:
    if unit not in UNITS:
        raise LookupError(f'unit "{unit}" is not in UNITS of traincompute/units/table.py: enter it with its spellings')
