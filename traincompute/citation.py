"""How a release or build is cited, in words, as APA, BibTeX and CSL, and which sources are to be named with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from traincompute.base.manifest import OWN, both_days

Row = Mapping[str, Any]

STYLES = ("text", "apa", "bibtex", "csl")
ABOUT = {
    "title": "traincompute: how much compute it took to train machine-learning models",
    "creators": ["the traincompute contributors"],
    "licence": "CC-BY-4.0",
    "licence_url": "https://creativecommons.org/licenses/by/4.0/",
}
BUILD = "A build that is not released"
FIRST = "Epoch AI"  # by far the largest source
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
QUOTED = re.compile(r"'([^']+)'")
LATEX = re.compile(r"([&%$#_])")  # signs that LaTeX would take for its own
ADDRESS = re.compile(r",?\s*(https?://\S+)$")


def cite_as(style: str, edition: Row, sources: Iterable[Row]) -> str:
    """The citation of an edition: version, date (None for a build that is not released), facts_until, entered_until,
    manifest_sha256 and url (None where nobody has said where it is published), with the sources that are to be
    named."""
    named = to_name(sources)
    if style == "bibtex":
        return bibtex(ABOUT, edition, edition["manifest_sha256"], named)
    if style == "csl":
        sources = [
            {"id": row["source_id"], "type": "dataset", "title": _title(row), "author": [{"literal": row["publisher"]}]}
            | {"URL": _address(row), "note": row["licence"]}
            for row in named
        ]
        return json.dumps([_csl(edition), *sources], ensure_ascii=False, indent=1) + "\n"
    head = cite_short(edition)
    if style == "apa":
        creators = sentence(", ".join(ABOUT["creators"]).removeprefix("the "))
        url = f" {edition['url']}" if edition.get("url") else ""
        named_so = f"{ABOUT['title']} (Version {edition['version']}) [Data set].{url}"
        head = f"{creators}. ({_day(edition)[0]}). {named_so} {_fixed_by(edition)}"
    return f"{head}\nWith facts of: {'; '.join(row['attribution'] for row in named)}.\n"


def cite_short(edition: Row) -> str:
    """The citation in words without the sources: version, day and the hash that fixes every number."""
    return f"{cite_line(ABOUT, edition)} {_fixed_by(edition)}"


def to_name(sources: Iterable[Row]) -> list[Row]:
    """The sources with facts in the edition that are to be named, each attribution once, Epoch AI first."""
    used = [row for row in sources if row["facts"] and row["attribution"] and not row["source_id"].startswith(OWN)]
    once = {row["attribution"]: row for row in reversed(used)}
    return sorted(
        once.values(), key=lambda row: (not row["publisher"].startswith(FIRST), row["attribution"].casefold())
    )


def cite_line(about: Row, edition: Row) -> str:
    """The citation as one line of text, also used for `citeAs`."""
    creators = ", ".join(about["creators"])
    return f"{sentence(creators)} ({_day(edition)[0]}). {about['title']}. Version {edition['version']} [data set]."


def bibtex(about: Row, edition: Row, manifest_sha256: str, sources: Sequence[Row] = ()) -> str:
    """A @dataset entry with the version and the hash of the manifest, which fixes every table; then one per source."""
    year, month, *_ = _day(edition)
    fields = {
        "author": "{" + " and ".join("{" + sentence(name) + "}" for name in about["creators"]) + "}",
        "title": "{{" + about["title"] + "}}",
        "year": "{" + year + "}",
        "month": MONTHS[int(month) - 1],
        "version": "{" + edition["version"] + "}",
        "license": "{" + about["licence"] + "}",
        "url": "{" + (edition.get("url") or "") + "}",
        "note": f"{{Data set. {'' if edition['date'] else f'{BUILD}. '}SHA-256 of manifest.json: {manifest_sha256}}}",
    }
    entries = [_entry("dataset", "traincompute_" + re.sub(r"\W", "_", edition["version"]), fields)]
    for row in sources:
        named = {"author": row["publisher"], "title": _title(row), "note": row["licence"]}
        quoted = {name: "{{" + LATEX.sub(r"\\\1", text) + "}}" for name, text in named.items()}
        entries.append(_entry("misc", row["source_id"], quoted | {"url": "{" + _address(row) + "}"}))
    return "\n".join(entries)


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {value}" for name, value in fields.items() if value != "{}"]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n"


def _csl(edition: Row) -> dict[str, Any]:
    issued = [int(part) for part in _day(edition)[: 3 if edition["date"] else 2]]
    item = {
        "id": f"traincompute-{edition['version']}",
        "type": "dataset",
        "title": ABOUT["title"],
        "author": [{"literal": sentence(name)} for name in ABOUT["creators"]],
        "issued": {"date-parts": [issued]},
        "version": edition["version"],
        "URL": edition.get("url"),
        "note": _fixed_by(edition),
    }
    return {name: value for name, value in item.items() if value}


def _fixed_by(edition: Row) -> str:
    """What else says which numbers are meant."""
    released = f"Released {edition['date']}" if edition["date"] else BUILD
    days = both_days(edition["facts_until"], edition["entered_until"])
    return f"{released}, {days}. CC BY 4.0. SHA-256 of manifest.json: {edition['manifest_sha256']}."


def _title(row: Row) -> str:
    """What the source is called: the words in quotation marks of its attribution, else our name for it."""
    found = QUOTED.search(row["attribution"])
    return found[1] if found else str(row["title"])


def _address(row: Row) -> str:
    """Where people find the source, as its attribution says; else the address that is pulled."""
    found = ADDRESS.search(row["attribution"])
    return found[1] if found else row["url"] or ""


def _day(edition: Row) -> list[str]:
    """Year, month and day of a release; of what is not released, year and month of its version come first."""
    return re.split(r"[.-]", edition["date"] or edition["version"].removeprefix("vintage-"))


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
