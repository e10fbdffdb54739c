"""Writes the site's folder: the explorer from page/ unchanged, the dataset as scripts, and the docs.

The data are scripts because a page opened from disk may not fetch files. The same dataset gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from pipeline.base.folders import new_folder, write_or_link
from pipeline.base.paths import CHECKOUT
from pipeline.base.yamlfile import load_yaml
from pipeline.present.site import details, engine, overview, pages, records, schema, tables
from traincompute.query.sealed import open_sealed
from traincompute.releases.manifest import facts_until

HERE = Path(__file__).resolve().parent
MARK = b"traincompute explorer"
LOADED = re.compile(r'(?:src|href)="([^":#]+\.(?:js|css))"')
QUERIES = CHECKOUT / "docs" / "queries.md"


class Written(NamedTuple):
    """How many files and bytes, and how much the browser loads before the first view, compressed as hosts do it."""

    folder: str
    files: int
    bytes: int
    first_view_gzip_bytes: int


def write_site(database: Path, target: Path) -> Written:
    """Puts the folder in place in one step, keeping other files in it. Raises click.UsageError if its index.html is some other page."""
    index = target / "index.html"
    if index.exists() and MARK not in index.read_bytes():
        raise click.UsageError(f"{index} is another page; name an empty folder with --to")
    page = {file.name: file.read_bytes() for file in sorted((HERE / "page").iterdir()) if file.is_file()}
    settings = load_yaml(HERE / "settings.yml", "pipeline/present/site/settings.yml")
    with open_sealed(database) as connection:
        first = overview.read_overview(connection, settings)
        shards = details.read_details(connection)
        kept = records.read_records(connection)
        asked = schema.read_schema(connection, QUERIES)
    downloads = tables.files_of(
        database.parent, tables.table_names((CHECKOUT / tables.DICTIONARY).read_text(encoding="utf-8"))
    )
    docs = pages.write_pages(CHECKOUT, list(downloads)) | downloads
    first["about"]["docs"] = "docs/index.html"
    first["about"] |= _about(database)
    asked["about"] = first["about"]
    scripts = {
        "data/models.js": _call("receive", first),
        "data/schema.js": _call("receiveSchema", asked),
        "data/records.js": _call("receiveRecords", kept),
    }
    loaded = {f"data/models/{key}.js": _call("receiveModels", key, shard) for key, shard in shards.items()}
    files = page | scripts | loaded | docs | engine.engine_files(database)
    with new_folder(target) as work:
        for name, content in files.items():
            write_or_link(work / name, content, target / name)
    compressed = sum(len(gzip.compress(files[name], 6, mtime=0)) for name in first_view(files))
    return Written(str(target), len(files), sum(map(len, files.values())), compressed)


def first_view(files: Mapping[str, bytes]) -> list[str]:
    """The files that a browser loads before it draws the explorer."""
    return ["index.html", *LOADED.findall(files["index.html"].decode())]


def _about(database: Path) -> dict[str, Any]:
    """Version, vintage and the day that the facts reach to, from the manifest next to the database."""
    manifest = database.parent / "manifest.json"
    if not manifest.exists():
        return {"as_of": None}
    about: Mapping[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
    return {"version": about["version"], "as_of": about["as_of"], "newest": facts_until(about)}


def _call(function: str, *values: Any) -> bytes:
    texts = (json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) for value in values)
    return f"traincompute.{function}({','.join(texts)});\n".encode()
