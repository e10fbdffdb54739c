"""Values as the pages write them: each rounded number with its exact value beside it, so that a program can read the
page, too."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from traincompute.query.rows import Row
from traincompute.show.references import read_reference
from traincompute.show.values import human, short_power

Card = tuple[str, Markup | str]

PRECISION = {"year": 4, "month": 7}
OUTSIDE = Markup('<a href="{}">{}</a>')  # the policy of the page sends no referrer


def number(value: float, unit: str | None = None) -> Markup:
    """The number for people, and exactly."""
    return exactly(value, short_power(human(value, unit)))


def exactly(value: float, shown: str) -> Markup:
    """What is shown, with the exact number behind it where it is another."""
    with suppress(ValueError):
        if float(shown.split()[0]) == value:
            return escape(shown)
    return Markup(f"<data value={value!r}>{escape(shown)}</data>")


def flop(value: float) -> str:
    """Three digits of a number of FLOP: 3.14e23."""
    return short_power(f"{value:.3g}")


def between(low: float, high: float) -> Markup:
    """The ends of an interval."""
    return exactly(low, flop(low)) + " – " + exactly(high, flop(high))


def share(probability: float) -> str:
    """A probability in per cent; certain is only what is."""
    if 0 < probability < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < probability < 1 else f"{100 * probability:.0f} %"


def day(model: Row) -> str:
    """The date of publication as far as it is known."""
    told = model.get("publication_date")
    length = PRECISION.get(model.get("publication_date_precision", ""))
    return told.isoformat()[:length] if isinstance(told, date) else ""


@cache
def cited(reference: str | None, *places: str | None) -> Markup:
    """A link to what is cited, by its number or host, and the places in it."""
    rest = [escape(place) for place in places if place]
    if not reference:
        return Markup(", ").join(rest)
    address = read_reference(reference).link.partition(" ")[0]
    if not address.startswith(("http://", "https://")):
        return Markup(", ").join([escape(reference), *rest])
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    return Markup(", ").join([OUTSIDE.format(address, host if reference.startswith("http") else reference), *rest])


def plain(code: Any) -> str:
    """A code in plain words."""
    return str(code).replace("_", " ")


def listed(items: Iterable[Markup]) -> Markup:
    return Markup(", ").join(items)
