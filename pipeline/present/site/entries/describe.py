"""What a page says of itself to search engines and previews: title, description, and JSON-LD in the words of
schema.org."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from pipeline.present.site.entries.words import day, flop, share
from traincompute.citation import ABOUT
from traincompute.query.rows import Row

CONTEXT = "https://schema.org"
SAID_BY = {
    "reported": "as its developer reports",
    "third_party": "as others have worked out",
    "corrected": "as we correct a published number",
    "imputed": "as we estimate",
}
FLOP = "training_compute_flop"


def sentence(model: Row, likely: Row) -> str:
    """What is known of a model's training compute in one sentence."""
    name = model["name"]
    ends = [likely.get(f"flop_{end}") for end in ("05", "95")]
    around = f", with 90 % probability between {' and '.join(map(flop, filter(None, ends)))}" if all(ends) else ""
    if value := model.get(FLOP):
        who = SAID_BY.get(model.get("training_compute_source", ""), "as is published")
        return f"Training {name} took {flop(value)} FLOP, {who}{around}."
    if median := likely.get("flop_50"):
        return f"No training compute of {name} is published; it is likely about {flop(median)} FLOP{around}."
    return f"No training compute of {name} is known."


def model_description(model: Row, likely: Row, chances: Mapping[float, float]) -> str:
    """One sentence on the compute, and the chance of 1e25 FLOP where there is one."""
    chance = chances.get(1e25)
    return sentence(model, likely) + (f" At least 1e25 FLOP: {share(chance)}." if chance else "")


def of_model(model: Row, likely: Row) -> Row:
    """The page of a model: a small dataset about it. https://schema.org/Dataset"""
    name = model["name"]
    makers = ", ".join(model.get("organizations", []))
    ends = {"minValue": likely.get("flop_05"), "maxValue": likely.get("flop_95")}
    measured = {"@type": "PropertyValue", "name": "training compute", "unitText": "FLOP"}
    return {
        "@type": "Dataset",
        "name": f"Training compute of {name}",
        "description": f"Training compute of {name} in FLOP: median, interval, evidence",
        "license": ABOUT["licence_url"],
        "about": _held({"@type": "CreativeWork", "name": name, "author": makers, "datePublished": day(model)}),
        "variableMeasured": measured | _held({"value": likely.get("flop_50"), **ends}),
    }


def of_group(kind: str, name: str, row: Row) -> Row:
    """The page of an organisation, country, chip or source."""
    if kind == "chip":
        maker = row.get("manufacturer")
        return {"@type": "Product", "name": name, **_held({"manufacturer": maker, "category": row.get("type")})}
    if kind == "source":
        publisher = {"@type": "Organization", "name": row["publisher"]}
        kept = {"url": row.get("url"), "license": row.get("licence"), "creditText": row.get("attribution")}
        return {"@type": "CreativeWork", "name": name, "publisher": publisher, **_held(kept)}
    if kind == "country":
        return {"@type": "Country", "name": name}
    parent = {"@type": "Organization", "name": row["parent"]} if row.get("parent") else None
    kept = {"parentOrganization": parent, "alternateName": row.get("aliases"), "location": row.get("country")}
    return {"@type": "Organization", "name": name, **_held(kept)}


def written(about: Row) -> Markup:
    """JSON-LD as it may stand in a page: no text in it can end the script."""
    text = json.dumps({"@context": CONTEXT, **about}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


def _held(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value}
