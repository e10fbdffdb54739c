"""docs/sources.md: every source with its licence, its snapshots and the columns read, from source.yml and lock.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.base.paths import Paths
from pipeline.base.yamlfile import load_yaml
from pipeline.registry.sources import Source, load_lock, load_sources

MOST_FILES = 50  # of one snapshot that are listed one by one
HEAD = """# Sources

Generated from `data/raw/*/source.yml` and `data/raw/lock.json` by `traincompute docs`; edit those, not this page.

Facts only: names, dates, numbers, codes and links. No note, abstract or sentence of a source is kept. What each
source printed in which snapshot is in its `facts.csv`, one line per fact with `since` and `until`.
"""


def sources_page(paths: Paths) -> str:
    """The page as Markdown. Raises DataError for a malformed source.yml."""
    lock, columns = load_lock(paths), _columns(paths)
    sources = load_sources(paths)
    parts = [_section(source, lock, columns.get(source.id, {})) for source in sources.values()]
    return HEAD + "\n" + _overview(sources) + "".join(parts)


def _columns(paths: Paths) -> dict[str, dict[str, Any]]:
    """{source: {field: {column: dates}}} as in source.yml, dates included."""
    found = {}
    for file in sorted(paths.raw.glob("*/source.yml")):
        fields = load_yaml(file, paths.short(file)).get("fields", {})
        found[file.parent.name] = {name: entry["columns"] for name, entry in fields.items()}
    return found


def _overview(sources: Mapping[str, Source]) -> str:
    rows = [f"| [`{s.id}`](#{s.id}) | {s.title} | `{s.subject}` | {s.licence} |" for s in sources.values()]
    return "| source | what | table | licence |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def _section(source: Source, lock: Mapping[str, Any], columns: Mapping[str, Any]) -> str:
    lines = [f"\n## {source.id}\n", f"{source.title}. Published by {source.publisher}.\n", *_terms(source)]
    snapshots = lock.get(source.id, {}).get("snapshots", {})
    if snapshots:
        lines += ["", "| snapshot | file | bytes | sha256 |", "|---|---|--:|---|", *_files(snapshots)]
    if columns:
        lines += [
            "",
            "| field | columns, with the snapshots between which each was seen |",
            "|---|---|",
            *_read(columns),
        ]
    if source.notes:
        lines += ["", f"Read for figures, but otherwise not kept: {', '.join(source.notes)}."]
    if source.ignored:
        lines += ["", f"Not read: {', '.join(sorted(source.ignored))}."]
    return "\n".join(lines) + "\n"


def _terms(source: Source) -> Iterator[str]:
    passed_on = "cell by cell" if source.redistribute else "as aggregates only"
    yield f"- Licence: {source.licence}; its facts are redistributed {passed_on}."
    yield f"- To be credited as: {source.attribution}"
    if source.file_list:
        yield f"- {len(source.urls)} files, listed in `data/raw/{source.id}/{source.file_list['file']}`, such as <{source.url}>"
    else:
        yield from (f"- <{url}>" for url in source.urls)


def _files(snapshots: Mapping[str, Any]) -> Iterator[str]:
    for day, snapshot in sorted(snapshots.items()):
        if len(snapshot["files"]) > MOST_FILES:
            size = sum(file["size"] for file in snapshot["files"].values())
            yield f"| {day} | {len(snapshot['files'])} files | {size:,} | in `data/raw/lock.json` |"
            continue
        for url, file in sorted(snapshot["files"].items()):
            yield f"| {day} | {url.rsplit('/', 1)[-1]} | {file['size']:,} | `{file['sha256'][:16]}…` |"


def _read(columns: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for field, seen in columns.items():
        names = "; ".join(f"{name} ({_dates(dates)})" for name, dates in seen.items())
        yield f"| `{field}` | {names} |"


def _dates(span: str | None) -> str:
    first, _, last = (span or "/").partition("/")
    if not first and not last:
        return "in no snapshot here"
    return f"{first} on" if not last else f"{first} to {last}" if first != last else first
