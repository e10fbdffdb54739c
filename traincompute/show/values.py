"""Single values as texts: exact for CSV and JSON, with six digits in tables, short for people."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import Any

Show = Callable[[Any], str]

LIST_SEPARATOR = ";"
PREFIXES = {
    "W": ("W", "kW", "MW", "GW"),
    "kWh": ("kWh", "MWh", "GWh", "TWh"),
    "byte": ("bytes", "kB", "MB", "GB"),
}


def exact(value: Any, item: Show | None = None) -> str:
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
    try:
        return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # nan, or a map whose keys are not texts
        return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """The value made of what JSON knows."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {exact(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int) else exact(value)


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
    if not isfinite(number) or (number.is_integer() and abs(number) < 10_000):
        return text(number)

    return short_power(human(number))


def short_power(written: str) -> str:
    """3.14e23 for 3.14e+23: powers of ten without their plus sign."""
    return written.replace("e+", "e")


def human(value: Any, unit: str | None = None) -> str:
    """A value with its unit for people: 3.14e+23 FLOP, 174.6B parameters, 5.101 MW, 21.3 %; lists joined by commas."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if unit in ("FLOP", "FLOP/s", "OP/s"):
        return f"{value:.4g} {unit}"
    if unit == "1":
        return f"{100 * value:.4g} %" if 0 <= value <= 1 else f"{value:.4g}"  # a share, or an index or ratio
    if unit in PREFIXES:
        step = min(3, (len(f"{value:.0f}") - 1) // 3)
        return f"{value / 1000**step:.4g} {PREFIXES[unit][step]}"
    count = f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.4g}"
    for size, letter in ((1e15, ""), (1e12, "T"), (1e9, "B"), (1e6, "M")):
        if abs(value) >= size:
            count = f"{value / size:.4g}{letter}" if letter else f"{value:.4g}"
            break
    # the unit in the plural (of token/parameter the first word), but not symbols such as USD and kg
    thing, of, what = (unit or "").partition("/" if not (unit or "").endswith("-day") else "_of_")
    if not of:
        thing, of, what = thing.partition("_of_")
    many = "" if value == 1 or not thing.islower() or len(thing) <= 2 or "^" in thing else "s"
    return f"{count} {thing}{many}{of}{what}".replace("_", " ").strip()


def interval(low: float, high: float) -> str:
    """The ends of an interval, to three digits: 2.1e+23 – 4.72e+23."""
    return f"{low:.3g} – {high:.3g}"
