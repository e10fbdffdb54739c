"""Digits at the end of a number that say nothing: Epoch AI writes 2.0001e25 for 2e25, so that equal values keep an
order, and spreadsheets write 5.0000000000000004e22. The printed text stays in `claims`; its value is read without
them."""

from __future__ import annotations

import re
from decimal import Decimal

import pandas as pd

NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
ROUNDING = re.compile(r"0{6,}[1-9][0-9]{0,3}$")
ORDER = re.compile(r"(?<=[1-9])0{2,}1$")  # for FLOP alone: a count may be 16,210,001
NOTE = "without the last digits, which only order equal values or come from rounding"


def without_order_digits(texts: pd.Series, units: pd.Series) -> pd.Series:
    """The texts, each of a number of the unit beside it ("" for no number), without such digits."""
    at = (units != "") & texts.str.contains(r"00[0-9]*[1-9]", regex=True, na=False)
    shorter = [without_last_digits(text, unit) for text, unit in zip(texts[at], units[at], strict=True)]
    read = texts.copy()
    read[at] = shorter
    return read


def without_last_digits(text: str, unit: str) -> str:
    """The text of a number of this unit, without such digits."""
    match = NUMBER.search(text)
    if not match or "." not in match[0]:
        return text
    _, digits, exponent = Decimal(match[0]).normalize().as_tuple()
    printed = "".join(map(str, digits))
    kept = ROUNDING.sub("", printed)
    kept = ORDER.sub("", ORDER.sub("", kept)) if unit == "FLOP" else kept
    if not kept or kept == printed:
        return text
    number = f"{kept}e{int(exponent) + len(printed) - len(kept)}"
    return text[: match.start()] + number + text[match.end() :]
