"""Writes the files that describe a release's tables, from the manifest of the build, the schemas and about.yml."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
from pyarrow import parquet

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.base.yamlfile import load_yaml
from pipeline.publish.known_issues import known_issues
from pipeline.registry.schema import load_schemas
from pipeline.release.describe import card, citation
from pipeline.release.describe.croissant import croissant
from pipeline.release.describe.datapackage import datapackage
from pipeline.release.describe.schema_changes import check_schema_version
from traincompute.base.disk import file_sha256
from traincompute.base.places import DUCKDB_NAME
from traincompute.citation import bibtex, cite_line

ABOUT = Path(__file__).with_name("about.yml")
SHAPE = {
    "name": str, "title": str, "description": str, "creators": [str], "keywords": [str], "licence": str,
    "licence_title": str, "licence_url": str,
}  # fmt: skip


def describe(paths: Paths, folder: Path, before: Path | None, release: dict[str, Any]) -> None:
    """Adds `release` to the manifest and writes everything that describes it; `before` is the release to compare with.

    Raises DataError if the schema broke without a new version."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest |= {"version": release["version"], "release": release}
    _write(folder, "manifest.json", _json(manifest))
    about, schemas, sources = (
        load_yaml(ABOUT, "pipeline/release/describe/about.yml", SHAPE),
        load_schemas(paths),
        _sources(folder),
    )
    package = datapackage(about, manifest, schemas, sources) | {"views": _views(folder)}
    if before:
        check_schema_version(json.loads((before / "datapackage.json").read_text(encoding="utf-8")), package)
    cite, digest = cite_line(about, release), file_sha256(folder / "manifest.json")
    entry = bibtex(about, release, digest)
    _write(folder, "datapackage.json", _json(package))
    _write(folder, "croissant.json", _json(croissant(about, manifest, schemas, cite)))
    _write(folder, "CITATION.cff", citation.citation_cff(about, release, sources))
    issues = known_issues(paths, folder / DUCKDB_NAME)
    _write(folder, "README.md", card.card(about, manifest, schemas, sources, (cite, entry), issues))
    shutil.copyfile(CHECKOUT / "LICENSE-DATA.md", folder / "LICENSE-DATA.md")


def _sources(folder: Path) -> list[dict[str, Any]]:
    """The rows of the table `sources` whose facts are in the release."""
    rows: list[dict[str, Any]] = parquet.read_table(folder / "sources.parquet").to_pylist()
    return [row for row in rows if row["facts"]]


def _views(folder: Path) -> dict[str, list[str]]:
    """{view: its columns}, as in the DuckDB file: their names are public too."""
    query = """select view_name, column_name from duckdb_columns() join duckdb_views() on table_name = view_name
               where not duckdb_views.internal order by view_name, column_index"""
    found: dict[str, list[str]] = {}
    with duckdb.connect(str(folder / DUCKDB_NAME), read_only=True) as connection:
        for view, column in connection.execute(query).fetchall():
            found.setdefault(view, []).append(column)
    return found


def _json(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def _write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
