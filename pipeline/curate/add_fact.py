"""add-fact: checks facts as the build would, in about a second and without pandas, and adds them to the curated files.

Either all facts of a command are written, each as a line in its sorted place, or none; all faults are reported at once.
"""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import click

from pipeline.config import load_sources
from pipeline.curated import load_decisions
from pipeline.errors import DataError, Problem
from pipeline.files import RESTORE
from pipeline.names import ADDRESS, CITATION, PLACE, is_reference, leads_nowhere, skeleton, slug
from pipeline.normalize.text import Reading, read_text
from pipeline.paths import Paths
from pipeline.pull.ledger import HEADER
from pipeline.schema import Column, Field, field_registry, load_schemas
from pipeline.vocabularies import Vocabulary, load_vocabularies
from traincompute.base.disk import write_whole
from traincompute.base.locks import sole_writer
from traincompute.show.table import one_line

FILES = ((2019, "facts_to_2019.csv"), (2022, "facts_2020_2022.csv"), (9999, "facts_from_2023.csv"))
NEEDED = ("name", "publication_date", "organization", "domain")  # required for a model that no source has
LONGEST_CELL = 200  # a fact is a number, a word or a place; anything longer is someone's prose
CONTRADICTION = 3.0
DOUBTFUL = 100.0  # a factor from all that is known: hardly a revision, more likely a unit that was left out
ENOUGH = 20  # values of a field that show what is usual for it
ORDER = ("record", "field", "reference")
ARXIV_ID = r"[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7}"
SPELLED = {  # the ways in which people write a reference, which is stored as prefix and rest
    "arXiv:": rf"(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv:? ?)?({ARXIV_ID})(?:v[0-9]+)?(?:\.pdf)?",
    "doi:": r"(?:https?://(?:dx\.)?doi\.org/|doi: ?)?(10\.[0-9]{4,9}/\S+)",
    "https://": r"http://(\S+)",
}
Row = Mapping[str, str]
Fault = tuple[str, str]  # reason and remedy


class Checkout(NamedTuple):
    """What facts about a record are checked against: `names` are the records that belong to a model now, `dropped` the
    places that drop a record, `lines` the record's own lines that are valid now, by file and line number, `models` the
    model_id of each name that a source uses, `chips` the names of the table hardware."""

    fields: Mapping[str, Field]
    columns: Mapping[str, Column]
    vocabularies: Mapping[str, Vocabulary]
    names: frozenset[str]
    dropped: Mapping[str, str]
    lines: Sequence[tuple[str, Row]]
    models: Mapping[str, str]
    chips: frozenset[str]

    def read(self, row: Row, since: str) -> Reading:
        """The value as the build reads it; a fact cannot state a date after the day it was entered."""
        field, latest = self.fields[row["field"]], date.fromisoformat(since)
        return read_text(field, row["value_text"], self.vocabularies, latest=latest)

    def numbers(self, row: Row, lines: Iterable[Row]) -> list[float]:
        """What lines say of the field of the row, in order: values, else bounds."""
        reads = [self.read(line, row["since"]) for line in lines if line["field"] == row["field"]]
        return sorted(number for read in reads if (number := read.value or read.low or read.high))

    def near(self, record: str) -> str:
        """The names that may be meant: first what sources call the model of that id, then what begins like it or looks
        alike."""
        core = skeleton(record)
        same = sorted(name for name, model in self.models.items() if core and skeleton(model) == core)
        alike = sorted(name for name in self.names if core and skeleton(name).startswith(core))
        return did_you_mean([*same, *alike, *get_close_matches(record, self.names, n=3)])


def add_facts(paths: Paths, rows: Sequence[Row], new: bool, sure: bool, dry_run: bool) -> None:
    """Checks the facts of one record and enters them; says how each was read, and where it went. `sure` enters doubtful
    ones, too. Raises DataError with all that is wrong."""

    def problem(row: Row, fault: Fault) -> Problem:
        return Problem("add-fact", row["record"], row["field"], row["value_text"], *fault)

    with sole_writer(paths.raw):
        checkout = read_checkout(paths, record := rows[0]["record"])
        faults = [Problem("add-fact", record, "", "", *fault) for fault in check_record(checkout, rows, new)]
        DataError.raise_any(faults + [problem(row, fault) for row in rows for fault in check_row(checkout, row)])
        file = paths.curated / file_for(checkout, rows)
        if not sure:
            DataError.raise_any(problem(row, fault) for row in rows for fault in doubts(checkout, row, file))
        for row in rows:
            say_how_it_reads(checkout, row)
        enter(paths, file, rows, dry_run)


def read_checkout(paths: Paths, record: str) -> Checkout:
    """What the files of a checkout say of a record, and of the names of others."""
    sources, vocabularies, schemas = load_sources(paths), load_vocabularies(paths), load_schemas(paths)
    claimed = {name for source in sources.values() for name in source.fields}
    derived = {column.name for column in schemas["models"].columns if column.derived} - claimed
    fields = {key.removeprefix("models."): e for key, e in field_registry(schemas, vocabularies, ["models"]).items()}
    lines, chips = (
        [
            line
            for source in sources.values()
            if source.subject == subject
            for line in _read_lines(paths, source.id, one)
        ]
        for subject, one in (("models", record), ("hardware", ""))
    )
    where = paths.short(paths.identities)
    decisions = load_decisions(paths.identities, where)
    dropped = {d.alias: f"{where}:{d.line}" for d in decisions if d.relation == "dropped"}
    printed = {row["record"] for _, row in lines if row["field"] == "name" and not row["until"]}
    decided = {record} if slug(record) in {d.model_id for d in decisions} else set()
    models = {d.alias: d.model_id for d in decisions if d.model_id}
    return Checkout(
        {name: field for name, field in fields.items() if name not in derived},
        {column.claim or column.name: column for column in schemas["models"].columns},
        vocabularies,
        frozenset((printed | {d.alias for d in decisions} | decided) - set(dropped)),
        dropped,
        [line for line in lines if line[1]["record"] == record and not line[1]["until"]],
        {name: models.get(name) or slug(name) for name in printed},
        frozenset(row["value_text"] for _, row in chips if row["field"] == "name" and not row["until"]),
    )


def _read_lines(paths: Paths, source_id: str, record: str) -> Iterator[tuple[str, Row]]:
    """The lines of a source that give a name or are about the record."""
    for file in sorted((paths.raw / source_id).glob("facts*.csv")):
        with file.open(encoding="utf-8", newline="") as handle:
            reader = csv.reader(handle)
            header = next(reader, [])
            for number, cells in enumerate(reader, 2):
                if record in cells or "name" in cells:
                    yield f"{paths.short(file)}:{number}", dict(zip(header, cells, strict=False))


def check_record(checkout: Checkout, rows: Sequence[Row], new: bool) -> Iterator[Fault]:
    """What is wrong with the record, the reference, and the set of facts of a new model."""
    first, core = rows[0], skeleton(rows[0]["record"])
    record, reference = first["record"], first["reference"]
    twins = [name for name in checkout.names if core and skeleton(name) == core]
    missing = [name for name in NEEDED if name not in [row["field"] for row in rows]]
    if record in checkout.dropped:
        yield "this name stands for no one model", f"{checkout.near(record)}see {checkout.dropped[record]}"
    elif not new and record not in checkout.names:
        yield "no source has a model of this name now", f"{checkout.near(record)}add --new if it is in no source yet"
    elif new and record in checkout.names:
        yield "the model is known already", "leave --new out"
    elif new and twins:
        remedy = f'use "{twins[0]}" without --new, or a name that tells the two apart'
        yield f'a model is called "{twins[0]}" already', remedy
    if new and missing:
        yield f"a new model needs {', '.join(missing)}", "add " + " ".join(f"--set {name}=…" for name in missing)
    matches = [(prefix, re.fullmatch(form, reference, re.IGNORECASE)) for prefix, form in SPELLED.items()]
    better = next((prefix + match[1] for prefix, match in matches if match), reference)
    if better != reference or not is_reference(reference):
        remedy = f'did you mean "{better}"?' if better != reference else ADDRESS
        yield f'"{reference}" is not a reference', remedy
    for name in ("record", "reference", "locator"):
        if not 0 < len(first[name]) <= LONGEST_CELL:
            yield f"{name} has {len(first[name])} characters", f"say it in 1 to {LONGEST_CELL}: facts, not sentences"
    if first["locator"] and leads_nowhere(first["locator"], first["evidence"]):
        yield f'locator "{first["locator"]}" leads nowhere', PLACE


def did_you_mean(names: Iterable[str]) -> str:
    """A question that offers the first three of the names; "" if there are none."""
    near = list(dict.fromkeys(names))[:3]
    return "did you mean " + " or ".join(f'"{name}"' for name in near) + "? " if near else ""


def check_row(checkout: Checkout, row: Row) -> Iterator[Fault]:
    """What the build would refuse: a field that facts cannot state, text that cannot be read, and a value that the
    schema of the column excludes. Text that states nothing, or what a line states already, is refused here too."""
    name, column = row["field"], checkout.columns.get(row["field"])
    if name not in checkout.fields:
        spellings = {c.name: claim for claim, c in checkout.columns.items() if claim in checkout.fields}
        spellings |= {field: field for field in checkout.fields}
        near = did_you_mean(spellings[near] for near in get_close_matches(name.lower(), spellings, n=1))
        unknown = "no such field", f"{near}See schemas/models.yml and schemas/vocab/fields.yml"
        yield ("no fact, it is derived", column.derived or "") if column else unknown
        return
    read, limits = checkout.read(row, row["since"]), column.constraints if column else {}
    largest = max((number for number in (read.value, read.low, read.high) if number is not None), default=0.0)
    if read.reason_code:
        check = "check number and unit" if read.reason_code == "zero" else "enter what is meant"
        yield read.reason, read.remedy or check
    elif largest > limits.get("maximum", float("inf")):
        yield f"above {limits['maximum']:.4g}", "check number and unit"
    elif read.code not in limits.get("enum", [read.code]):
        yield "not one of the words for it", f"write {' or '.join(limits['enum'])}"
    if len(row["value_text"]) > LONGEST_CELL:
        yield f"has {len(row['value_text'])} characters", f"at most {LONGEST_CELL}: facts, not sentences"
    for where, line in checkout.lines:
        if all(line.get(key, "") == row[key] for key in ("field", "value_text", "locator", "reference")):
            yield f"the same fact stands in {where}", "if you checked it better, edit evidence and accessed there"


def doubts(checkout: Checkout, row: Row, file: Path) -> Iterator[Fault]:
    """Why a fact may be a slip: a chip that is no row of the table hardware, or a number far from what the ledgers have
    for this field of the record or, where they have nothing, from all but the outermost hundredths of what the file of
    its years has."""
    if row["field"] == "hardware":
        spellings = checkout.chips | checkout.vocabularies["hardware"].lookup.keys()
        for chip in set(checkout.read(row, row["since"]).code.split(";")) - checkout.chips:
            near = did_you_mean(get_close_matches(chip, spellings, n=3))
            yield f'"{chip}" is no row of the table hardware', f"{near}if it is right, add --sure"
        return
    value, others = checkout.numbers(row, [row]), checkout.numbers(row, [line for _, line in checkout.lines])
    place = "known of this model"
    if not others and file.exists():
        usual = checkout.numbers(row, csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
        rim = len(usual) // 100
        others, place = usual[rim : len(usual) - rim] if len(usual) >= ENOUGH else [], f"usual in {file.name}"
    if value and others and not others[0] / DOUBTFUL <= value[0] <= others[-1] * DOUBTFUL:
        known = f"the {others[0]:.4g} to {others[-1]:.4g} {place}"
        reason = f"{value[0]:.4g} is more than a factor of {DOUBTFUL:g} from {known}"
        yield reason, "check number and unit (671B, not 671); if it is right, add --sure"


def file_for(checkout: Checkout, rows: Sequence[Row]) -> str:
    """The file of the record's other facts, else that of the year of publication or entry."""
    for where, line in checkout.lines:
        if "reference" in line and "/curated/" in where:
            return Path(where.rpartition(":")[0]).name
    dated = [row for row in (*rows, *dict(checkout.lines).values()) if row["field"] == "publication_date"]
    years = re.findall(r"\b[12][0-9]{3}\b", " ".join(row["value_text"] for row in dated) + " " + rows[0]["since"])
    return next(name for last, name in FILES if int(years[0]) <= last)


def say_how_it_reads(checkout: Checkout, row: Row) -> None:
    """Prints the value of a readable fact, and warns of what the ledgers say about the same field, where that is also
    curated or contradicts the new value."""
    field, read = checkout.fields[row["field"]], checkout.read(row, row["since"])
    value, note = read.code.replace(";", "; "), f" ({read.note})" if read.note else ""
    if field.type == "number":
        ends = {"": read.value, "at least ": read.low, "at most ": read.high}
        value = ", ".join(f"{word}{number:.6g}" for word, number in ends.items() if number is not None)
        value += f" {field.unit}" * (field.unit != "1")
    click.echo(one_line(f"{row['field']}: {row['value_text']} -> {value}{note}"))
    for where, line in [pair for pair in checkout.lines if pair[1]["field"] == row["field"]]:
        other, warning = checkout.read(line, row["since"]).value, ""
        if "reference" in line:
            cited = f"{line['reference']}, {line['locator']}, {line['evidence']}"
            warning = f"{where} has {line['value_text']} too ({cited})"
        elif read.value and other and not line["locator"]:
            ratio = read.value / other
            warning = f"upstream has {other:.4g} ({where}); {read.value:.4g} is {ratio:.3g} times that"
            warning *= not 1 / CONTRADICTION <= ratio <= CONTRADICTION
        if warning:
            click.echo(one_line(f"warning: {warning}"), err=True)


def enter(paths: Paths, file: Path, rows: Sequence[Row], dry_run: bool) -> None:
    """Writes the whole file with the new lines, and prints the new lines. Where nothing can be locked another may have
    entered the same line meanwhile: it stands once."""
    header = ",".join((*HEADER, *CITATION)) + "\n"
    lines = list(io.StringIO(file.read_text(encoding="utf-8") if file.exists() else header))
    if not lines or not lines[-1].endswith("\n"):
        where = f"{paths.short(file)}:{len(lines) or 1}"
        raise DataError.of(where, "the last line has no line break", f"end it with one if it is whole; {RESTORE}")
    for row in rows:
        keys = [[cells.get(name) or "" for name in ORDER] for cells in csv.DictReader(lines)]
        place, text = 1 + bisect(keys, [row[name] for name in ORDER]), io.StringIO()
        csv.DictWriter(text, lines[0].strip("\ufeff\r\n").split(","), lineterminator="\n").writerow(row)
        if text.getvalue() not in lines:
            lines.insert(place, text.getvalue())
        line = text.getvalue().rstrip()
        click.echo(one_line(f"{'would be ' * dry_run}{paths.short(file)}:{place + 1}: {line}"))
    if not dry_run:
        write_whole(file, "".join(lines).encode())
        click.echo("next: traincompute build")
