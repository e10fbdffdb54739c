"""How a release is cited: CITATION.cff 1.2; the reader has the other forms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

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
