"""Pull a source: fetch it, read its facts and put the snapshot in its place in the ledger.

Nothing is written until the file has been verified, read and let through the gates; facts.csv and lock.json are
replaced whole. If the network fails, the last known good state stays and a warning says so."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from pipeline.base.errors import DataError, Problem, SourceError
from pipeline.base.paths import Paths
from pipeline.base.textfile import RESTORE
from pipeline.base.whole_files import replace_file, show_progress
from pipeline.pull.adapter import read_upstream
from pipeline.pull.archive import ArchiveError, is_zip, unpack
from pipeline.pull.cells import unread_cells
from pipeline.pull.fetch import FetchError, Limits, fetch
from pipeline.pull.gates import check_gates
from pipeline.pull.known_names import keep_names
from pipeline.pull.ledger import Span, at, insert_snapshot, read_ledger, write_ledger
from pipeline.pull.report import Say, report, warn
from pipeline.pull.tabular import Reading, join_readings
from pipeline.registry.sources import Source, load_lock, locked_snapshots
from traincompute.base.locks import sole_writer, sweep_litter


@dataclass(frozen=True)
class Request:
    """Where to pull from (the source's URLs, a mirror of them, or files) and as the state of which day (None: live,
    today)."""

    mirror: str = ""
    files: tuple[Path, ...] = ()
    as_of: date | None = None
    update: bool = False
    strict: bool = False


@dataclass(frozen=True)
class Upstream:
    """One upstream file as it was received."""

    url: str
    content: bytes
    where: str
    etag: str = ""
    date: datetime | None = None  # what the server says

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def md5(self) -> str:
        """Only to find the file in the records of others: nothing is trusted for its md5."""
        return hashlib.md5(self.content, usedforsecurity=False).hexdigest()


CLOCK_OFF = timedelta(days=2)
LARGEST_FILE = Limits().max_bytes


def pull_source(paths: Paths, source: Source, request: Request, say: Say) -> bool:
    """Pulls one source; True if the ledger changed. `say` gets lines on what was done.

    Raises SourceError if a file contradicts the lock or (strict) cannot be had, DataError if it cannot be read or a
    gate closes."""
    sweep_litter(paths.raw)
    lock = load_lock(paths)
    known = _known_files(source, request, lock)
    try:
        upstream = _obtain(paths, source, request, known)
    except FetchError as error:
        return _last_known_good(source, request, lock, error, say)
    except OSError as error:  # the network has its own errors: this is the disk, and says nothing of the source
        remedy = f"look at the space and permissions of {paths.cache}"
        raise SourceError(f"{source.id}: the file cannot be kept or read: {error}; {remedy}") from error
    _check_clock(upstream)
    again = request.update and request.as_of  # source.yml may read more of the same file now
    if known and _is_locked(source, request, known, upstream) and not again:
        day = _reference_day(source, request, lock)
        _note_look(paths, source.id, day)
        say(f"{source.id}: unchanged since the snapshot of {day}")
        return False
    if not request.as_of:
        _refuse_older(source, lock, upstream)
    parts = [read_upstream(source, file.content, file.where) for file in upstream]
    today = datetime.now(UTC).date()
    unread: list[Problem] = []
    for file, part in zip(upstream, parts, strict=True):
        refused, aside = unread_cells(paths, source, part.facts, request.as_of or today, file.where)
        DataError.raise_any(refused)
        unread += aside
    reading = join_readings(parts)
    with sole_writer(paths.raw):
        _insert(paths, source, request, upstream, reading, unread, say)
    return True


def _check_clock(upstream: list[Upstream]) -> None:
    """Raises SourceError where this machine and a server disagree about the day: every later pull would fail."""
    now = datetime.now(UTC)
    for file in upstream:
        if file.date and abs(now - file.date) > CLOCK_OFF:
            raise SourceError(
                f"{file.where}: the server says that it is {file.date:%Y-%m-%d}, this machine {now:%Y-%m-%d}; set the"
                " clock"
            )


def _obtain(paths: Paths, source: Source, request: Request, known: Mapping[str, Any]) -> list[Upstream]:
    if request.files:
        urls = source.urls if len(source.urls) == len(request.files) else [file.name for file in request.files]
        return [Upstream(url, _content(file, url), str(file)) for url, file in zip(urls, request.files, strict=True)]
    return [_fetch_one(paths, source, request, url, known.get(url, {})) for url in source.urls]


def _fetch_one(paths: Paths, source: Source, request: Request, url: str, entry: Mapping[str, Any]) -> Upstream:
    where = f"{request.mirror.rstrip('/')}/{_mirror_path(source, url)}" if request.mirror else url
    known = {"etag": entry.get("etag", ""), "known_sha256": entry.get("sha256", "")}
    fetched = fetch(where, paths.cache, content_types=source.media_types, progress=show_progress(url), **known)
    return Upstream(url, _content(fetched.path, url), where, fetched.etag, fetched.date)


def _mirror_path(source: Source, url: str) -> str:
    """A mirror lays files out by host and path (epoch.ai/data/x.csv), or as the source's mirror_paths say."""
    if source.mirror_paths:
        return source.mirror_paths[source.urls.index(url)]
    parts = urlsplit(url)
    return parts.netloc + parts.path


def _content(path: Path, url: str) -> bytes:
    """The file itself or, of an archive, the member with the name of the URL's file (or its only member).

    An xlsx spreadsheet is a zip archive too, and stays whole."""
    if not path.is_file():
        raise DataError.of(str(path), "not a file on disk", "save what it gives to a file, and name that")
    if path.stat().st_size > LARGEST_FILE:
        reason = f"larger than {LARGEST_FILE / 1e6:.0f} MB"
        raise DataError.of(str(path), reason, "look whether it is the right file")
    name = PurePosixPath(urlsplit(url).path).name
    if not is_zip(path) or name.endswith(".xlsx"):
        return path.read_bytes()
    try:
        members = unpack(path)
    except ArchiveError as error:
        what = f"{error.member!a}: {error.what}" if error.member else error.what
        raise DataError.of(url, what, "fetch it again; if that does not help, tell its publisher") from error
    found = [m for m in members if PurePosixPath(m).name == name] or list(members)
    if len(found) != 1:
        held = ", ".join(sorted(members))
        raise DataError.of(url, f"the archive does not have one {name}", f"it holds {held}")
    return members[found.pop()]


def _reference_day(source: Source, request: Request, lock: Mapping[str, Any]) -> str:
    """The snapshot to compare the pull with: that of its own day, or the latest if it is live."""
    if request.as_of:
        return request.as_of.isoformat()
    return max((day.isoformat() for day in locked_snapshots(lock, source.id)), default="")


def _known_files(source: Source, request: Request, lock: Mapping[str, Any]) -> dict[str, Any]:
    snapshots = lock.get(source.id, {}).get("snapshots", {})
    files: dict[str, Any] = snapshots.get(_reference_day(source, request, lock), {}).get("files", {})
    return files


def _is_locked(source: Source, request: Request, known: Mapping[str, Any], upstream: list[Upstream]) -> bool:
    """Whether the files are the locked ones. Raises SourceError if one differs and --update was not given."""
    for file in upstream:
        locked = known.get(file.url, {}).get("sha256", "none")
        if locked != file.sha256 and not request.update:
            raise SourceError(
                f"{file.where}: sha256 {file.sha256} does not match the locked {locked} (data/raw/lock.json, "
                f"{source.id}); if the change is wanted, run again with --update"
            )
    return {file.url: file.sha256 for file in upstream} == {url: entry["sha256"] for url, entry in known.items()}


def _refuse_older(source: Source, lock: Mapping[str, Any], upstream: list[Upstream]) -> None:
    """Raises SourceError where a file is that of a snapshot before the latest, and no longer that of the latest."""
    snapshots = lock.get(source.id, {}).get("snapshots", {})
    *older, latest = sorted(snapshots) or [""]
    for file in upstream:
        told = [day for day in (*older, latest) if day and _sha256(snapshots[day], file.url) == file.sha256]
        if told and told[-1] != latest:
            today = datetime.now(UTC).date()
            raise SourceError(
                f"{source.id}: {file.where} is the file of the snapshot of {told[-1]} again, not that of {latest}: the"
                f" server may serve an old copy; if its publisher went back, enter it with --as-of {today}"
            )


def _sha256(snapshot: Mapping[str, Any], url: str) -> str:
    return str(snapshot["files"].get(url, {}).get("sha256", ""))


def _last_known_good(source: Source, request: Request, lock: Mapping[str, Any], error: FetchError, say: Say) -> bool:
    snapshots = locked_snapshots(lock, source.id)
    if request.strict or not snapshots:
        raise SourceError(str(error)) from error
    say(f"warning: {error}")
    say(f"warning: {source.id}: keeping the last known good snapshot of {snapshots[-1]}; --strict makes this an error")
    return False


def _insert(
    paths: Paths,
    source: Source,
    request: Request,
    upstream: list[Upstream],
    reading: Reading,
    unread: list[Problem],
    say: Say,
) -> None:
    """Puts the snapshot in its place and replaces facts.csv and lock.json, unless a gate closes."""
    lock = load_lock(paths)  # read again: another pull may have entered its snapshot since
    file = paths.raw / source.id / "facts.csv"
    spans = _read_spans(file, paths.short(file))
    snapshots = locked_snapshots(lock, source.id)
    before = at(spans, snapshots[-1]) if snapshots else []
    now = datetime.now(UTC)
    day = request.as_of or now.date()
    fills_back = request.as_of is not None and (not snapshots or day < snapshots[-1])
    if not fills_back:
        reading = replace(reading, facts=keep_names(reading.facts, before))
        DataError.raise_any(_closed(source, reading, spans, snapshots, day))
    if not request.as_of and snapshots and day < snapshots[-1]:
        raise SourceError(
            f"{source.id}: the clock says {day}, but there is a snapshot of {snapshots[-1]}; set the clock or, if it"
            " was wrong when that snapshot was entered, take back its commit with `git revert`"
        )
    after = insert_snapshot(spans, snapshots, day, reading.facts)
    is_short = len(spans) < lock[source.id]["lines"] if source.id in lock else bool(spans)
    if is_short and after != spans:  # equal where a pull was broken off
        raise _not_locked(paths.short(file), "it does not fit data/raw/lock.json: one of them is cut or missing")
    known = lock.get(source.id, {}).get("snapshots", {})
    again = known.get(day.isoformat(), {}) if request.as_of else {}  # more of its file is read now
    entry = _lock_entry(upstream, now, live=again.get("live", not fills_back))
    lock[source.id] = {"lines": len(after), "snapshots": dict(sorted({**known, day.isoformat(): entry}.items()))}
    replace_file(file, write_ledger(after))
    _write_lock(paths, lock)
    report(source, reading, day, before, say)
    if not fills_back:
        warn(source, reading, before, unread, say)


def _closed(source: Source, reading: Reading, spans: list[Span], days: list[date], today: date) -> list[Problem]:
    """The gates that close: against the latest snapshot and, if that is of today, against the one of the last day
    before, so that many small losses on one day are no small loss."""
    standing = list(dict.fromkeys([*days[-1:], *[day for day in days if day < today][-1:]]))
    found = [check_gates(source, reading, at(spans, day), source.id) for day in standing or [today]]
    return list(dict.fromkeys(problem for problems in found for problem in problems))


def _read_spans(file: Path, where: str) -> list[Span]:
    """The spans of facts.csv, none where there is no such file yet. Raises DataError where it is cut or damaged: what
    is no longer there would be gone for good."""
    content = file.read_bytes() if file.exists() else b"\n"
    try:
        if content.endswith(b"\n"):
            return read_ledger(content.decode())
    except (UnicodeDecodeError, TypeError, csv.Error) as error:
        raise _not_locked(where, f"damaged: {error}") from error
    raise _not_locked(where, "the last line has no line break: the file is cut")


def _not_locked(where: str, reason: str) -> DataError:
    return DataError.of(where, reason, f"mend both; {RESTORE}")


def _lock_entry(upstream: list[Upstream], now: datetime, *, live: bool) -> dict[str, Any]:
    files = {
        file.url: {"sha256": file.sha256, "md5": file.md5, "size": len(file.content), "etag": file.etag}
        for file in upstream
    }
    return {"retrieved_at": now.isoformat(timespec="seconds"), "live": live, "files": files}


def _note_look(paths: Paths, source_id: str, day: str) -> None:
    """Writes down that the files of a snapshot were seen again today, unchanged; one look per day is enough."""
    today = datetime.now(UTC).date().isoformat()
    with sole_writer(paths.raw):
        lock = load_lock(paths)
        entry = lock[source_id]["snapshots"][day]
        if max(entry["retrieved_at"], entry.get("looked_at", ""))[:10] < today:
            entry["looked_at"] = today
            _write_lock(paths, lock)


def _write_lock(paths: Paths, lock: Mapping[str, Any]) -> None:
    replace_file(paths.lock, json.dumps(dict(sorted(lock.items())), indent=1) + "\n")
