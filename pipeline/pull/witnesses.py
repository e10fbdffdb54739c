"""Who else holds the files that our facts came from: the md5 and sizes that third parties wrote down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pipeline.base.paths import Paths
from pipeline.pull.ledger import read_ledger
from pipeline.registry.sources import Source

SUBJECT = "witnesses"
BRANCH = "/master/"  # in the address of a witness; with a commit in its place it is the state of that day


class Witness(NamedTuple):
    """Who wrote a file down, and where."""

    publisher: str
    reference: str


def load_witnesses(paths: Paths, sources: Iterable[Source]) -> dict[tuple[str, int], Witness]:
    """The witness of every file that one ever wrote down, by md5 and size in bytes."""
    found = {}
    for source in sources:
        file = paths.raw / source.id / "facts.csv"
        if source.subject == SUBJECT and file.exists():
            for commit, cells in _records(file.read_text(encoding="utf-8")).items():
                reference = (source.url or "").replace(BRANCH, f"/{commit}/")
                found[cells["md5"], int(cells["bytes"])] = Witness(source.publisher, reference)
    return found


def witness_of(snapshot: Mapping[str, Any], witnesses: Mapping[tuple[str, int], Witness]) -> Witness | None:
    """The witness of a snapshot of the lock: of one file, whose md5 and size stand in its record."""
    match list(snapshot["files"].values()):
        case [only]:
            return witnesses.get((only.get("md5", ""), only["size"]))
    return None


def _records(text: str) -> dict[str, dict[str, str]]:
    records: dict[str, dict[str, str]] = defaultdict(dict)
    for span in read_ledger(text):
        records[span.record][span.field] = span.value_text
    return records
