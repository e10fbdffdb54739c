"""Parses columns of numbers with units, using the grammar and the factors of traincompute/units/grammar.py."""

from __future__ import annotations

import re
from functools import cache

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from traincompute.units.grammar import parse_quantity
from traincompute.units.table import ZERO_ALLOWED, UnitError, check_unit

DECIMAL_WITH_UNIT = re.compile(r"(?P<number>[0-9]{1,17}(?:\.[0-9]{1,17})?)(?P<rest>\s?[^\W\d_][^\d.,]*)")
POWERS_OF_TEN = {float(f"1e{exponent}"): exponent for exponent in range(-18, 31)}
COLUMNS = {
    "value": "float64",
    "low": "float64",
    "high": "float64",
    "note": "str",
    "reason": "str",
    "remedy": "str",
}
# What the fast path reads: too few digits to overflow, underflow or be refused
PLAIN = r"^[0-9]{1,20}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?$"


def parse_quantities(texts: pd.Series[str], units: pd.Series[str] | str) -> pd.DataFrame:
    """parse_quantity for a column: value, low, high, note, reason, remedy, on the index of the texts.

    An unreadable text has no numbers, but a reason and a remedy, which are empty for all others. A missing
    text counts as empty. Raises LookupError for a unit that is not in UNITS.
    """
    filled = texts.astype("str").fillna("").reset_index(drop=True)
    each = pd.Series(units, index=filled.index) if isinstance(units, str) else units.reset_index(drop=True)
    asked = each.astype("str").fillna("")
    for unit in asked.unique():
        check_unit(unit)
    values = _plain_values(filled)
    done = (values > 0) | ((values == 0) & asked.isin(ZERO_ALLOWED))
    rest = pd.DataFrame({"text": filled, "unit": asked})[~done]
    rows = [_row_of_kind(text, unit) for text, unit in rest.itertuples(index=False)]
    leftover = pd.DataFrame(rows, columns=list(COLUMNS), index=rest.index).astype(COLUMNS)
    said = dict.fromkeys(("note", "reason", "remedy"), "")
    plain = pd.DataFrame({"value": values, "low": None, "high": None, **said})[done]
    return pd.concat([plain.astype(COLUMNS), leftover]).sort_index().set_axis(texts.index)


def _plain_values(texts: pd.Series[str]) -> pd.Series[float]:
    """Plain decimal and scientific numbers as the nearest float64; NaN for any other text."""
    cells = pa.array(texts, type=pa.string(), from_pandas=True)
    plain = pc.if_else(pc.match_substring_regex(cells, PLAIN), cells, pa.scalar(None, pa.string()))
    return pd.Series(pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False), index=texts.index)


def _row_of_kind(text: str, unit: str) -> tuple[float | None, float | None, float | None, str, str, str]:
    """_row, but faster for plain decimals with a unit: what the unit means is parsed once, from "1 unit"."""
    match = DECIMAL_WITH_UNIT.fullmatch(text)
    kind = _row_of_one(match["rest"], unit) if match else None
    exponent = POWERS_OF_TEN.get(kind[0] or 0.0) if kind else None
    value = float(f"{match['number']}e{exponent}") if match and exponent is not None else 0.0
    return (value, *kind[1:]) if kind and 0 < value < float("inf") else _row(text, unit)


@cache
def _row_of_one(rest: str, unit: str) -> tuple[float | None, float | None, float | None, str, str, str]:
    return _row(f"1{rest}", unit)


def _row(text: str, unit: str) -> tuple[float | None, float | None, float | None, str, str, str]:
    try:
        return (*parse_quantity(text, unit), "", "")
    except UnitError as error:
        return (None, None, None, "", error.reason, error.remedy)
