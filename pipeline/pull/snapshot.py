"""Pull a source: get its files, read their facts, check them, and put the snapshot in its place in the ledger.

Nothing is written until all checks have passed; facts.csv and lock.json are replaced whole. If the network fails, the
last known good state stays and a warning says so."""

from __future__ import annotations

import csv
import importlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pipeline.config import Source, load_lock, load_sources, locked_snapshots
from pipeline.errors import DataError, Problem, SourceError, render
from pipeline.files import RESTORE, sole_writer
from pipeline.paths import Paths
from pipeline.pull import ledger
from pipeline.pull.fetch import Upstream, receive
from pipeline.pull.ledger import Fact, Span, at
from pipeline.pull.source_checks import check_against, check_facts
from pipeline.pull.tabular import Reading, read_plain
from pipeline.released import refuse_released_day
from traincompute.base.files import write_whole
from traincompute.web import FetchError

Say = Callable[[str], None]


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
class Snapshot:
    """What was read of a source's files, as its state of a day."""

    source: Source
    day: date
    files: list[Upstream]
    reading: Reading
    set_aside: list[Problem]  # cells that the build will not use
    live: bool


def pull_source(paths: Paths, source: Source, request: Request, say: Say) -> bool:
    """Pulls one source; True if the ledger changed. `say` gets lines on what was done.

    Raises SourceError if a file contradicts the lock or (strict) cannot be had, DataError if it cannot be read or does
    not pass a check."""
    with sole_writer(paths.raw, wait=False):  # sweeps what killed processes left
        pass
    snapshots = load_lock(paths).get(source.id, {}).get("snapshots", {})
    latest = max(snapshots, default="")
    try:
        files = receive(source, request.mirror, request.files)
    except FetchError as error:
        if request.strict or not latest:
            raise SourceError(str(error)) from error
        say(f"warning: {error}")
        say(f"warning: {source.id}: keeping the last known good snapshot of {latest}; --strict makes this an error")
        return False
    compared = str(request.as_of or latest)
    if compared in snapshots and _is_locked(source, request, snapshots[compared], files):
        _note_look(paths, source.id, compared)
        say(f"{source.id}: unchanged since the snapshot of {compared}")
        return False
    if not request.as_of:
        _refuse_older(source, snapshots, files)
    new = _read_files(paths, source, files, request.as_of)
    with sole_writer(paths.raw):
        _enter(paths, new, say)
    return True


def _read_files(paths: Paths, source: Source, files: list[Upstream], as_of: date | None) -> Snapshot:
    """The facts of all files, each checked. Raises DataError."""
    day = as_of or datetime.now(UTC).date()
    readings = [read_upstream(source, file.content, file.where) for file in files]
    checked = zip(files, readings, strict=True)
    aside = [cell for f, read in checked for cell in check_facts(paths, source, read.facts, day, f.where)]
    facts = list(dict.fromkeys(fact for one in readings for fact in one.facts))
    unknown = sorted({column for one in readings for column in one.unknown_columns})
    rows, unnamed = sum(one.rows for one in readings), sum(one.unnamed for one in readings)
    return Snapshot(source, day, files, Reading(facts, rows, unnamed, tuple(unknown)), aside, not as_of)


def read_upstream(source: Source, content: bytes, where: str) -> Reading:
    """The facts of an upstream file, by the module that source.yml names. Raises DataError for a file of whatever other
    form, so that no source stops the others."""
    try:
        if source.adapter == "plain_table":
            return read_plain(content, source, where)
        module = importlib.import_module(f"pipeline.pull.sources.{source.adapter}")
        reading: Reading = module.read(content, source, where)
        return reading
    except DataError:
        raise
    except Exception as error:
        what = f"not of the form that {source.adapter} reads ({type(error).__name__}: {error})"
        reader = f"sources/{source.adapter}" if source.adapter != "plain_table" else "tabular"
        remedy = f"look at the file; if its form has changed, pipeline/pull/{reader}.py must follow"
        raise DataError.of(where, what, remedy) from error


def notes_to_read(paths: Paths) -> list[dict[str, str]]:
    """The facts from notes that the newest snapshot of their source closed: source_id, record, field, value_text,
    locator."""
    lock, rows = load_lock(paths), list[dict[str, str]]()
    for name in [name for name, source in load_sources(paths).items() if source.notes and name in lock]:
        file = paths.raw / name / "facts.csv"
        spans = ledger.unread_notes(_read_spans(file, paths.short(file)), locked_snapshots(lock, name)[-1])
        rows += [{"source_id": name, **dict(zip(Fact._fields, span, strict=False))} for span in spans]
    return rows


def _is_locked(source: Source, request: Request, snapshot: Mapping[str, Any], files: list[Upstream]) -> bool:
    """Whether the files are those of a snapshot of the lock, which is not to be read again. Raises SourceError if one
    differs and --update was not given."""
    locked = {url: entry["sha256"] for url, entry in snapshot["files"].items()}
    for file in files:
        if locked.get(file.url) != file.sha256 and not request.update:
            raise SourceError(
                f"{file.where}: sha256 {file.sha256} does not match the locked {locked.get(file.url)} (data/raw/"
                f"lock.json, {source.id}); if the change is wanted, run again with --update"
            )
    read_again = request.update and request.as_of  # source.yml may read more of the same file now
    return _hashes(files) == locked and not read_again


def _hashes(files: list[Upstream]) -> dict[str, str]:
    return {file.url: file.sha256 for file in files}


def _refuse_older(source: Source, snapshots: Mapping[str, Any], files: list[Upstream]) -> None:
    """Raises SourceError where a file is that of a snapshot before the latest, and no longer that of the latest."""
    for file in files:
        days = [day for day, one in snapshots.items() if one["files"].get(file.url, {}).get("sha256") == file.sha256]
        if days and max(days) != max(snapshots):
            raise SourceError(
                f"{source.id}: {file.where} is the file of the snapshot of {max(days)} again, not that of"
                f" {max(snapshots)}: the server may serve an old copy; if its publisher went back, enter it with"
                f" --as-of {datetime.now(UTC).date()}"
            )


def _enter(paths: Paths, new: Snapshot, say: Say) -> None:
    """Puts the snapshot in its place and replaces facts.csv and lock.json, unless a check fails."""
    lock = load_lock(paths)  # read again: another pull may have entered its snapshot since
    source, day = new.source, new.day
    file = paths.raw / source.id / "facts.csv"
    entry = lock.get(source.id, {"lines": 0, "snapshots": {}})
    spans, days = _read_spans(file, paths.short(file)), locked_snapshots(lock, source.id)
    if new.live:
        refuse_released_day(paths, source.id, day)
    if new.live and days and day < days[-1]:
        raise SourceError(
            f"{source.id}: the clock says {day}, but there is a snapshot of {days[-1]}; set the clock or, if it"
            " was wrong when that snapshot was entered, take back its commit with `git revert`"
        )
    earlier = max((known for known in days if known <= day), default=None)
    before = at(spans, earlier) if earlier else []
    is_newest = day >= days[-1] if days else new.live  # what fills the history passes no check of losses
    replaced = {} if new.live else entry["snapshots"].get(str(day), {})
    is_read_again = _hashes(new.files) == {url: one["sha256"] for url, one in replaced.get("files", {}).items()}
    facts = ledger.keep_names(new.reading.facts, before) if is_newest else new.reading.facts
    if is_newest and not is_read_again:
        _check_losses(new, facts, spans, days)
    facts += ledger.keep_noted(facts, before)
    after = ledger.insert_snapshot(spans, days, day, facts)
    is_short = len(spans) < entry["lines"] if source.id in lock else bool(spans)
    if is_short and after != spans:  # equal where a pull was broken off
        raise _unlike_lock(paths.short(file), "it does not fit data/raw/lock.json: one of them is cut or missing")
    record = {
        "retrieved_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "live": replaced.get("live", is_newest),
        "files": {f.url: {"sha256": f.sha256, "md5": f.md5, "size": len(f.content)} for f in new.files},
    }
    snapshots = dict(sorted({**entry["snapshots"], str(day): record}.items()))
    write_whole(file, ledger.write_ledger(after).encode())
    _write_lock(paths, {**lock, source.id: {"lines": len(after), "snapshots": snapshots}})
    _report(new, facts, at(spans, days[-1]) if days else [], ledger.unread_notes(after, day) if is_newest else [], say)


def _check_losses(new: Snapshot, facts: list[Fact], spans: list[Span], days: list[date]) -> None:
    """Checks against the latest snapshot and, if that is of the same day, against that of the last day before, so that
    many small losses on one day are no small loss."""
    compared = dict.fromkeys([*days[-1:], *[day for day in days if day < new.day][-1:]])
    problems = [check_against(new.source, facts, new.reading.named, at(spans, day)) for day in compared or [new.day]]
    DataError.raise_any(dict.fromkeys(problem for found in problems for problem in found))


def _read_spans(file: Path, where: str) -> list[Span]:
    """The spans of facts.csv, none where there is no such file yet. Raises DataError where it is cut or damaged: what
    is no longer there would be gone for good."""
    content = file.read_bytes() if file.exists() else b"\n"
    try:
        if content.endswith(b"\n"):
            return ledger.read_ledger(content.decode())
    except (UnicodeDecodeError, TypeError, csv.Error) as error:
        raise _unlike_lock(where, f"damaged: {error}") from error
    raise _unlike_lock(where, "the last line has no line break: the file is cut")


def _unlike_lock(where: str, reason: str) -> DataError:
    return DataError.of(where, reason, f"mend both; {RESTORE}")


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
    write_whole(paths.lock, f"{json.dumps(dict(sorted(lock.items())), indent=1)}\n".encode())


def _report(new: Snapshot, facts: list[Fact], before: list[Fact], unread: list[Span], say: Say) -> None:
    """Says what the snapshot has, what was left out of it, and what no check stops."""
    name, old, now = new.source.id, set(before), set(facts)
    since = f"{len(now - old)} new, {len(old - now)} gone since the latest"
    say(f"{name}: snapshot {new.day}: {new.reading.named} records, {len(facts)} facts ({since})")
    if new.reading.unnamed:
        say(f"{name}: rows left out because they have no usable name: {new.reading.unnamed}")
    if unknown := new.reading.unknown_columns:
        say(f"{name}: columns not known: {', '.join(unknown)}; add them to data/raw/{name}/source.yml")
    known = {fact[:3] for fact in before}
    if cells := [cell for cell in new.set_aside if (cell.record, cell.field, cell.value) not in known]:
        say(f"warning: {name}: {len(cells)} new cells that the build will set aside:\n{render(cells)}")
    lost = Counter(fact.field for fact in before if not fact.locator)
    for field in sorted(lost.keys() - {fact.field for fact in facts}):
        say(f"warning: {name}: nothing states {field} any more ({lost[field]} facts in the latest snapshot)")
    if unread:
        records = ", ".join(sorted({span.record for span in unread}))
        say(f"warning: {name}: {len(unread)} facts from notes are closed, because what they explain changed: {records}")
