"""add-fact: checks facts as the build would, in about a second and without pandas, and adds them to the curated files.

Either all facts of a command are written, each as a line in its sorted place, or none; all faults are reported at once.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import click

from pipeline import files
from pipeline.config import load_sources
from pipeline.curated import Decision, load_curated
from pipeline.errors import DataError, Problem
from pipeline.names import ADDRESS, CITATION, PLACE, is_reference, leads_nowhere, skeleton, slug
from pipeline.normalize.text import ParsedValue, read_text
from pipeline.paths import Paths
from pipeline.pull.ledger import HEADER
from pipeline.schema import Column, Field, field_registry, load_schemas
from pipeline.vocabularies import Vocabulary, load_vocabularies
from traincompute.base.files import write_whole
from traincompute.show.rows import one_line

FILES = ((2019, "facts_to_2019.csv"), (2022, "facts_2020_2022.csv"), (9999, "facts_from_2023.csv"))
NEEDED = ("name", "publication_date", "organization", "domain")  # required for a model that no source has
LONGEST_CELL = 200  # a fact is a number, a word or a place; anything longer is someone's prose
DOUBTFUL = 100.0  # a factor from all that is known: hardly a revision, more likely a unit that was left out
ALL = ("name", "organization")  # fields that are read of every record
ENOUGH = 20  # values of a field that show what is usual for it
Row = Mapping[str, str]
Fault = tuple[str, str]  # reason and remedy


class Checkout(NamedTuple):
    """What facts about a record are checked against: `names` are the records that belong to a model now, `dropped` the
    places that drop a record, `lines` the record's own lines that are valid now, by file and line number, `known` the
    chips of the table hardware and the organisations of models, by field."""

    fields: Mapping[str, Field]
    columns: Mapping[str, Column]
    vocabularies: Mapping[str, Vocabulary]
    names: frozenset[str]
    dropped: Mapping[str, str]
    lines: Sequence[tuple[str, Row]]
    known: Mapping[str, frozenset[str]]

    def read(self, row: Row, since: str) -> ParsedValue:
        """The value as the build reads it; a fact cannot state a date after the day it was entered."""
        latest = date.fromisoformat(since)
        return read_text(self.fields[row["field"]], row["value_text"], self.vocabularies, latest=latest)

    def numbers(self, row: Row, lines: Iterable[Row]) -> list[float]:
        """What lines say of the field of the row, in order: values, else bounds."""
        reads = [self.read(line, row["since"]) for line in lines if line["field"] == row["field"]]
        return sorted(number for read in reads if (number := read.value or read.low or read.high))


def add_facts(paths: Paths, rows: Sequence[Row], new: bool, sure: bool, dry_run: bool) -> None:
    """Checks the facts of one record and enters them in the file of its year of publication, or else of entry; says how
    each was read, and where it went. `sure` enters doubtful ones, too. Raises DataError with all that is wrong."""
    record = rows[0]["record"]

    def problems(check: Callable[..., Iterable[Fault]], *known: Any) -> list[Problem]:
        cells = [(row, ("add-fact", record, row["field"], row["value_text"])) for row in rows]
        return [Problem(*cell, *fault) for row, cell in cells for fault in check(checkout, row, *known)]

    with files.sole_writer(paths.raw):
        checkout = read_checkout(paths, record)
        faults = [Problem("add-fact", record, "", "", *fault) for fault in check_record(checkout, rows, new)]
        DataError.raise_any(faults + problems(check_row))
        dated = [row for row in (*rows, *dict(checkout.lines).values()) if row["field"] == "publication_date"]
        days = " ".join([*(row["value_text"] for row in dated), rows[0]["since"]])
        year = int(re.findall(r"\b[12][0-9]{3}\b", days)[0])
        file = paths.curated / next(name for last, name in FILES if year <= last)
        if not sure:
            DataError.raise_any(problems(doubts, rows, file))
        for row in rows:
            say_how_it_reads(checkout, row)
        enter(paths, file, rows, dry_run)


def read_checkout(paths: Paths, record: str) -> Checkout:
    """What the files of a checkout say of a record, and of the names of others."""
    sources, vocabularies, schemas = load_sources(paths), load_vocabularies(paths), load_schemas(paths)
    columns = {column.claim or column.name: column for column in schemas["models"].columns}
    stated = {name for source in sources.values() for name in source.fields}
    derived = {column.name for column in columns.values() if column.derived} - stated
    fields = {key.removeprefix("models."): f for key, f in field_registry(schemas, vocabularies, ["models"]).items()}
    lines = [(one.subject, *line) for one in sources.values() for line in read_lines(paths, one.id, record)]
    chips = frozenset(row["value_text"] for subject, _, row in lines if (subject, row["field"]) == ("hardware", "name"))
    models = [(place, row) for subject, place, row in lines if subject == "models"]
    decisions = load_curated(paths, Decision)
    dropped = {d.alias: f"{paths.short(paths.identities)}:{d.line}" for d in decisions if d.relation == "dropped"}
    names = {row["record"] for _, row in models if row["field"] == "name"} | {d.alias for d in decisions}
    names |= {record} if slug(record) in {d.model_id for d in decisions} else set()
    own = [line for line in models if line[1]["record"] == record]
    makers = ",".join(row["value_text"].replace(";", ",") for _, row in models if row["field"] == "organization")
    known = {"hardware": chips, "organization": frozenset(map(str.strip, makers.split(",")))}
    known["organization"] |= vocabularies["organizations"].codes.keys()
    fields = {name: field for name, field in fields.items() if name not in derived}
    return Checkout(fields, columns, vocabularies, frozenset(names - dropped.keys()), dropped, own, known)


def read_lines(paths: Paths, source_id: str, record: str | None = None) -> Iterator[tuple[str, Row]]:
    """The lines of a source that are valid now, by file and line number; of one record those about it, and all names
    and organisations."""
    for file in sorted((paths.raw / source_id).glob("facts*.csv")):
        where = paths.short(file)
        with file.open(encoding="utf-8", newline="") as handle:
            for number, row in enumerate(csv.DictReader(handle), 2):
                if not row["until"] and (record in (None, row["record"]) or row["field"] in ALL):
                    yield f"{where}:{number}", row


def canonical(reference: str) -> str:
    """A reference as it is stored: arXiv ids without their version and DOIs with their prefix, also for a link."""
    arxiv = r"(?i)^(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv:? ?)([^\s;]+?)(?:v[0-9]+)?(?:\.pdf)?$"
    doi = r"(?i)^(?:https?://(?:dx\.)?doi\.org/|doi: ?)(10\.[^\s;]+)$"
    return re.sub(doi, r"doi:\1", re.sub(arxiv, r"arXiv:\1", reference))


def did_you_mean(names: Iterable[str]) -> str:
    """A question that offers the first three of the names; "" if there are none."""
    near = list(dict.fromkeys(names))[:3]
    return "did you mean " + " or ".join(f'"{name}"' for name in near) + "? " if near else ""


def check_record(checkout: Checkout, rows: Sequence[Row], new: bool) -> Iterator[Fault]:
    """What is wrong with the record, its citation, and the set of facts of a new model."""
    first, record = rows[0], rows[0]["record"]
    core, is_known = skeleton(record), record in checkout.names
    alike = sorted((n for n in checkout.names if core and skeleton(n).startswith(core)), key=lambda n: (len(n), n))
    near = did_you_mean([*alike, *get_close_matches(record, checkout.names, n=3)])
    missing = [name for name in NEEDED if name not in [row["field"] for row in rows]]
    if record in checkout.dropped:
        yield "this name stands for no one model", f"{near}see {checkout.dropped[record]}"
    elif new == is_known:
        reason = "the model is known already" if new else "no source has a model of this name now"
        yield reason, "leave --new out" if new else f"{near}add --new if it is in no source yet"
    elif new and alike and skeleton(alike[0]) == core:
        remedy = f'use "{alike[0]}" without --new, or a name that tells the two apart'
        yield f'a model is called "{alike[0]}" already', remedy
    if new and missing:
        yield f"a new model needs {', '.join(missing)}", "add " + " ".join(f"--set {name}=…" for name in missing)
    if not is_reference(first["reference"]):
        yield f'"{first["reference"]}" is not a reference', ADDRESS
    if leads_nowhere(first["locator"], first["evidence"]):
        yield f'locator "{first["locator"]}" leads nowhere', PLACE
    for name, text in [(name, row[name]) for row in rows for name in ("record", "value_text", "reference", "locator")]:
        if len(text) > LONGEST_CELL:
            yield f"{name} has {len(text)} characters", f"at most {LONGEST_CELL}: facts, not sentences"


def check_row(checkout: Checkout, row: Row) -> Iterator[Fault]:
    """What the build would refuse: an unknown field, text that cannot be read, and a value above the maximum of the
    column; and text that states nothing, or what a line states already."""
    name, column = row["field"], checkout.columns.get(row["field"])
    if name not in checkout.fields:
        near = did_you_mean(get_close_matches(name.lower(), checkout.fields, n=1))
        see = f"{near}See schemas/models.yml and schemas/vocab/fields.yml"
        yield ("no fact, it is derived", column.derived or "") if column else ("no such field", see)
        return
    read, limits = checkout.read(row, row["since"]), column.constraints if column else {}
    largest = max(read.value or 0, read.low or 0, read.high or 0)
    if read.reason_code:
        yield read.reason, read.remedy or "check number and unit"
    elif largest > limits.get("maximum", largest):
        yield f"above {limits['maximum']:.4g}", "check number and unit"
    elif read.code not in limits.get("enum", [read.code]):
        yield "not one of the words for it", f"write {' or '.join(limits['enum'])}"
    for where, line in checkout.lines:
        if all(line.get(key, "") == row[key] for key in ("field", "value_text", "locator", "reference")):
            yield f"the same fact is already in {where}", "if you checked it better, edit evidence and accessed there"


def doubts(checkout: Checkout, row: Row, rows: Sequence[Row], file: Path) -> Iterator[Fault]:
    """Why a fact may be a slip: a chip that is no row of the table hardware, a name close to a known organisation's,
    or a number far from what is known of the field for this record, from 6 × parameters × tokens or, where nothing is
    known, from all but the outermost hundredths of what the file has."""
    field, read = row["field"], checkout.read(row, row["since"])
    if known := checkout.known.get(field):
        spellings = checkout.vocabularies[checkout.fields[field].vocab].lookup.keys()
        spelled = {name.casefold(): name for name in known | spellings}
        may_be_new = field == "organization"  # there are new ones every week
        for name in set(read.code.split(";")) - known:
            near = get_close_matches(name.casefold(), spelled, n=3, cutoff=0.8 if may_be_new else 0.6)
            if near or not may_be_new:
                alike = (spelled[each] for each in near)
                yield f'"{name}" is no {field} that we know', f"{did_you_mean(alike)}if it is right, add --sure"
        return
    value, others = checkout.numbers(row, [row]), checkout.numbers(row, [line for _, line in checkout.lines])
    place = "known of this model"
    stated = [*rows, *(line for _, line in checkout.lines)]
    is_whole = read.value and "base_model" not in [line["field"] for line in stated]
    if field == "training_compute_flop" and is_whole and not others:
        sizes = (checkout.numbers({**row, "field": name}, stated) for name in ("parameters", "training_tokens"))
        others, place = [6 * n * d for n, d in zip(*sizes, strict=False)], "of 6 × parameters × tokens"
    if not others and file.exists():
        usual = checkout.numbers(row, csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
        rim = len(usual) // 100
        others, place = usual[rim : len(usual) - rim] if len(usual) >= ENOUGH else [], f"usual in {file.name}"
    if value and others and not others[0] / DOUBTFUL <= value[0] <= others[-1] * DOUBTFUL:
        ends = " to ".join(dict.fromkeys(f"{other:.4g}" for other in (others[0], others[-1])))
        reason = f"{value[0]:.4g} is more than a factor of {DOUBTFUL:g} from the {ends} {place}"
        yield reason, "check number and unit (671B, not 671); if it is right, add --sure"


def say_how_it_reads(checkout: Checkout, row: Row) -> None:
    """Prints the value of a readable fact, and what the ledgers say about the same field."""
    unit, read = checkout.fields[row["field"]].unit, checkout.read(row, row["since"])
    ends = {"": read.value, "at least ": read.low, "at most ": read.high}
    value = ", ".join(f"{word}{number:.6g} {unit}" for word, number in ends.items() if number is not None)
    note = f" ({read.note})" if read.note else ""
    click.echo(one_line(f"{row['field']}: {row['value_text']} -> {value or read.code.replace(';', '; ')}{note}"))
    for where, line in checkout.lines:
        if line["field"] == row["field"]:
            cited = ", ".join(filter(None, [line.get("reference"), line["locator"], line.get("evidence")]))
            click.echo(one_line(f"    {where} has {line['value_text']} {cited}"))


def enter(paths: Paths, file: Path, rows: Sequence[Row], dry_run: bool) -> None:
    """Writes the whole file with the new lines, and prints them; a line that is already there is written once."""
    where = paths.short(file)
    head, *lines = io.StringIO(files.read_text(file, where) if file.exists() else ",".join((*HEADER, *CITATION)) + "\n")
    csv.DictWriter(added := io.StringIO(), head.strip().split(","), lineterminator="\n").writerows(rows)
    new = added.getvalue().splitlines(keepends=True)
    lines += [line for line in new if line not in lines]
    lines.sort(key=lambda line: next(csv.reader([line]))[:2])  # record and field
    for line in new:
        click.echo(one_line(f"{'would be ' * dry_run}{where}:{lines.index(line) + 2}: {line.rstrip()}"))
    if not dry_run:
        write_whole(file, "".join([head, *lines]).encode())
        click.echo("next: traincompute build")
