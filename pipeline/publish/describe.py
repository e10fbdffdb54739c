"""The files that describe a release: manifest, datapackage.json (Data Package 2.0), croissant.json (Croissant 1.1),
CITATION.cff (1.2) and README.md, from the manifest of the build, schemas/*.yml, about.yml and known_issues.yml."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NotRequired

import duckdb
from jinja2 import Environment, FileSystemLoader
from pyarrow import parquet

from pipeline.errors import DataError, Problem
from pipeline.files import list_of, load_yaml, mapping
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import LIST_SEPARATOR, Column, TableSchema, load_schemas
from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME, MANIFEST
from traincompute.citation import bibtex, cite_line

Row = Mapping[str, Any]
Schemas = Mapping[str, TableSchema]

ABOUT = Path(__file__).with_name("about.yml")
ABOUT_SHAPE = mapping(
    name=str, title=str, description=str, creators=list[str], keywords=list[str], licence=str, licence_title=str,
    licence_url=str,
)  # fmt: skip
ISSUES_SHAPE = list_of(mapping(issue=str, count=NotRequired[str])) | None
ISSUES_REMEDY = "give `issue`, a sentence, and with `{n}` in it `count`, a query that gives one number"
PROFILES = "https://datapackage.org/profiles/2.0"
EXTRA = ("unit", "derived", "claim", "vocab")  # keys of our own; the standard lets a field have additional ones
CROISSANT_CONTEXT = Path(__file__).with_name("croissant_context.json")  # as the specification prescribes it
CROISSANT_TYPES = {"string": "Text", "number": "Float", "list": "Text"}  # others have the name of theirs


def describe(paths: Paths, folder: Path, release: Row) -> None:
    """Adds `release` (version, channel, date, commit) to the manifest of a build and writes what describes it."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest |= {"version": release["version"], "release": release}
    _write_json(folder / MANIFEST, manifest)
    about, schemas = load_yaml(ABOUT, "pipeline/publish/about.yml", ABOUT_SHAPE), load_schemas(paths)
    sources = [row for row in parquet.read_table(folder / "sources.parquet").to_pylist() if row["facts"]]
    _write_json(folder / "datapackage.json", datapackage(about, manifest, schemas, sources) | {"views": _views(folder)})
    _write_json(folder / "croissant.json", croissant(about, manifest, schemas))
    templates = Environment(loader=FileSystemLoader(Path(__file__).with_name("templates")))
    templates.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)  # valid YAML, whatever the text
    facts = {
        "about": about,
        "release": release,
        "manifest": manifest,
        "schemas": schemas,
        "sources": sources,
        "size": size_category(max(table["rows"] for table in manifest["tables"].values())),
        "issues": known_issues(paths, folder / DUCKDB_NAME),
        "citation": cite_line(about, release),
        "bibtex": bibtex(about, release, file_sha256(folder / MANIFEST)),
        "credits": dict.fromkeys(f"{row['attribution'] or row['title']} ({row['licence']})" for row in sources),
    }
    for name in ("CITATION.cff", "README.md"):
        (folder / name).write_text(templates.get_template(name).render(facts), encoding="utf-8")
    shutil.copyfile(CHECKOUT / "LICENSE-DATA.md", folder / "LICENSE-DATA.md")


def known_issues(paths: Paths, database: Path) -> list[str]:
    """A sentence for each entry of data/known_issues.yml, with the number put in that its query finds in a built
    database. Raises DataError for an entry that has a number to put in and no query, or the other way round."""
    file = paths.known_issues
    entries: list[dict[str, str]] = load_yaml(file, paths.short(file), ISSUES_SHAPE) or []
    halved = [entry["issue"] for entry in entries if ("{n}" in entry["issue"]) != ("count" in entry)]
    reason = "{n} and count go together"
    DataError.raise_any(Problem(paths.short(file), issue, "count", "", reason, ISSUES_REMEDY) for issue in halved)
    with duckdb.connect(str(database), read_only=True) as connection:
        counts = [connection.execute(entry.get("count", "select 0")).fetchone() or (0,) for entry in entries]
    return [entry["issue"].format(n=f"{count:,}") for entry, (count, *_) in zip(entries, counts, strict=True)]


def datapackage(about: Row, manifest: Row, schemas: Schemas, sources: Sequence[Row]) -> dict[str, Any]:
    """datapackage.json: the CSV file of each table, its columns, keys and references."""
    release = manifest["release"]
    return {
        "$schema": f"{PROFILES}/datapackage.json",
        "name": about["name"],
        "title": about["title"],
        "description": about["description"],
        "version": release["version"],
        "schema_version": manifest["schema_version"],
        "created": f"{release['date']}T00:00:00Z",
        "keywords": about["keywords"],
        "licenses": [{"name": about["licence"], "title": about["licence_title"], "path": about["licence_url"]}],
        "contributors": [{"title": name, "roles": ["author"]} for name in about["creators"]],
        "sources": [{"title": row["title"], **({"path": row["url"]} if row["url"] else {})} for row in sources],
        "resources": [_resource(schemas[name], manifest["tables"]) for name in manifest["tables"]],
    }


def _resource(table: TableSchema, published: Row) -> dict[str, Any]:
    name = f"{table.name}.csv"
    file = published[table.name]["files"][name]
    targets = [(column.name, *column.references.split(".")) for column in table.columns if column.references]
    foreign = [
        {"fields": [own], "reference": {"resource": other, "fields": [column]}}
        for own, other, column in targets
        if other in published
    ]
    return {
        "$schema": f"{PROFILES}/dataresource.json",
        "name": table.name,
        "type": "table",
        "title": table.title,
        "description": table.description,
        "path": name,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": file["bytes"],
        "hash": f"sha256:{file['sha256']}",
        "schema": {
            "fields": [_package_field(column) for column in table.columns],
            "primaryKey": list(table.primary_key),
            **({"foreignKeys": foreign} if foreign else {}),
        },
    }


def _package_field(column: Column) -> dict[str, Any]:
    """A list is text in CSV; `delimiter` and `itemType` belong to the type list, which few tools support yet. An
    exclusive minimum becomes a minimum, the only one that some readers know."""
    is_list, example = column.type == "list", _plain(column.example)
    constraints = {key.replace("exclusiveM", "m"): _plain(value) for key, value in column.constraints.items()}
    return {
        "name": column.name,
        "type": "string" if is_list else column.type,
        "description": column.description,
        **({"delimiter": LIST_SEPARATOR, "itemType": "string"} if is_list else {}),
        **({"constraints": constraints} if constraints else {}),
        **({"example": str(example) if column.type in ("string", "list") else example} if example is not None else {}),
        **{key: value for key in EXTRA if (value := getattr(column, key))},
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def croissant(about: Row, manifest: Row, schemas: Schemas) -> dict[str, Any]:
    """croissant.json: the Parquet file of each table, and its columns as fields."""
    release, published = manifest["release"], manifest["tables"]
    return {
        "@context": json.loads(CROISSANT_CONTEXT.read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": about["name"],
        "description": about["description"],
        "version": release["version"],
        "datePublished": release["date"],
        "license": about["licence_url"],
        "citeAs": cite_line(about, release),
        "keywords": about["keywords"],
        "creator": [{"@type": "sc:Organization", "name": name} for name in about["creators"]],
        "isLiveDataset": False,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": (file := f"{name}.parquet"),
                "name": file,
                "contentUrl": file,
                "contentSize": f"{entry['files'][file]['bytes']} B",
                "encodingFormat": "application/x-parquet",
                "sha256": entry["files"][file]["sha256"],
            }
            for name, entry in published.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "description": f"{schemas[name].title}. {schemas[name].description}",
                "key": [{"@id": f"{name}/{key}"} for key in schemas[name].primary_key],
                "field": [_croissant_field(name, column, published) for column in schemas[name].columns],
            }
            for name in published
        ],
    }


def _croissant_field(table: str, column: Column, published: Row) -> dict[str, Any]:
    other, _, key = (column.references or "").partition(".")
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "description": column.comment,
        "dataType": f"sc:{CROISSANT_TYPES.get(column.type, column.type.capitalize())}",
        **({"isArray": True, "arrayShape": "-1"} if column.type == "list" else {}),
        "source": {"fileObject": {"@id": f"{table}.parquet"}, "extract": {"column": column.name}},
        **({"references": {"field": {"@id": f"{other}/{key}"}}} if other in published else {}),
    }


def size_category(rows: int) -> str:
    """The power of ten that data hubs know, such as 10K<n<100K."""
    sizes, digits = ("1K", "10K", "100K", "1M", "10M", "100M"), len(str(rows))
    return "n<1K" if digits < 4 else f"{sizes[digits - 4]}<n<{sizes[digits - 3]}"


def _views(folder: Path) -> dict[str, list[str]]:
    """{view: its columns}, as in the DuckDB file: their names are public too."""
    query = """select view_name, list(column_name order by column_index) from duckdb_columns() join duckdb_views()
               on table_name = view_name where not duckdb_views.internal group by all order by all"""
    with duckdb.connect(str(folder / DUCKDB_NAME), read_only=True) as connection:
        return dict(connection.execute(query).fetchall())


def _write_json(file: Path, content: Row) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
