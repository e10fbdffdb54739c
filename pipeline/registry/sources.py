"""What we know about each source: data/raw/<source>/source.yml, and the lock of the files that its facts came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from pipeline.base.errors import DataError, Problem
from pipeline.base.jsonfile import load_json
from pipeline.base.paths import Paths
from pipeline.base.textfile import RESTORE, read_whole
from pipeline.base.yamlfile import load_yaml

SHAPE = {
    "id": str, "title": str, "publisher": str, "licence": str, "redistribute": bool, "attribution": str, "adapter": str,
    "subject": str, "urls?": [str], "mirror_paths?": [str], "file_list?": {"file": str, "url": str, "mirror": str},
    "media_types?": [str], "day_first_until?": date, "always_current?": bool, "makes_models?": bool,
    "derived_from?": str, "evidence?": str, "vintages?": [{"from": date, "until?": date}],
    "fields?": {...: {"columns": {...: str}, "required?": bool}}, "about?": {...: str}, "notes?": [str],
    "ignored?": [str],
    "gates?": {"min_rows?": float, "max_shrink?": float, "max_names_gone?": float, "min_parsable?": {...: float},
               "max_emptied?": {...: float}, "max_changed?": {...: float}},
    "priority": float,
}  # fmt: skip
FILE = {"sha256": str, "size": float, "etag?": str, "md5?": str}
SNAPSHOT = {"retrieved_at": str, "looked_at?": str, "live?": bool, "files": {...: FILE}}
LOCK = {...: {"lines": float, "snapshots": {...: SNAPSHOT}}}


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
    strays = [source for source in sources.values() if source.derived_from and source.derived_from not in sources]
    remedy = f"one of {', '.join(sources)}"
    DataError.raise_any(
        Problem(f"data/raw/{source.id}/source.yml", "", "derived_from", source.derived_from, "no such source", remedy)
        for source in strays
    )


def read_source(file: Path, where: str) -> Source:
    """One source.yml; the id must be the folder's name."""
    raw = load_yaml(file, where, SHAPE)
    if raw["id"] != file.parent.name:
        remedy = f"name it {file.parent.name}, like its folder"
        raise DataError.of(where, "is not the name of the folder", remedy, field="id", value=raw["id"])
    listed = _listed(file, where, raw["file_list"]) if "file_list" in raw else {}
    return Source(**{**raw, **_structured(raw), **listed})


def _structured(raw: dict[str, Any]) -> dict[str, Any]:
    fields = raw.get("fields", {})
    return {name: tuple(raw.get(name, [])) for name in ("notes", "media_types", "urls", "mirror_paths")} | {
        "fields": {name: tuple(entry["columns"]) for name, entry in fields.items()},
        "required": frozenset(name for name, entry in fields.items() if entry.get("required")),
        "vintages": tuple((span["from"], span.get("until")) for span in raw.get("vintages", [])),
        "ignored": frozenset(raw.get("ignored", [])),
    }


def _listed(file: Path, where: str, file_list: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """urls and mirror_paths of the files that a text file lists, one line each: its words take the places {0}, {1} …
    of the patterns `url` and `mirror`."""
    beside = where.replace(file.name, file_list["file"])
    lines = read_whole(file.with_name(file_list["file"]), beside).splitlines()
    patterns = {"urls": file_list["url"], "mirror_paths": file_list["mirror"]}
    return {
        key: tuple(_filled(pattern, line, f"{beside}:{number}") for number, line in enumerate(lines, start=1))
        for key, pattern in patterns.items()
    }


def _filled(pattern: str, line: str, where: str) -> str:
    try:
        return pattern.format(*line.split())
    except (IndexError, KeyError, ValueError) as error:
        remedy = "give as many words as the pattern in source.yml has places {0}, {1} …"
        raise DataError.of(where, f"does not fit {pattern}", remedy, value=line) from error


def load_lock(paths: Paths) -> dict[str, Any]:
    """The lock: {source: {lines, snapshots: {day: {retrieved_at, looked_at, live, files: {url: {sha256, md5, size,
    etag}}}}}}."""
    if not paths.lock.exists():
        return {}
    where = paths.short(paths.lock)
    lock: dict[str, Any] = load_json(paths.lock, where, LOCK)
    _check_days(lock, where)
    return lock


def _check_days(lock: Mapping[str, Any], where: str) -> None:
    dated = [(name, day, day) for name, entry in lock.items() for day in entry["snapshots"]]
    for name, entry in lock.items():
        for snapshot in entry["snapshots"].values():
            dated += [(name, key, snapshot[key]) for key in ("retrieved_at", "looked_at") if snapshot.get(key)]
    strange = [cell for cell in dated if not _is_day(cell[2][:10])]
    DataError.raise_any(Problem(where, *cell, "does not begin with a day", RESTORE) for cell in strange)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def locked_snapshots(lock: Mapping[str, Any], source_id: str) -> list[date]:
    """The dates of the snapshots that the source's facts came from, oldest first."""
    return sorted(date.fromisoformat(day) for day in lock.get(source_id, {}).get("snapshots", {}))


def last_look(lock: Mapping[str, Any], source_id: str) -> date | None:
    """The day on which a pull last saw the source's files, changed or not; None for a source that people enter."""
    snapshots = lock.get(source_id, {}).get("snapshots", {}).values()
    seen = [text[:10] for one in snapshots for text in (one["retrieved_at"], one.get("looked_at", ""))]
    return max((date.fromisoformat(text) for text in seen if text), default=None)
