"""Single values as `traincompute explain` writes them: numbers with units, claims, where they stand, why they lost."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]
PREFIXES = {"W": ("W", "kW", "MW", "GW"), "kWh": ("kWh", "MWh", "GWh", "TWh")}


def human(value: Any, unit: str | None = None) -> str:
    """A value for people: 3.14e+23 FLOP, 174.6B parameters, 5.101 MW, 21.3 %; lists joined by commas."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if unit in ("FLOP", "FLOP/s", "OP/s"):
        return f"{value:.4g} {unit}"
    if unit == "1":
        return f"{100 * value:.4g} %"
    if unit in PREFIXES:
        step = min(3, max(0, (len(f"{value:.0f}") - 1) // 3))
        return f"{value / 1000**step:.4g} {PREFIXES[unit][step]}"
    return f"{_count(float(value))} {_plural(unit or '', value)}".strip()


def _count(value: float) -> str:
    """Four significant digits, with M, B or T from a million on; whole numbers below that in full."""
    if value and not 1e-3 <= abs(value) < 1e15:
        return f"{value:.4g}"
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:.4g}{letter}"
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.4g}"


def _plural(unit: str, value: float) -> str:
    """The unit behind a number: words in the plural (of token/parameter the first), signs such as USD and kg as they are."""
    thing, of, what = unit.partition("/" if not unit.endswith("-day") else "_of_")
    if not of:
        thing, of, what = unit.partition("_of_")
    many = "" if value == 1 or not thing.islower() or len(thing) <= 2 else "s"
    return f"{thing}{many}{of}{what}".replace("_", " ")


def claimed(claim: Row) -> str:
    """What a claim says: its number with unit, its bound or range, else its code or the text itself."""
    if claim["value"] is not None:
        return human(claim["value"], claim["unit"])
    ends = [sign + human(claim[end], claim["unit"]) for sign, end in (("≥ ", "low"), ("≤ ", "high")) if claim[end]]
    return ", ".join(ends) or str(claim["code"] or claim["value_text"]).replace(";", ", ")


def place(claim: Row, *, full: bool = False) -> str:
    """Source, first snapshot and column; of a curated fact the primary source, the place in it and how it was seen."""
    source = f"{claim['publisher']} ({claim['source_id']}) since {claim['since']}"
    if claim["reference"]:
        exact = ", ".join(filter(None, [claim["reference"], claim["locator"], claim["evidence"]]))
        return f"{source}: {exact}" if full else exact.removeprefix("https://").removeprefix("www.")
    column = f", {claim['locator']}" if claim["locator"] else ""
    return (source if full else f"{claim['source_id']} since {claim['since']}") + column


def why_lost(claim: Row, winner: Row | None) -> str:
    """The reason of a claim, with the place of the claim that won instead of its claim_id, and what can be done."""
    reason = "; ".join(filter(None, [claim["reason"], claim["remedy"]]))
    if winner and reason.endswith(winner["claim_id"]):
        return reason.replace(winner["claim_id"], place(winner))
    if winner and winner["source_id"] == claim["source_id"] and winner["evidence"] != claim["evidence"]:
        return f"{reason} ({winner['evidence']})"
    return reason
