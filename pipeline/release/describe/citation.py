"""How a release is cited: CITATION.cff 1.2 and .zenodo.json; the reader has the other forms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from traincompute.citation import sentence

Row = Mapping[str, Any]


def citation_cff(about: Row, release: Row, sources: Iterable[Row]) -> str:
    """CITATION.cff. JSON strings and lists are valid YAML, so no text can break it."""
    head = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it with its version, along with its sources.",
        "type": "dataset",
        "title": about["title"],
        "abstract": about["description"],
        "authors": [{"name": name} for name in about["creators"]],
        "version": release["version"],
        "date-released": release["date"],
        "license": about["licence"],
        "license-url": about["licence_url"],
        "keywords": about["keywords"],
        **({"commit": release["commit"]} if release["commit"] else {}),
        "references": [_reference(row) for row in sources if row["url"]],
    }
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in head.items())


def _reference(source: Row) -> dict[str, Any]:
    return {
        "type": "data",
        "title": source["title"],
        "authors": [{"name": source["publisher"]}],
        "url": source["url"],
    }


def zenodo(about: Row, release: Row, sources: Iterable[Row]) -> str:
    """.zenodo.json: the metadata of a deposit, which names the sources as what it is derived from."""
    sources = list(sources)
    named = "; ".join(dict.fromkeys(row["attribution"] or row["title"] for row in sources))
    body = {
        "title": about["title"],
        "upload_type": "dataset",
        "description": about["description"],
        "creators": [{"name": sentence(name)} for name in about["creators"]],
        "version": release["version"],
        "publication_date": release["date"],
        "access_right": "open",
        "license": about["licence"].lower(),
        "language": "eng",
        "keywords": about["keywords"],
        "notes": f"Contains facts from: {named}",
        "related_identifiers": [
            {"identifier": row["url"], "relation": "isDerivedFrom", "scheme": "url", "resource_type": "dataset"}
            for row in sources
            if row["url"]
        ],
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"
