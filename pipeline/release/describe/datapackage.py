"""datapackage.json (Data Package 2.0) of a folder with the CSV files, generated from schemas/*.yml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from pipeline.registry.schema import LIST_SEPARATOR, Column, TableSchema

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
RESOURCE_PROFILE = "https://datapackage.org/profiles/2.0/dataresource.json"
EXTRA = ("unit", "derived", "claim", "vocab")  # keys of our own; the standard lets a field have additional ones


def datapackage(
    about: Mapping[str, Any],
    manifest: Mapping[str, Any],
    schemas: Mapping[str, TableSchema],
    sources: Iterable[Mapping[str, Any]],
) -> dict[str, Any]:
    """The package: one resource per table of the manifest. `about` is about.yml, `sources` the rows of that table."""
    release = manifest["release"]
    return {
        "$schema": PROFILE,
        "name": about["name"],
        "title": about["title"],
        "description": about["description"],
        "version": release["version"],
        "schema_version": manifest["schema_version"],
        "created": f"{release['date']}T00:00:00Z",
        "keywords": about["keywords"],
        "licenses": [
            {"name": about["licence"], "title": about["licence_title"], "path": about["licence_url"]},
        ],
        "contributors": [{"title": name, "roles": ["author"]} for name in about["creators"]],
        "sources": [{"title": row["title"], **({"path": row["url"]} if row["url"] else {})} for row in sources],
        "resources": [_resource(schemas[name], entry, manifest) for name, entry in manifest["tables"].items()],
    }


def _resource(table: TableSchema, entry: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, Any]:
    file = f"{table.name}.csv"
    return {
        "$schema": RESOURCE_PROFILE,
        "name": table.name,
        "type": "table",
        "title": table.title,
        "description": table.description,
        "path": file,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": entry["files"][file]["bytes"],
        "hash": f"sha256:{entry['files'][file]['sha256']}",
        "schema": _table_schema(table, manifest["tables"]),
    }


def _table_schema(table: TableSchema, present: Iterable[str]) -> dict[str, Any]:
    keys = [(c.name, *c.references.split(".")) for c in table.columns if c.references]
    foreign = [
        {"fields": [own], "reference": {"resource": other, "fields": [column]}}
        for own, other, column in keys
        if other in present
    ]
    return {
        "fields": [_field(column) for column in table.columns],
        "primaryKey": list(table.primary_key),
        **({"foreignKeys": foreign} if foreign else {}),
    }


def _field(column: Column) -> dict[str, Any]:
    """A list is text in CSV; `delimiter` and `itemType` belong to the type list, which few tools support yet."""
    is_list = column.type == "list"
    constraints = _constraints(column.constraints)
    extra = {key: value for key in EXTRA if (value := getattr(column, key))}
    return {
        "name": column.name,
        "type": "string" if is_list else column.type,
        "description": column.description,
        **({"delimiter": LIST_SEPARATOR, "itemType": "string"} if is_list else {}),
        **({"constraints": constraints} if constraints else {}),
        **({"example": _example(column)} if column.example is not None else {}),
        **extra,
    }


def _constraints(constraints: Mapping[str, Any]) -> dict[str, Any]:
    """The constraints in the standard's terms. An exclusive minimum becomes a minimum, the only one that some readers
    know."""
    plain = {"minimum" if key == "exclusiveMinimum" else key: value for key, value in constraints.items()}
    return {key: value.isoformat() if isinstance(value, date) else value for key, value in plain.items()}


def _example(column: Column) -> Any:
    value = column.example.isoformat() if isinstance(column.example, date) else column.example
    return str(value) if column.type in ("string", "list") else value
