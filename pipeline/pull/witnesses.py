"""Third-party checksums: who else holds the files that our facts came from, by the md5 and sizes that they wrote
down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pipeline.config import Source
from pipeline.paths import Paths
from pipeline.pull.ledger import read_ledger

SUBJECT = "witnesses"
PLACE = "https://raw.githubusercontent.com/owid/etl/{commit}/{file}"  # as it was on that day


class Witness(NamedTuple):
    """Who wrote a file down, and where."""

    publisher: str
    reference: str


def load_witnesses(paths: Paths, sources: Iterable[Source]) -> dict[tuple[str, int], Witness]:
    """The witness of every file that one ever wrote down, by md5 and size in bytes."""
    witnesses = {}
    for source in sources:
        file = paths.raw / source.id / "facts.csv"
        if source.subject == SUBJECT and file.exists():
            records: dict[str, dict[str, str]] = {}
            for span in read_ledger(file.read_text(encoding="utf-8")):
                records.setdefault(span.record, {})[span.field] = span.value_text
            for cells in records.values():
                witnesses[cells["md5"], int(cells["bytes"])] = Witness(source.publisher, PLACE.format(**cells))
    return witnesses


def witness_of(snapshot: Mapping[str, Any], witnesses: Mapping[tuple[str, int], Witness]) -> Witness | None:
    """The witness of a snapshot of the lock: of one file, whose md5 and size stand in its record."""
    match list(snapshot["files"].values()):
        case [only]:
            return witnesses.get((only.get("md5", ""), only["size"]))
    return None
