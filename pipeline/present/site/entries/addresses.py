"""Where the page of everything that has a name stands: models/gpt-4.html, organizations/openai.html."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup, escape

from pipeline.names import short_hash, slug


class Kind(NamedTuple):
    """The folder of its pages, and what one and several of them are called."""

    folder: str
    one: str
    many: str


# the kinds under the names that the explorer's addresses have
KINDS = {
    "model": Kind("models", "model", "models"),
    "organization": Kind("organizations", "organisation", "organisations"),
    "country": Kind("countries", "country", "countries"),
    "chip": Kind("chips", "chip", "chips"),
    "source": Kind("sources", "source", "sources"),
}
INDEX = "index"
IS_ID = re.compile(r"[a-z0-9._-]+")
Places = Mapping[str, Mapping[str, str]]


def places_of(names: Mapping[str, Iterable[str]]) -> dict[str, dict[str, str]]:
    """{kind: {id: path below the site}}; where two would have the same address, both get a hash of their names."""
    return {kind: _paths(KINDS[kind].folder, list(ids)) for kind, ids in names.items()}


def _paths(folder: str, ids: list[str]) -> dict[str, str]:
    many = Counter([INDEX, *map(_word, ids)])
    return {key: f"{folder}/{_word(key, many[_word(key)] > 1)}.html" for key in ids}


def _word(key: str, clashes: bool = False) -> str:
    """An id as it is, a name in the form of an id."""
    return (key if IS_ID.fullmatch(key) else slug(key)) + (f"-{short_hash(key)}" if clashes else "")


def link(places: Places, kind: str, key: str | None, text: str | None = None, beside: str = "") -> Markup:
    """A link from one page of the kinds to another, the shorter where that is of the kind `beside`; the text alone
    where there is no such page."""
    path = places.get(kind, {}).get(key or "")
    said = escape(text or key or "")
    if not path:
        return said
    way = path.partition("/")[2] if kind == beside else f"../{path}"
    return Markup(f"<a href={way}>{said}</a>")  # an address of ours needs no quotes


def live(kind: str, key: str) -> str:
    """The page of the same thing that JavaScript puts together, seen from a page below the site."""
    return f"../facts.html#{kind}={quote(key, safe='')}"
