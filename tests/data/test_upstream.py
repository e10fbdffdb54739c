"""The real upstream files, if present: what they print arrives as facts, and the ledger says the same.

They are not part of the repository. TRAINCOMPUTE_UPSTREAM names a folder that is laid out like a mirror: dated
snapshots as history/notable/DATE.csv and history/all/DATE.csv, the current files under their host and path.
"""

from __future__ import annotations

import csv
import hashlib
import io
import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from machine import UPSTREAM, needs_upstream

from pipeline.config import Source, load_lock, load_sources, locked_snapshots
from pipeline.names import clean_name
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.ledger import Fact, Span, at, read_ledger
from pipeline.pull.snapshot import read_upstream
from pipeline.pull.tabular import LONGEST_NAME, Reading

SOURCES = load_sources(Paths(CHECKOUT))
LOCK = load_lock(Paths(CHECKOUT))
FILES = [
    *(("epoch_notable", file) for file in sorted(UPSTREAM.glob("history/notable/*.csv"))),
    *(("epoch_all", file) for file in sorted(UPSTREAM.glob("history/all/*.csv"))),
    *(
        (name, UPSTREAM / "epoch.ai" / "data" / f"{file}.csv")
        for name, file in (("epoch_notable", "notable_ai_models"), ("epoch_all", "all_ai_models"))
    ),
]

pytestmark = needs_upstream
CURRENT = ("notable_ai_models", "all_ai_models")
# every third of the dated files and the current ones
every_file = pytest.mark.parametrize(
    ("source_id", "file"),
    [
        pytest.param(source_id, file, id=f"{source_id}-{file.stem}")
        for number, (source_id, file) in enumerate(FILES)
        if number % 3 == 0 or file.stem in CURRENT
    ],
)

# the headers that the files have used for the most important columns
HEADERS = {
    "name": ("Model", "System"),
    "publication_date": ("Publication date",),
    "parameters": ("Parameters",),
    "training_compute_flop": ("Training compute (FLOP)", "Training compute (FLOPs)"),
    "dataset_size": ("Training dataset size (total)",),
    "dataset_size_gradients": ("Training dataset size (gradients)",),
    "dataset_size_datapoints": ("Training dataset size (datapoints)",),
    "hardware": ("Training hardware",),
    "hardware_quantity": ("Hardware quantity",),
}
Row = dict[str, str]


@cache
def table(file: Path) -> list[Row]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"), newline="")))


@cache
def reading(source_id: str, file: Path) -> Reading:
    return read_upstream(SOURCES[source_id], file.read_bytes(), file.name)


@cache
def ledger(source_id: str) -> list[Span]:
    return read_ledger((Paths(CHECKOUT).raw / source_id / "facts.csv").read_text(encoding="utf-8"))


def cells_of(rows: list[Row], field: str) -> Counter[tuple[str, str]]:
    """(name, text) of the filled cells of named rows."""
    name = next(column for column in HEADERS["name"] if column in rows[0])
    held = [column for column in HEADERS[field] if column in rows[0]]
    cells = ((" ".join(row[name].split()), " ".join(row[column].split())) for column in held for row in rows)
    return Counter((record, text) for record, text in cells if text and 0 < len(record) <= LONGEST_NAME)


@every_file
def test_every_column_is_known(source_id: str, file: Path) -> None:
    assert reading(source_id, file).unknown_columns == ()


@every_file
def test_nearly_every_cell_arrives_as_a_fact(source_id: str, file: Path) -> None:
    facts = [fact for fact in reading(source_id, file).facts if not fact.locator]
    compared = 0
    for field in HEADERS:
        cells = cells_of(table(file), field)
        arrived = Counter((fact.record.split(" @ ")[0], fact.value_text) for fact in facts if fact.field == field)
        assert (cells & arrived).total() >= 0.995 * cells.total(), (field, list((cells - arrived).items())[:5])
        assert arrived.total() <= cells.total(), field
        compared += cells.total()
    assert compared > 1000


@every_file
def test_the_ledger_holds_the_snapshot_as_it_is_read_today(source_id: str, file: Path) -> None:
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    days = [
        day
        for day in locked_snapshots(LOCK, source_id)
        for entry in LOCK[source_id]["snapshots"][day.isoformat()]["files"].values()
        if entry["sha256"] == sha256
    ]
    if not days:
        pytest.skip("this snapshot was not entered")
    stood = {fact for fact in at(ledger(source_id), days[0]) if not fact.locator}
    fresh = set(reading(source_id, file).facts)
    assert stood == fresh, (
        f"only in the ledger: {sorted(stood - fresh)[:3]}; only in the file: {sorted(fresh - stood)[:3]}"
    )


# --- snapshots that do not exist yet ---


def sample(file: Path) -> list[Row]:
    """Seventy rows, and rows whose name occurs twice."""
    rows = table(file)
    name = next(column for column in HEADERS["name"] if column in rows[0])
    counts = Counter(clean_name(row[name]) for row in rows)
    doubled = [row for row in rows if 1 < counts[clean_name(row[name])] < 5]
    return [*rows[:: max(1, len(rows) // 70)], *doubled[:10]]


def write(rows: list[Row], columns: dict[str, str], rng: random.Random) -> bytes:
    """The rows under new headers {new: old}."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n", quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer.writerow(columns)
    writer.writerows([row[old] if old else f"odd, {rng.random()}\n" for old in columns.values()] for row in rows)
    text = buffer.getvalue()
    text = text.replace("\n", "\r\n") if rng.random() < 0.5 else text
    return ("\ufeff" if rng.random() < 0.5 else "").encode() + text.encode()


def mutate(source: Source, rows: list[Row], rng: random.Random) -> tuple[dict[str, str], set[str]]:
    """Headers {new: old} in a different order, and the fields that remain: with other known spellings, without half of
    the columns that are not required, and with unknown columns."""
    fields = {column: field for field, columns in source.fields.items() for column in columns}
    columns, left = {}, set()
    for old in rows[0]:
        field = fields.get(old, "")
        if field in source.required or rng.random() < 0.5:
            columns[rng.choice(source.fields[field]) if field else old] = old
            left.add(field)
    columns |= {f"Column {number} of tomorrow": "" for number in range(3)}
    shuffled = list(columns.items())
    rng.shuffle(shuffled)
    return dict(shuffled), left


def plain(facts: list[Fact], fields: set[str]) -> Counter[tuple[str, str, str]]:
    """The facts of plain columns."""
    held = (fact for fact in facts if not fact.locator and fact.field in fields)
    return Counter((fact.record.split(" @ #")[0], fact.field, fact.value_text) for fact in held)


@every_file
@pytest.mark.parametrize("seed", [0, 1])
def test_a_snapshot_that_nobody_has_seen_is_read_without_a_change_of_code(
    source_id: str, file: Path, seed: int
) -> None:
    rng, source, rows = random.Random(seed), SOURCES[source_id], sample(file)
    columns, left = mutate(source, rows, rng)
    known = read_upstream(source, write(rows, {old: old for old in rows[0]}, random.Random(0)), file.name)
    unseen = read_upstream(source, write(rows, columns, rng), file.name)
    assert unseen.unknown_columns == tuple(f"Column {number} of tomorrow" for number in range(3))
    assert (unseen.rows, unseen.unnamed) == (known.rows, known.unnamed)
    assert len(left - {""}) >= len(source.required)
    assert plain(unseen.facts, left) == plain(known.facts, left)
