"""The files that describe a release: manifest, datapackage.json (Data Package 2.0), croissant.json (Croissant 1.1),
CITATION.cff (1.2) and README.md. Each is a template, filled in from the manifest of the build, schemas/*.yml, about.yml
and known_issues.yml."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, NotRequired

import duckdb
from jinja2 import Environment, FileSystemLoader
from pyarrow import parquet

from pipeline.errors import DataError, Problem
from pipeline.files import list_of, load_yaml, mapping
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import TableSchema, load_schemas
from traincompute.base.places import DUCKDB_NAME, MANIFEST
from traincompute.citation import AUTHOR, LICENCE, LICENCE_URL, TITLE, cite_as, cite_line
from traincompute.releases import Dataset

Row = Mapping[str, Any]

ABOUT = Path(__file__).with_name("about.yml")
ABOUT_SHAPE = mapping(name=str, description=str, keywords=list[str], licence_title=str)
ISSUES_SHAPE = list_of(mapping(issue=str, count=NotRequired[str])) | None
ISSUES_REMEDY = "give `issue`, a sentence, and with `{n}` in it `count`, a query that gives one number"
DESCRIPTIONS = ("datapackage.json", "croissant.json", "CITATION.cff", "README.md")
VIEWS = """select view_name, list(column_name order by column_index) from duckdb_columns() join duckdb_views()
    on table_name = view_name where not duckdb_views.internal group by all order by all"""


def describe(paths: Paths, folder: Path, release: Row) -> None:
    """Adds `release` (version, channel, date, commit) to the manifest of a build and writes what describes it."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest |= {"version": release["version"], "release": release}
    _write_json(folder / MANIFEST, manifest)
    about, schemas = load_yaml(ABOUT, "pipeline/publish/about.yml", ABOUT_SHAPE), load_schemas(paths)
    about |= {"title": TITLE, "creators": [AUTHOR], "licence": LICENCE, "licence_url": LICENCE_URL}
    sources = [row for row in parquet.read_table(folder / "sources.parquet").to_pylist() if row["facts"]]
    with duckdb.connect(str(folder / DUCKDB_NAME), read_only=True) as connection:
        views = dict(connection.execute(VIEWS).fetchall())  # with their columns: these names are public too
    facts = {
        "sources": sources,
        "views": views,
        "size": size_category(max(table["rows"] for table in manifest["tables"].values())),
        "issues": known_issues(paths, folder / DUCKDB_NAME),
        "bibtex": cite_as("bibtex", Dataset(folder).edition(), ()),
        "credits": dict.fromkeys(f"{row['attribution'] or row['title']} ({row['licence']})" for row in sources),
    }
    for name in DESCRIPTIONS:
        text = fill_in(name, about, manifest, schemas, facts)
        if name.endswith(".json"):
            _write_json(folder / name, json.loads(text))
        else:
            (folder / name).write_text(text, encoding="utf-8")
    shutil.copyfile(CHECKOUT / "LICENSE-DATA.md", folder / "LICENSE-DATA.md")


def fill_in(name: str, about: Row, manifest: Row, schemas: Mapping[str, TableSchema], facts: Row) -> str:
    """A template with what is known of a release put in; values are written as JSON, which is valid YAML, too."""
    templates = Environment(loader=FileSystemLoader(Path(__file__).with_name("templates")))
    templates.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False, default=date.isoformat)
    release = manifest["release"]
    known = {"about": about, "manifest": manifest, "release": release, "schemas": schemas}
    return templates.get_template(name).render(**known, citation=cite_line(release), **facts)


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


def size_category(rows: int) -> str:
    """The power of ten that data hubs know, such as 10K<n<100K."""
    sizes, digits = ("1K", "10K", "100K", "1M", "10M", "100M"), len(str(rows))
    return "n<1K" if digits < 4 else f"{sizes[digits - 4]}<n<{sizes[digits - 3]}"


def _write_json(file: Path, content: Row) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
