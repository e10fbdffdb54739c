"""A claim in words: what it says, where it says so, and why it was not chosen."""

from __future__ import annotations

from traincompute.query.rows import Row
from traincompute.show.references import linked
from traincompute.show.values import human


def claimed(claim: Row) -> str:
    """What a claim says: its number with unit, its bound or range, or else its code or the text itself."""
    if claim["value"] is not None:
        return human(claim["value"], claim["unit"])
    return bounds(claim, claim["unit"]) or str(claim["code"] or claim["value_text"]).replace(";", ", ")


def bounds(row: Row, unit: str | None) -> str:
    """The ends of a claim or estimate that is not a single number: ≥ 1e+25 FLOP, ≤ 5e+25 FLOP."""
    ends = (("≥", row["low"]), ("≤", row["high"]))
    return ", ".join(f"{sign} {human(end, unit)}" for sign, end in ends if end)


def place(claim: Row, *, full: bool = False) -> str:
    """Source, first snapshot and column; for a curated fact, the primary source, the place in it and how it was seen.
    In full, the primary source is an address with its kind."""
    source = f"{claim['publisher']} ({claim['source_id']}) since {claim['since']}"
    if claim["reference"]:
        if full:
            return f"{source}: {linked(claim['reference'], claim['locator'], claim['evidence'])}"
        cited = claim["reference"].removeprefix("https://").removeprefix("www.")
        ours = f"{claim['publisher']} {claim['since']}, after " if claim["correction"] else ""
        return ours + ", ".join(filter(None, [cited, claim["locator"], claim["evidence"]]))
    column = f", {claim['locator']}" if claim["locator"] else ""
    return (source if full else f"{claim['source_id']} since {claim['since']}") + column


def why_lost(claim: Row, winner: Row | None) -> str:
    """Why a claim lost, with the place of the winning claim instead of its claim_id, and what can be done about it."""
    reason = "; ".join(filter(None, [claim["reason"], claim["remedy"]]))
    if winner and reason.endswith(winner["claim_id"]):
        return reason.replace(winner["claim_id"], place(winner))
    seen = winner["evidence"] if winner else None
    if winner and seen and winner["source_id"] == claim["source_id"] and seen != claim["evidence"]:
        return f"{reason} ({seen})"
    return reason
