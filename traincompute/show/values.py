"""Single values as texts: exact for CSV and JSON, with six digits in tables, short for people."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import Any

LIST_SEPARATOR = ";"
PREFIXES = {
    "W": ("W", "kW", "MW", "GW"),
    "kWh": ("kWh", "MWh", "GWh", "TWh"),
    "byte": ("bytes", "kB", "MB", "GB"),
}
SIZES = ((1e15, 1, ""), (1e12, 1e12, "T"), (1e9, 1e9, "B"), (1e6, 1e6, "M"))  # from where on, by what, its letter
# the first word of a unit, which takes the plural: tokens/parameter, petaflop/s-days, but no symbols such as USD and kg
PLURAL = re.compile(r"^([a-z]{3,}(?:/s-day|[-_]hour)?)(?=$|/|_of_)")


def exact(value: Any, item: Callable[[Any], str] | None = None) -> str:
    """A value in full: null empty, floats in their shortest exact form, lists ;-joined."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, list | tuple):
        return LIST_SEPARATOR.join(map(item or exact, value))
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return json_text(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def csv_text(value: Any) -> str:
    """A value as CSV holds it: as above, but TRUE or FALSE, and no float without a point or an exponent."""
    if isinstance(value, bool):
        return str(value).upper()
    return repr(value) if isinstance(value, float) else exact(value)


def json_text(value: Any) -> str:
    """A value as JSON: dates and other objects as texts, nan and infinity null."""

    def plain(value: Any) -> Any:
        if isinstance(value, Decimal):
            return int(value) if value == value.to_integral_value() else float(value)
        if isinstance(value, float):
            return value if isfinite(value) else None
        if isinstance(value, dict):
            return {exact(key): plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [plain(item) for item in value]
        return value if value is None or isinstance(value, str | int) else exact(value)

    return json.dumps(plain(value), ensure_ascii=False)


def text(value: Any) -> str:
    """A value as a table shows it: six significant digits, whole numbers below 1e15 in full."""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) < 1e15 and value.is_integer() else f"{value:.6g}"
    return exact(value, text)


def human_text(value: Any) -> str:
    """A value as a table shows it to people: 3.14e23, 174.6B. Whole numbers below 10,000, such as years, in full."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return exact(value, human_text)
    number = float(value)
    is_plain = not isfinite(number) or (number.is_integer() and abs(number) < 10_000)
    return text(number) if is_plain else short_power(human(number))


def short_power(written: str) -> str:
    """3.14e23 for 3.14e+23: powers of ten without their plus sign."""
    return written.replace("e+", "e")


def human(value: Any, unit: str | None = None) -> str:
    """A value with its unit for people: 3.14e+23 FLOP, 174.6B parameters, 5.101 MW, 21.3 %; lists joined by commas."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return exact(value)
    if unit in ("FLOP", "FLOP/s", "OP/s"):
        return f"{value:.4g} {unit}"
    if unit == "1":
        return f"{100 * value:.4g} %" if 0 <= value <= 1 else f"{value:.4g}"  # a share, or an index or ratio
    if unit in PREFIXES:
        step = min(3, (len(f"{value:.0f}") - 1) // 3)
        return f"{value / 1000**step:.4g} {PREFIXES[unit][step]}"
    count = f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.4g}"
    if size := next((size for size in SIZES if abs(value) >= size[0]), None):
        count = f"{value / size[1]:.4g}{size[2]}"
    named = (unit or "") if value == 1 else PLURAL.sub(r"\1s", unit or "")
    return f"{count} {named}".replace("_", " ").strip()


def interval(low: float, high: float) -> str:
    """The ends of an interval, to three digits: 2.1e+23 – 4.72e+23."""
    return f"{low:.3g} – {high:.3g}"
