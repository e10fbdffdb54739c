"""Writes the site's folder: the pages of page/, the dataset as scripts, and the docs.

The data are scripts because a page opened from disk may not fetch files. The same dataset gives the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, NotRequired

from duckdb import DuckDBPyConnection

from pipeline.files import Number, list_of, load_yaml, mapping
from pipeline.impute.trends import fit, series
from pipeline.paths import CHECKOUT, Paths
from pipeline.present.processes import beside
from pipeline.present.site import details, engine, gallery, overview, pages, records, schema, tables
from pipeline.present.site.answers.files import answer_files, read_answers
from pipeline.present.site.assemble import page_files
from pipeline.present.site.entries.read import read_told
from pipeline.present.site.entries.write import entry_files, sitemap
from pipeline.present.site.folders import new_folder, write_or_link
from pipeline.present.thresholds import load_thresholds
from traincompute.base.errors import InputError
from traincompute.base.places import MANIFEST
from traincompute.citation import cite_short
from traincompute.database import connect_sealed
from traincompute.show.waiting import Say, silent
from traincompute.verification import entered_until, facts_until, read_json

HERE = Path(__file__).resolve().parent
MARK = b"traincompute explorer"
LOADED = re.compile(r'(?:src|href)="([^":#]+\.(?:js|css))"')
QUESTIONS = [CHECKOUT / "docs" / name for name in ("examples.md", "queries.md")]
LICENCE = "CC BY 4.0"
NAMED = {"column": str, "label": str}  # the keys of all that a page offers
# how a line is fitted, for the pages to fit lines through other selections in the same way
TREND = {
    "draws": fit.DRAWS,
    "seed": fit.SEED,
    "z90": series.Z90,
    "bands": series.BANDS,
    "fewest_runs": series.MIN_POINTS,
    "min_years": series.MIN_YEARS,
    "since": series.MODERN,
    "days_per_year": series.YEAR_DAYS,
}
TEXT, TRUTH = NotRequired[str], NotRequired[bool]
SETTINGS = mapping(
    axes=list_of(mapping(**NAMED, low=TEXT, high=TEXT, source=TEXT, scale=TEXT)),
    colours=list_of(mapping(**NAMED, several=TEXT, of_axis=TRUTH)),
    flags=list_of(mapping(**NAMED, default=TEXT, most=NotRequired[Number])),
    facets=list_of(mapping(**NAMED)),
    table=list_of(mapping(**NAMED, width=Number)),
    words=dict[str, str],
)


class Written(NamedTuple):
    """How many files and bytes, and how much the browser loads before the first view, compressed as hosts do it."""

    folder: str
    files: int
    bytes: int
    first_view_gzip_bytes: int


def write_site(database: Path, target: Path, address: str = "", say: Say = silent) -> Written:
    """Puts the folder in place in one step, keeping other files in it. `address` is where the site will stand, ending
    in /; `say` is told how far it is. Raises InputError if its index.html is some other page."""
    index = target / "index.html"
    if index.exists() and MARK not in index.read_bytes():
        raise InputError(f"{index} is another page; name an empty folder with --to")
    manifest = read_manifest(database)
    names = gallery.figures_of(database, manifest)
    with gallery.drawing(database, names) as drawn, _vintages(database, manifest) as history:
        files = _files(database, manifest, names, address, history, say) | drawn()
    say(f"4 of 4, {len(files):,} files")
    with new_folder(target) as work:
        for name, content in files.items():
            write_or_link(work / name, content, target / name)
    compressed = sum(len(gzip.compress(files[name], 6, mtime=0)) for name in first_view(files))
    return Written(str(target), len(files), sum(map(len, files.values())), compressed)


def _files(
    database: Path,
    manifest: Mapping[str, Any],
    figures: Sequence[str],
    address: str,
    older: Callable[[], bytes],
    say: Say,
) -> dict[str, bytes]:
    """{path below the site: content} but for the pictures of the figures."""
    say("1 of 4, models")
    # the queries of the figures open the dataset, too: while it is open here, that costs nothing
    with connect_sealed(database) as connection:
        first = overview.read_overview(connection, _settings())
        shards = details.read_details(connection)
        quantiles = overview.read_quantiles(connection)
        kept = records.read_records(connection)
        asked = schema.read_schema(connection, QUESTIONS)
        linked = _linked_files(connection, about(manifest), address)
        say("2 of 4, docs")
    dictionary = (CHECKOUT / tables.DICTIONARY).read_text(encoding="utf-8")
    downloads = tables.files_of(database.parent, tables.table_names(dictionary))
    docs = pages.write_pages(CHECKOUT, list(downloads), figures) | downloads
    say("3 of 4, what older snapshots held")
    parts = {f"models/{key}": engine.packed(shard) for key, shard in shards.items()} | {"vintages": older()}
    parts |= {"tiers": engine.packed(quantiles)} if quantiles else {}
    first["about"] |= about(manifest) | {"vintages": bool(parts["vintages"]), "tiers": bool(quantiles)}
    asked["about"] = first["about"]
    files = page_files() | _data_files(first, asked, kept, parts) | docs | linked | engine.engine_files(database)
    if address:
        files["sitemap.txt"] = sitemap((name for name in files if name.endswith(".html")), address)
    return files


def _settings() -> dict[str, Any]:
    """What the explorer offers: settings.yml, with the thresholds and the trend that are drawn."""
    settings = load_yaml(HERE / "settings.yml", "pipeline/present/site/settings.yml", SETTINGS)
    settings["thresholds"] = [{"column": "training_compute_flop", **entry} for entry in load_thresholds()]
    return {**settings, "trend": TREND}


def _data_files(first: object, asked: object, kept: object, parts: Mapping[str, bytes]) -> dict[str, bytes]:
    """The scripts below data/ that give the pages what they show; an empty part has no file."""
    calls = {"models": ("receive", first), "schema": ("receiveSchema", asked), "records": ("receiveRecords", kept)}
    scripts = {f"data/{name}.js": _call(*call) for name, call in calls.items()}
    loaded = {f"data/{name}.js": engine.as_script(name, part, "receiveJson") for name, part in parts.items() if part}
    return scripts | loaded


def first_view(files: Mapping[str, bytes]) -> list[str]:
    """The files that a browser loads before it draws the explorer."""
    return ["index.html", *LOADED.findall(files["index.html"].decode())]


def read_manifest(database: Path) -> Mapping[str, Any]:
    """The manifest next to the database and its sha256; empty where there is none."""
    file = database.parent / MANIFEST
    if not file.exists():
        return {}
    return {**read_json(file), "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


def about(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """version, as_of, newest (the day that the facts reach to), licence and citation of the data."""
    if not manifest:
        return {
            "version": "unknown",
            "as_of": None,
            "newest": None,
            "entered": None,
            "licence": LICENCE,
            "citation": None,
        }
    told = {
        "version": manifest["version"],
        "as_of": manifest["as_of"],
        "newest": facts_until(manifest),
        "entered": entered_until(manifest),
    }
    released = (manifest.get("release") or {}).get("date")
    edition = {
        "version": told["version"],
        "date": released,
        "facts_until": told["newest"],
        "entered_until": told["entered"],
        "manifest_sha256": manifest["sha256"],
    }
    return {**told, "licence": LICENCE, "citation": cite_short(edition)}


def _linked_files(connection: DuckDBPyConnection, told: Mapping[str, Any], address: str) -> dict[str, bytes]:
    """What other pages link to: the answers as files, and a page for everything that has a name."""
    answers = read_answers(connection, told)
    return answer_files(connection, told, answers, address) | entry_files(answers, read_told(connection), address)


@contextmanager
def _vintages(database: Path, manifest: Mapping[str, Any]) -> Iterator[Callable[[], bytes]]:
    """Begins to read what older snapshots held. What it gives waits for the end: the content as a page inflates it,
    none for a dataset of other snapshots than those of this checkout."""
    lock = Paths(CHECKOUT).lock
    here = hashlib.sha256(lock.read_bytes() if lock.exists() else b"").hexdigest()
    if manifest.get("lock_sha256") != here:
        yield bytes
        return
    with beside("pipeline.present.site.vintages", str(database.resolve()), manifest["as_of"] or "") as printed:
        yield printed


def _call(function: str, value: Any) -> bytes:
    return b"traincompute.%s(%s);\n" % (function.encode(), engine.as_json(value))
