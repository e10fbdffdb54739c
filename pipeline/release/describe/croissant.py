"""croissant.json (Croissant 1.1) of a folder with the Parquet files, generated from schemas/*.yml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.registry.schema import Column, TableSchema

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
TYPES = {
    "string": "sc:Text",
    "number": "sc:Float",
    "integer": "sc:Integer",
    "boolean": "sc:Boolean",
    "date": "sc:Date",
    "list": "sc:Text",
}
# the context that the specification prescribes
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    about: Mapping[str, Any], manifest: Mapping[str, Any], schemas: Mapping[str, TableSchema], citation: str
) -> dict[str, Any]:
    """The description: one file and one record set per table of the manifest."""
    release = manifest["release"]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": about["name"],
        "description": about["description"],
        "version": release["version"],
        "datePublished": release["date"],
        "license": about["licence_url"],
        "citeAs": citation,
        "keywords": about["keywords"],
        "creator": [{"@type": "sc:Organization", "name": name} for name in about["creators"]],
        "isLiveDataset": False,
        "distribution": [_file(name, entry["files"]) for name, entry in manifest["tables"].items()],
        "recordSet": [_record_set(schemas[name], manifest["tables"]) for name in manifest["tables"]],
    }


def _file(table: str, files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    name = f"{table}.parquet"
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{files[name]['bytes']} B",
        "encodingFormat": "application/x-parquet",
        "sha256": files[name]["sha256"],
    }


def _record_set(table: TableSchema, present: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": f"{table.title}. {table.description}",
        "key": [{"@id": f"{table.name}/{name}"} for name in table.primary_key],
        "field": [_field(table.name, column, present) for column in table.columns],
    }


def _field(table: str, column: Column, present: Mapping[str, Any]) -> dict[str, Any]:
    other = (column.references or "").split(".")
    refers = {"references": {"field": {"@id": "/".join(other)}}} if other[0] in present else {}
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "description": column.comment,
        "dataType": TYPES[column.type],
        **({"isArray": True, "arrayShape": "-1"} if column.type == "list" else {}),
        "source": {"fileObject": {"@id": f"{table}.parquet"}, "extract": {"column": column.name}},
        **refers,
    }
