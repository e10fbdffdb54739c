"""What we know about each source: data/raw/<source>/source.yml, and the lock of the files that its facts came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.base.yamlfile import load_yaml
from pipeline.registry.limits import Limit, read_limits


@dataclass(frozen=True)
class Source:
    """One source as its source.yml describes it. `subject` is the published table whose rows its records describe;
    the files under `urls` are parts of one snapshot. A source that makes no models only speaks of those that others
    make; what a source derived from another says is no second voice beside that one's."""

    id: str
    title: str
    publisher: str
    licence: str
    redistribute: bool
    attribution: str
    adapter: str
    subject: str
    priority: int
    urls: tuple[str, ...] = ()
    mirror_paths: tuple[str, ...] = ()  # where a mirror keeps the files, if not under the URL's host and path
    file_list: Mapping[str, str] = field(default_factory=dict)  # of many files: where they are listed, see _listed
    media_types: tuple[str, ...] = ()
    day_first_until: date | None = None
    always_current: bool = False
    makes_models: bool = True
    derived_from: str = ""
    evidence: str = ""  # `seen` where its records are the developers' own text
    vintages: tuple[tuple[date, date | None], ...] = ()
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    about: Mapping[str, str] = field(default_factory=dict)  # file: the model that it is about, where no cell says so
    notes: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    gates: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)  # of a column's revisions; see limits.py

    @property
    def url(self) -> str | None:
        """Where to get it; the first file if there are several."""
        return self.urls[0] if self.urls else None

    def in_vintage(self, as_of: date) -> bool:
        """Whether a vintage of that date uses this source."""
        return self.always_current or any(
            first <= as_of and (last is None or as_of < last) for first, last in self.vintages
        )

    def snapshot_at(self, snapshots: list[date], as_of: date) -> date | None:
        """The snapshot that a vintage of that date uses: the latest one up to that date, or the latest of all if
        `always_current`."""
        usable = snapshots if self.always_current else [day for day in snapshots if day <= as_of]
        return max(usable, default=None) if self.in_vintage(as_of) else None


def load_sources(paths: Paths) -> dict[str, Source]:
    """Every source below data/raw by id, in order of id. Raises DataError for an unknown or missing key."""
    files = sorted(paths.raw.glob("*/source.yml"))
    sources = {file.parent.name: read_source(file, paths.short(file)) for file in files}
    _check_origins(paths, sources)
    return sources


def _check_origins(paths: Paths, sources: Mapping[str, Source]) -> None:
    faults = [source for source in sources.values() if source.derived_from and source.derived_from not in sources]
    if faults:
        raise DataError(
            Problem(
                f"{paths.short(paths.raw / source.id)}/source.yml",
                "",
                "derived_from",
                source.derived_from,
                "no such source",
                f"one of {', '.join(sources)}",
            )
            for source in faults
        )


def read_source(file: Path, where: str) -> Source:
    """One source.yml; the id must be the folder's name."""
    raw = load_yaml(file, where)
    known = set(Source.__dataclass_fields__) - {"limits"}
    faults = [(key, "unknown key", f"known keys: {', '.join(sorted(known))}") for key in raw if key not in known]
    needed = ("id", "title", "publisher", "licence", "redistribute", "attribution", "adapter", "subject", "priority")
    faults += [(key, "missing key", "add it") for key in needed if key not in raw]
    if raw.get("id") != file.parent.name:
        faults.append(("id", f"is {raw.get('id')}", f"name it {file.parent.name}, like its folder"))
    if faults:
        raise DataError(Problem(where, "", key, "", reason, remedy) for key, reason, remedy in faults)
    listed = _listed(file.parent, raw["file_list"]) if "file_list" in raw else {}
    limits = read_limits(file.with_name("limits.csv"), where.replace(file.name, "limits.csv"))
    alone = {"limits": {name: limit for name, (limit, _) in limits.items()}}
    return Source(**{**raw, **_structured(raw), **listed, **alone})


def _structured(raw: dict[str, Any]) -> dict[str, Any]:
    fields = {name: tuple(entry["columns"]) for name, entry in raw.get("fields", {}).items()}
    required = frozenset(name for name, entry in raw.get("fields", {}).items() if entry.get("required"))
    vintages = tuple((span["from"], span.get("until")) for span in raw.get("vintages", []))
    return {
        "fields": fields,
        "required": required,
        "vintages": vintages,
        "notes": tuple(raw.get("notes", [])),
        "ignored": frozenset(raw.get("ignored", [])),
        "media_types": tuple(raw.get("media_types", [])),
        "urls": tuple(raw.get("urls", [])),
        "mirror_paths": tuple(raw.get("mirror_paths", [])),
    }


def _listed(folder: Path, about: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """urls and mirror_paths of the files that a text file lists, one line each: its words take the places {0}, {1} …
    of the patterns `url` and `mirror`."""
    lines = (folder / about["file"]).read_text(encoding="utf-8").splitlines()
    patterns = {"urls": about["url"], "mirror_paths": about["mirror"]}
    return {name: tuple(pattern.format(*line.split()) for line in lines) for name, pattern in patterns.items()}


def load_lock(paths: Paths) -> dict[str, Any]:
    """The lock: {source: {lines, snapshots: {day: {retrieved_at, looked_at, live, files: {url: {sha256, md5, size, etag}}}}}}."""
    if not paths.lock.exists():
        return {}
    try:
        lock: dict[str, Any] = json.loads(paths.lock.read_text(encoding="utf-8"))
    except ValueError as error:
        where = paths.short(paths.lock)
        raise DataError(
            [Problem(where, "", "", "", f"not valid JSON: {error}", "restore it with `git checkout`")]
        ) from error
    return lock


def locked_snapshots(lock: Mapping[str, Any], source_id: str) -> list[date]:
    """The dates of the snapshots that the source's facts came from, oldest first."""
    return sorted(date.fromisoformat(day) for day in lock.get(source_id, {}).get("snapshots", {}))


def last_look(lock: Mapping[str, Any], source_id: str) -> date | None:
    """The day on which a pull last saw the source's files, changed or not; None for a source that people enter."""
    snapshots = lock.get(source_id, {}).get("snapshots", {}).values()
    seen = [text[:10] for one in snapshots for text in (one["retrieved_at"], one.get("looked_at", ""))]
    return max((date.fromisoformat(text) for text in seen if text), default=None)
