"""How a release or build is cited, in words and as BibTeX, and which sources are to be named with it.

An edition is what `releases.Dataset.edition` gives: version, date, facts_until, entered_until, manifest_sha256, url."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from traincompute.base.errors import InputError

Row = Mapping[str, Any]

AUTHOR = "The traincompute contributors"
TITLE = "traincompute: how much compute it took to train machine-learning models"
LICENCE, LICENCE_URL = "CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/"
OWN = "curated"  # begins the names of the sources that this project entered by hand


def cite_as(style: str, edition: Row, sources: Iterable[Row]) -> str:
    """The citation of an edition as "text" or "bibtex", with the sources (`to_name`). Raises InputError for another."""
    if style == "text":
        return f"{cite_short(edition)}\nWith facts of: {'; '.join(row['attribution'] for row in sources)}.\n"
    if style != "bibtex":
        raise InputError(f"no style {style!r}; there are: text, bibtex")
    about = {"version": edition["version"], "url": edition.get("url"), "year": _year(edition), "license": LICENCE}
    entries = [_bibtex("dataset", f"traincompute-{edition['version']}", (AUTHOR, TITLE, _fixed_by(edition)), about)]
    for row in sources:  # title and address are those of the attribution, else as we call and pull it
        title, address = (re.search(part, row["attribution"]) for part in (r"'([^']+)'", r"https?://\S+$"))
        texts = row["publisher"], title[1] if title else row["title"], row["licence"]
        about = {"url": address[0] if address else row["url"]}
        entries.append(_bibtex("misc", row["source_id"], texts, about))
    return "\n".join(entries)


def cite_line(edition: Row) -> str:
    """The citation of an edition as one line of text, also used for `citeAs`; only its version and date are needed."""
    return f"{AUTHOR} ({_year(edition)}). {TITLE}. Version {edition['version']} [data set]."


def cite_short(edition: Row) -> str:
    """The citation in words without the sources: version, day and the hash that fixes every number."""
    return f"{cite_line(edition)} {_fixed_by(edition)}"


def to_name(sources: Iterable[Row]) -> list[Row]:
    """The sources with facts in the edition that are to be named, each attribution once, Epoch AI first."""
    used = [row for row in sources if row["facts"] and row["attribution"] and not row["source_id"].startswith(OWN)]
    once = {row["attribution"]: row for row in reversed(used)}.values()
    return sorted(once, key=lambda row: (not row["publisher"].startswith("Epoch AI"), row["attribution"].casefold()))


def days_known(manifest: Row) -> dict[str, str]:
    """facts_until and entered_until, the days that the facts of a manifest reach to: those of its sources (or the
    vintage), and those entered by hand; "" where there are none."""
    snapshots = (manifest.get("snapshots") or {}).items()
    by_hand = [day for source, day in snapshots if source.startswith(OWN)]
    others = [day for source, day in snapshots if not source.startswith(OWN)]
    facts_until = str(manifest.get("as_of") or max(others, default=""))
    return {"facts_until": facts_until, "entered_until": max(by_hand, default="")}


def _fixed_by(edition: Row) -> str:
    """What else says which numbers are meant."""
    released = f"Released {edition['date']}" if edition["date"] else "A build that is not released"
    by_hand = f", entered by hand to {edition['entered_until']}" if edition["entered_until"] else ""
    known = f"{released}, facts to {edition['facts_until']}{by_hand}"
    return f"{known}. CC BY 4.0. SHA-256 of manifest.json: {edition['manifest_sha256']}."


def _year(edition: Row) -> str:
    """The year of a release; of what is not released, that of its version."""
    return str(edition["date"] or edition["version"].removeprefix("vintage-"))[:4]


def _bibtex(kind: str, name: str, texts: Sequence[str], about: Mapping[str, str | None]) -> str:
    """An entry of BibTeX: the texts (author, title, note) keep their capitals; what `about` lacks is left out."""
    escaped = ("{{" + re.sub(r"([&%$#_])", r"\\\1", text) + "}}" for text in texts)  # LaTeX's own signs
    fields = dict(zip(("author", "title", "note"), escaped, strict=True))
    fields |= {field: text if text.isdigit() else f"{{{text}}}" for field, text in about.items() if text}
    key = re.sub(r"\W", "_", name)
    return f"@{kind}{{{key},\n" + ",\n".join(f"  {field} = {value}" for field, value in fields.items()) + "\n}\n"
