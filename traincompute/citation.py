"""How a release or build is cited, in words, as BibTeX and as CSL JSON, and which sources are to be named with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from traincompute.base.manifest import OWN, both_days

Row = Mapping[str, Any]

STYLES = ("text", "bibtex", "csl")
ABOUT = {
    "title": "traincompute: how much compute it took to train machine-learning models",
    "creators": ["the traincompute contributors"],
    "licence": "CC-BY-4.0",
    "licence_url": "https://creativecommons.org/licenses/by/4.0/",
}
TITLE, AUTHOR = ABOUT["title"], "The traincompute contributors"
FIRST = "Epoch AI"  # by far the largest source
LATEX = re.compile(r"([&%$#_])")  # signs that LaTeX would take for its own


def cite_as(style: str, edition: Row, sources: Iterable[Row]) -> str:
    """The citation of an edition: version, date (None for a build that is not released), facts_until, entered_until,
    manifest_sha256 and url (None where nobody has said where it is published), with the sources that are to be
    named."""
    named = to_name(sources)
    if style == "text":
        return f"{cite_short(edition)}\nWith facts of: {'; '.join(row['attribution'] for row in named)}.\n"
    items = [_item(edition), *map(_item_of, named)]
    return (
        "\n".join(map(_bibtex, items)) if style == "bibtex" else json.dumps(items, ensure_ascii=False, indent=1) + "\n"
    )


def cite_line(edition: Row) -> str:
    """The citation of an edition as one line of text, also used for `citeAs`; only its version and date are needed."""
    return f"{AUTHOR} ({_day(edition)[0]}). {TITLE}. Version {edition['version']} [data set]."


def cite_short(edition: Row) -> str:
    """The citation in words without the sources: version, day and the hash that fixes every number."""
    return f"{cite_line(edition)} {_fixed_by(edition)}"


def to_name(sources: Iterable[Row]) -> list[Row]:
    """The sources with facts in the edition that are to be named, each attribution once, Epoch AI first."""
    used = [row for row in sources if row["facts"] and row["attribution"] and not row["source_id"].startswith(OWN)]
    once = {row["attribution"]: row for row in reversed(used)}.values()
    return sorted(once, key=lambda row: (not row["publisher"].startswith(FIRST), row["attribution"].casefold()))


def _item(edition: Row) -> dict[str, Any]:
    """The edition as CSL has it."""
    day = [int(part) for part in _day(edition)[: 3 if edition["date"] else 2]]
    about: dict[str, Any] = {"id": f"traincompute-{edition['version']}", "type": "dataset", "title": TITLE}
    about |= {"author": [{"literal": AUTHOR}], "issued": {"date-parts": [day]}, "version": edition["version"]}
    return about | ({"URL": edition["url"]} if edition.get("url") else {}) | {"note": _fixed_by(edition)}


def _item_of(source: Row) -> dict[str, Any]:
    """A source as CSL has it: its title and address are those of its attribution, else as we call and pull it."""
    title = re.search(r"'([^']+)'", source["attribution"])
    address = re.search(r"https?://\S+$", source["attribution"])
    item = {"id": source["source_id"], "type": "dataset", "title": title[1] if title else str(source["title"])}
    item |= {"author": [{"literal": source["publisher"]}], "note": source["licence"]}
    return item | {"URL": address[0] if address else source["url"] or ""}


def _bibtex(item: Row) -> str:
    """An item of CSL as an entry of BibTeX."""
    texts = {"author": item["author"][0]["literal"], "title": item["title"], "note": item["note"]}
    fields = {name: "{{" + LATEX.sub(r"\\\1", text) + "}}" for name, text in texts.items()}
    fields |= {name.lower(): "{" + item[name] + "}" for name in ("version", "URL") if item.get(name)}
    if "issued" in item:
        fields["year"] = str(item["issued"]["date-parts"][0][0])
        fields["license"] = f"{{{ABOUT['licence']}}}"
    lines = ",\n".join(f"  {name} = {value}" for name, value in fields.items())
    kind, key = "dataset" if "version" in item else "misc", re.sub(r"\W", "_", item["id"])
    return f"@{kind}{{{key},\n{lines}\n}}\n"


def _fixed_by(edition: Row) -> str:
    """What else says which numbers are meant."""
    released = f"Released {edition['date']}" if edition["date"] else "A build that is not released"
    days = both_days(edition["facts_until"], edition["entered_until"])
    return f"{released}, {days}. CC BY 4.0. SHA-256 of manifest.json: {edition['manifest_sha256']}."


def _day(edition: Row) -> list[str]:
    """Year, month and day of a release; of what is not released, year and month of its version come first."""
    return re.split(r"[.-]", edition["date"] or edition["version"].removeprefix("vintage-"))
