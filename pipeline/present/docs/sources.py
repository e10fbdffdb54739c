"""docs/sources.md: every source with its licence, its snapshots and the columns read, from source.yml and lock.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.config import Source, last_look, load_lock, load_sources, locked_snapshots
from pipeline.files import load_yaml
from pipeline.paths import Paths
from pipeline.present.docs.markdown import row
from pipeline.pull.ledger import Witness, load_witnesses, witness_of

Witnesses = Mapping[tuple[str, int], Witness]

MOST_FILES = 50  # of one snapshot that are listed one by one
HEAD = """# Sources

Generated from `data/raw/*/source.yml` and `data/raw/lock.json` by `traincompute dev docs`; edit those, not this page.

Facts only: names, dates, numbers, codes and links. No note, abstract or sentence of a source is kept. What each
source printed in which [snapshot](glossary.md#snapshot) is in its `facts.csv`, one line per fact with `since` and \
`until`. A
snapshot has a [witness](glossary.md#witness) if a third party recorded the md5 and size of the same file on the day \
it fetched it (table `snapshots`).
"""


def sources_page(paths: Paths) -> str:
    """The page as Markdown. Raises DataError for a malformed source.yml."""
    lock, columns = load_lock(paths), _columns(paths)
    sources = load_sources(paths)
    witnesses = load_witnesses(paths, sources.values())
    parts = [_section(source, lock, columns.get(source.id, {}), witnesses) for source in sources.values()]
    return HEAD + "\n" + _overview(sources, lock) + "".join(parts)


def _columns(paths: Paths) -> dict[str, dict[str, Any]]:
    """{source: {field: {column: dates}}} as in source.yml, dates included."""
    found = {}
    for file in sorted(paths.raw.glob("*/source.yml")):
        fields = load_yaml(file, paths.short(file), dict[str, Any]).get("fields", {})
        found[file.parent.name] = {name: entry["columns"] for name, entry in fields.items()}
    return found


def _overview(sources: Mapping[str, Source], lock: Mapping[str, Any]) -> str:
    """A row per source; it last changed on the day of its newest snapshot, which differs from the one before it."""
    head = "| source | what | table | licence | last looked at | last changed |\n|---|---|---|---|---|---|\n"
    for s in sources.values():
        looked, changed = last_look(lock, s.id) or "entered by hand", max(locked_snapshots(lock, s.id), default="")
        head += row(f"[`{s.id}`](#{s.id})", s.title, f"`{s.subject}`", s.licence, looked, changed)
    return head


def _section(source: Source, lock: Mapping[str, Any], columns: Mapping[str, Any], witnesses: Witnesses) -> str:
    lines = [f"\n## {source.id}\n\n{source.title}. Published by {source.publisher}.\n\n"]
    lines += [f"- {term}\n" for term in _terms(source)]
    snapshots = lock.get(source.id, {}).get("snapshots", {})
    if snapshots:
        lines += ["\n| snapshot | file | bytes | sha256 | witness |\n|---|---|--:|---|---|\n"]
        lines += _files(snapshots, witnesses)
    if columns:
        lines += ["\n| field | columns, with the snapshots between which each was seen |\n|---|---|\n", *_read(columns)]
    if source.notes:
        lines += [f"\nRead by people for figures, but otherwise not kept: {', '.join(source.notes)}.\n"]
    if source.ignored:
        lines += [f"\nNot read: {', '.join(sorted(source.ignored))}.\n"]
    return "".join(lines)


def _terms(source: Source) -> Iterator[str]:
    passed_on = "cell by cell" if source.redistribute else "as aggregates only"
    yield f"Licence: {source.licence}; its facts are redistributed {passed_on}."
    yield f"To be credited as: {source.attribution}"
    if not source.makes_models:
        yield "Speaks of models that other sources make; its other records stay in the ledger alone."
    if source.derived_from:
        yield f"Derived from `{source.derived_from}`: not a voice of its own."
    if source.file_list:
        yield (
            f"{len(source.urls)} files, listed in `data/raw/{source.id}/{source.file_list['file']}`, such as"
            f" <{source.url}>"
        )
    else:
        yield from (f"<{url}>" for url in source.urls)


def _files(snapshots: Mapping[str, Any], witnesses: Witnesses) -> Iterator[str]:
    """One row per file; of a snapshot of many files one row for all."""
    for day, snapshot in sorted(snapshots.items()):
        files = sorted(snapshot["files"].items())
        witness = witness_of(snapshot, witnesses)
        seen = f"[{witness.publisher}]({witness.reference})" if witness else ""
        if len(files) > MOST_FILES:
            total = sum(file["size"] for _, file in files)
            yield f"| {day} | {len(files)} files | {total:,} | in `data/raw/lock.json` | |\n"
            continue
        for url, file in files:
            name = url.rsplit("/", 1)[-1]
            yield row(day, name, f"{file['size']:,}", f"`{file['sha256'][:16]}…`", seen)


def _read(columns: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for field, seen in columns.items():
        names = "; ".join(f"{name} ({_dates(dates)})" for name, dates in seen.items())
        yield row(f"`{field}`", names)


def _dates(span: str | None) -> str:
    first, _, last = (span or "/").partition("/")
    if not first and not last:
        return "in no snapshot here"
    return f"{first} on" if not last else f"{first} to {last}" if first != last else first
