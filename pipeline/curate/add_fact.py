"""add-fact: checks facts as the build would, in about a second and without pandas, and adds them to the curated files.

Either all facts of a command are written, each as a line in its sorted place, or none; all faults are reported at once.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import click

from pipeline.base.errors import DataError
from pipeline.base.names import skeleton, slug
from pipeline.base.paths import Paths
from pipeline.base.textfile import RESTORE
from pipeline.base.whole_files import replace_file
from pipeline.pull.ledger import HEADER
from pipeline.registry.fields import Field, field_registry
from pipeline.registry.identities import load_decisions
from pipeline.registry.provenance import CITATION, PLACE, leads_nowhere
from pipeline.registry.reasons import ZERO
from pipeline.registry.schema import Column, load_schemas
from pipeline.registry.sources import load_sources
from pipeline.registry.text import Reading, read_text
from pipeline.registry.vocabularies import Vocabulary, load_vocabularies
from traincompute.base.errors import InputError

FILES = ((2019, "facts_to_2019.csv"), (2022, "facts_2020_2022.csv"), (9999, "facts_from_2023.csv"))
NEEDED = ("name", "publication_date", "organization", "domain")  # required for a model that no source has
LONGEST_CELL = 200  # a fact is a number, a word or a place; anything longer is someone's prose
CONTRADICTION = 3.0
DOUBTFUL = 100.0  # a factor from all that is known: hardly a revision, more likely a unit that was left out
ENOUGH = 20  # values of a field that show what is usual for it
ORDER = ("record", "field", "reference")
ARXIV_ID = r"[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7}"
REFERENCE = re.compile(rf"arXiv:(?:{ARXIV_ID})|doi:10\.[0-9]{{4,9}}/\S+|https://(?!arxiv\.org/|doi\.org/)\S+\.\S+")
REWRITTEN = {  # other ways in which people write a reference
    "arXiv:": rf"(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv:? ?)?({ARXIV_ID})(?:v[0-9]+)?(?:\.pdf)?",
    "doi:": r"(?:https?://(?:dx\.)?doi\.org/|doi: ?)?(10\.[0-9]{4,9}/\S+)",
    "https://": r"http://(\S+)",
}
Row = Mapping[str, str]
Line = tuple[str, Row]  # file and line number, and the cells
Fault = tuple[str, str]  # reason and remedy


class Known(NamedTuple):
    """What facts about a record are checked against: `names` are the records that belong to a model now, `dropped` the
    places that drop a record, `lines` the record's own lines that are valid now, `models` the model_id of each name
    that the identities give one, and of what sources call a model now."""

    fields: Mapping[str, Field]
    columns: Mapping[str, Column]
    vocabularies: Mapping[str, Vocabulary]
    names: frozenset[str]
    dropped: Mapping[str, str]
    lines: Sequence[Line]
    models: Mapping[str, str]


def read_checkout(paths: Paths, record: str) -> Known:
    sources, vocabularies, schemas = load_sources(paths), load_vocabularies(paths), load_schemas(paths)
    columns = schemas["models"].columns
    claimed = {name for source in sources.values() for name in source.fields}
    derived = {c.name for c in columns if c.derived and c.name not in claimed}
    registry = field_registry(schemas, vocabularies, ["models"]).items()
    lines = [line for s in sources.values() if s.subject == "models" for line in _read_lines(paths, s.id, record)]
    where = paths.short(file := paths.curated / "identities.csv")
    decisions = load_decisions(file, where)
    dropped = {d.alias: f"{where}:{d.line}" for d in decisions if d.relation == "dropped"}
    printed = {row["record"] for _, row in lines if row["field"] == "name" and not row["until"]}
    decided = {record} if slug(record) in {d.model_id for d in decisions} else set()
    names = printed | {d.alias for d in decisions} | decided
    models = {d.alias: d.model_id for d in decisions if d.model_id}
    return Known(
        {name: e for key, e in registry if (name := key.removeprefix("models.")) not in derived},
        {column.claim or column.name: column for column in columns},
        vocabularies,
        frozenset(names - set(dropped)),
        dropped,
        [line for line in lines if line[1]["record"] == record and not line[1]["until"]],
        {name: models.get(name) or slug(name) for name in printed},
    )


def _read_lines(paths: Paths, source_id: str, record: str) -> Iterator[Line]:
    """The lines of a source that give a name or are about the record."""
    for file in sorted((paths.raw / source_id).glob("facts*.csv")):
        with file.open(encoding="utf-8", newline="") as handle:
            reader = csv.reader(handle)
            header = next(reader, [])
            for number, cells in enumerate(reader, 2):
                if record in cells or "name" in cells:
                    yield f"{paths.short(file)}:{number}", dict(zip(header, cells, strict=False))


def read_value(known: Known, row: Row) -> Reading:
    """The value as the build reads it, with one more limit: a fact cannot state a date after the day it was entered."""
    latest = date.fromisoformat(row["since"])
    return read_text(known.fields[row["field"]], row["value_text"], known.vocabularies, latest=latest)


def shown(known: Known, row: Row) -> str:
    """The value of a readable fact, formatted for people."""
    field, found = known.fields[row["field"]], read_value(known, row)
    if field.type == "date":
        return f"{found.code} ({found.note})"
    if field.type != "number":
        return found.code.replace(";", "; ")
    ends = {"": found.value, "at least ": found.low, "at most ": found.high}
    amount = ", ".join(f"{word}{number:.6g}" for word, number in ends.items() if number is not None)
    note = f" ({found.note})" if found.note else ""
    return f"{amount} {field.unit if field.unit != '1' else ''}".rstrip() + note


def _check_value(known: Known, row: Row) -> Iterator[Fault]:
    """What the build would refuse: a field that facts cannot state, text that cannot be read, and a value that the
    schema of the column excludes. Text that states nothing is refused here too, as it would add nothing."""
    if row["field"] not in known.fields:
        yield _no_field(known, row["field"])
        return
    found = read_value(known, row)
    if found.reason_code:
        check = "check number and unit" if found.reason_code == ZERO else "enter what is meant"
        yield found.reason, found.remedy or check
        return
    column = known.columns.get(row["field"])
    limits: Mapping[str, Any] = column.constraints if column else {}
    most = max((number for number in (found.value, found.low, found.high) if number is not None), default=0.0)
    if most > limits.get("maximum", float("inf")):
        yield f"above {limits['maximum']:.4g}", "check number and unit"
    if found.code not in limits.get("enum", [found.code]):
        yield "not one of the words for it", f"write {' or '.join(limits['enum'])}"


def _no_field(known: Known, name: str) -> Fault:
    if name in known.columns:
        return "no fact, it is derived", known.columns[name].derived or ""
    spellings = {column.name: claim for claim, column in known.columns.items() if claim in known.fields}
    spellings |= {field: field for field in known.fields}
    near = get_close_matches(name.lower(), spellings, n=1)
    hint = f'did you mean "{spellings[near[0]]}"? ' if near else ""
    return "no such field", f"{hint}See schemas/models.yml and schemas/vocab/fields.yml"


def check_record(known: Known, row: Row, stated: Row, new: bool) -> Iterator[Fault]:
    """What is wrong with the record, the reference, and the set of facts of a new model."""
    record, reference = row["record"], row["reference"]
    if record in known.dropped:
        yield "this name stands for no one model", f"{_near(known, record)}see {known.dropped[record]}"
    elif new:
        yield from _check_new(known, record, stated)
    elif record not in known.names:
        yield _no_record(known, record)
    if not REFERENCE.fullmatch(reference):
        better = [p + m[1] for p, form in REWRITTEN.items() if (m := re.fullmatch(form, reference, re.IGNORECASE))]
        remedy = f'did you mean "{better[0]}"?' if better else "write arXiv:2211.05100, doi:10.1038/… or https://…"
        yield f'"{reference}" is not a reference', remedy
    for name in ("record", "reference", "locator"):
        if not 0 < len(row[name]) <= LONGEST_CELL:
            yield f"{name} has {len(row[name])} characters", f"say it in 1 to {LONGEST_CELL}: facts, not sentences"
    if row["locator"] and leads_nowhere(row["locator"], row["evidence"]):
        yield f'locator "{row["locator"]}" leads nowhere', PLACE


def _check_new(known: Known, record: str, stated: Row) -> Iterator[Fault]:
    core = skeleton(record)
    if record in known.names:
        yield "the model is known already", "leave --new out"
    elif twins := [name for name in known.names if core and skeleton(name) == core]:
        remedy = f'use "{twins[0]}" without --new, or a name that tells the two apart'
        yield f'a model is called "{twins[0]}" already', remedy
    if missing := [name for name in NEEDED if name not in stated]:
        yield f"a new model needs {', '.join(missing)}", "add " + " ".join(f"--set {name}=…" for name in missing)


def _no_record(known: Known, record: str) -> Fault:
    return "no source has a model of this name now", f"{_near(known, record)}add --new if it is in no source yet"


def _near(known: Known, record: str) -> str:
    """The names that may be meant: first what sources call the model of that id, then what begins like it or looks
    alike."""
    core = skeleton(record)
    same = sorted(name for name, model in known.models.items() if core and skeleton(model) == core)
    alike = sorted(name for name in known.names if core and skeleton(name).startswith(core))
    near = list(dict.fromkeys([*same, *alike, *get_close_matches(record, known.names, n=3)]))[:3]
    return "did you mean " + " or ".join(f'"{name}"' for name in near) + "? " if near else ""


def check_row(known: Known, row: Row) -> Iterator[Fault]:
    """What is wrong with the value, and whether the fact has been entered already."""
    yield from _check_value(known, row)
    if len(row["value_text"]) > LONGEST_CELL:
        yield f"has {len(row['value_text'])} characters", f"at most {LONGEST_CELL}: facts, not sentences"
    for where, line in known.lines:
        if all(line.get(name, "") == row[name] for name in ("field", "value_text", "locator", "reference")):
            yield f"the same fact stands in {where}", "if you checked it better, edit evidence and accessed there"


def warnings_of(known: Known, row: Row) -> Iterator[str]:
    """What the ledgers currently say about the same field, where that is also curated or contradicts the new value."""
    value = read_value(known, row).value
    for where, line in known.lines:
        if line["field"] != row["field"]:
            continue
        other = read_value(known, {**line, "since": row["since"]}).value
        if "reference" in line:
            yield f"{where} has {line['value_text']} too ({line['reference']}, {line['locator']}, {line['evidence']})"
        elif value and other and not line["locator"] and not 1 / CONTRADICTION <= value / other <= CONTRADICTION:
            yield f"upstream has {other:.4g} ({where}); {value:.4g} is {value / other:.3g} times that"


def doubts_of(known: Known, row: Row, file: Path) -> Iterator[Fault]:
    """Why a number may be a slip: it is far from what the ledgers have for this field of the record or, where they have
    nothing, from all but the outermost hundredths of what the file of its years has."""
    value = _number(known, row, row)
    if not value:
        return
    others = [number for _, line in known.lines if (number := _number(known, row, line))]
    low, high = (min(others), max(others)) if others else _usual(known, row, file)
    if not low / DOUBTFUL <= value <= high * DOUBTFUL:
        of = "known of this model" if others else f"usual in {file.name}"
        reason = f"{value:.4g} is more than a factor of {DOUBTFUL:g} from the {low:.4g} to {high:.4g} {of}"
        yield reason, "check number and unit (671B, not 671); if it is right, add --sure"


def _usual(known: Known, row: Row, file: Path) -> tuple[float, float]:
    """Between what lie 98 of 100 values of the field in a file; no bounds where it has few."""
    lines = csv.DictReader(file.read_text(encoding="utf-8").splitlines()) if file.exists() else ()
    numbers = sorted(number for line in lines if (number := _number(known, row, line)))
    rim = len(numbers) // 100
    return (numbers[rim], numbers[-1 - rim]) if len(numbers) >= ENOUGH else (0.0, float("inf"))


def _number(known: Known, row: Row, line: Row) -> float | None:
    """What a line says of the field of the row: its value, else its bound; None for what is no number above zero."""
    if line["field"] != row["field"]:
        return None
    read = read_value(known, {**line, "since": row["since"]})
    return read.value or read.low or read.high


def file_for(known: Known, rows: Sequence[Row], file: str | None) -> str:
    """The requested file, else that of the record's other facts, else that of the year of publication or entry."""
    if file and not re.fullmatch(r"facts[\w-]*\.csv", file):
        raise InputError(f'--file "{file}": a name such as facts_2020_2022.csv, below data/raw/curated/')
    own = [
        Path(where.rpartition(":")[0]).name
        for where, line in known.lines
        if "reference" in line and "/curated/" in where
    ]
    dated = [row for row in [*rows, *dict(known.lines).values()] if row["field"] == "publication_date"]
    years = re.findall(r"\b[12][0-9]{3}\b", " ".join(row["value_text"] for row in dated) + " " + rows[0]["since"])
    return file or next(iter(own), next(name for last, name in FILES if int(years[0]) <= last))


def enter(paths: Paths, file: Path, rows: Iterable[Row], dry_run: bool) -> None:
    """Writes the whole file with the new lines, and prints the new lines. Where nothing can be locked another may have
    entered the same line meanwhile: it stands once."""
    header = ",".join((*HEADER, *CITATION)) + "\n"
    lines = list(io.StringIO(file.read_text(encoding="utf-8") if file.exists() else header))
    if not lines or not lines[-1].endswith("\n"):
        where = f"{paths.short(file)}:{len(lines) or 1}"
        raise DataError.of(where, "the last line has no line break", f"end it with one if it is whole; {RESTORE}")
    for row in rows:
        place, text = _place(lines, row), io.StringIO()
        csv.DictWriter(text, lines[0].strip("\ufeff\r\n").split(","), lineterminator="\n").writerow(row)
        if text.getvalue() not in lines:
            lines.insert(place, text.getvalue())
        click.echo(f"{'would be ' * dry_run}{paths.short(file)}:{place + 1}: {text.getvalue().rstrip()}")
    if not dry_run:
        replace_file(file, "".join(lines))
        click.echo("next: traincompute build")


def _place(lines: Sequence[str], row: Row) -> int:
    """The place with the fewest lines out of order by record, field and reference: in a sorted file, the sorted one."""
    keys = [tuple(cells.get(name) or "" for name in ORDER) for cells in csv.DictReader(lines)]
    wrong = accumulate((-1 if key <= tuple(row[name] for name in ORDER) else 1 for key in keys), initial=0)
    return min(enumerate(wrong, 1), key=lambda step: (step[1], -step[0]))[0]
