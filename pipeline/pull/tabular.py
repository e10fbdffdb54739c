"""Reads upstream files strictly: bytes → rows → facts. Never guesses an encoding, a dialect or a column.

A plain table is a CSV file with one record per row, or a JSON or TOML file that is one record. source.yml says which
column (in a document: which key, or path such as weights.0.url) holds which field."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

from pipeline.config import Source
from pipeline.errors import DataError, Problem
from pipeline.names import clean_name
from pipeline.pull.ledger import LINK_FIELD, Fact
from pipeline.pull.source_checks import AGAIN, check_cells_of_table, check_first_line, check_rows, decode

csv.field_size_limit(10_000_000)
LINK = re.compile(r"(?:https?://|www\.|[\w-]+\.(?:org|com|net|io|ai|edu)/)\S+", re.IGNORECASE)
UNITS_IN_HEADERS = {"MW": "MW", "mw": "MW", "USD billions": "billion USD"}  # of columns whose cells are bare numbers
UNIT_IN_HEADER = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(UNITS_IN_HEADERS)})(?![A-Za-z])")
ZERO = re.compile(r"0(?:\.0*)?(?: .*)?")
PLACE = re.compile(r"\{([\w|]+)(?::(\d+))?\}")  # in the pattern of a record's name
DOCUMENTS = {"json": json.loads, "toml": tomllib.loads}
LONGEST_NAME = 200  # one row of 2026-03-30 has a sentence of 216 characters as its name; the longest real one has 135
LONGEST_LINK = 200  # of a source whose longer links are archived copies and tracking codes

Row = dict[str, str]


@dataclass(frozen=True)
class Table:
    """An upstream table: rows by column name, which column holds which field, and columns that source.yml lacks."""

    rows: list[Row]
    columns: Mapping[str, str]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """The facts of one upstream file."""

    facts: list[Fact]
    rows: int
    unnamed: int = 0  # rows without a usable name: most of them papers of 2022 that were not named yet
    unknown_columns: tuple[str, ...] = ()

    @property
    def named(self) -> int:
        return self.rows - self.unnamed


def read_plain(content: bytes, source: Source, where: str) -> Reading:
    """One named record per row, and one fact per filled cell of the columns that source.yml lists."""
    kind = (source.urls or (where,))[0].rpartition(".")[2]
    table = read_one_row(content, source, where, kind) if kind in DOCUMENTS else read_table(content, source, where)
    return read_records(table, source)


def read_records(table: Table, source: Source) -> Reading:
    """The records of a table as source.yml describes them."""
    rows, columns = table.rows, dict(table.columns)
    if source.record:
        fields = [{name: clean_name(row[column]) for name, column in columns.items()} for row in rows]
        constants = source.constants
        rows = [
            {**row, **constants, "name": record_name(source.record, {**cells, **constants})}
            for row, cells in zip(rows, fields, strict=True)
        ]
        columns |= {name: name for name in (*constants, "name")}
    records = name_records(rows, columns["name"], None if source.record else columns.get(LINK_FIELD))
    if not source.makes_models:  # what it calls a model is no name of it
        del columns["name"]
    facts = [fact for record, row in records for fact in plain_facts(record, row, columns)]
    if source.first_link:
        facts = [f._replace(value_text=short_link(f.value_text)) if f.field == LINK_FIELD else f for f in facts]
    if source.zero_is_empty:
        facts = [fact for fact in facts if not ZERO.fullmatch(fact.value_text)]
    return Reading([fact for fact in facts if fact.value_text], len(rows), len(rows) - len(records), table.unknown)


def record_name(pattern: str, cells: Mapping[str, str]) -> str:
    """The pattern with the cell of each place, {field}, put in: {field|other} is the first that is filled, {field:7}
    the first seven characters. "" where a cell is missing."""
    found = {
        place[0]: next((cells[name] for name in place[1].split("|") if cells.get(name)), "")[: int(place[2] or 999)]
        for place in PLACE.finditer(pattern)
    }
    return PLACE.sub(lambda place: found[place[0]], pattern) if all(found.values()) else ""


def read_rows(content: bytes, where: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a comma-separated file. Raises DataError for another form."""
    text = decode(content, where)
    check_first_line(text.partition("\n")[0].strip(), f"{where}:1")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [clean_name(cell) for cell in next(reader, [])]
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise DataError.of(f"{where}:{reader.line_num}", f"not well-formed CSV: {error}", AGAIN) from error
    check_rows(header, rows, where)
    return header, rows


def read_table(content: bytes, source: Source, where: str) -> Table:
    """The file as rows by column name with its columns matched to the source's fields."""
    header, rows = read_rows(content, where)
    columns, unknown = match_columns(header, source, where)
    check_cells_of_table(header, rows, columns, where)
    return Table([dict(zip(header, row, strict=True)) for row in rows], columns, unknown)


def read_one_row(content: bytes, source: Source, where: str, kind: str) -> Table:
    """A document as a table of one row."""
    document = parse(DOCUMENTS[kind], content, where)
    row = dict(document)
    for path in [column for columns in source.fields.values() for column in columns if "." in column]:
        row.pop(path.partition(".")[0], None)
        if (found := _at(document, path.split("."))) is not None:
            row[path] = found
    columns, unknown = match_columns(row, source, where)
    empty: tuple[Any, ...] = (0, "", [], {}) if source.zero_is_empty else ()  # False is 0
    cells = {column: None if row[column] in empty else row[column] for column in columns.values()}
    return Table([{column: plain_text(cells[column], where, f) for f, column in columns.items()}], columns, unknown)


def _at(document: Any, path: list[str]) -> Any:
    """What a document has at a path of keys and places, None for nothing."""
    for step in path:
        try:
            document = document[int(step) if isinstance(document, list) else step]
        except (LookupError, TypeError, ValueError):
            return None
    return document


def parse(read: Callable[[str], Any], content: bytes, where: str) -> Any:
    """What `read` (json.loads, tomllib.loads, yaml.safe_load) makes of a document. Raises DataError where it cannot."""
    try:
        return read(decode(content, where))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        what = " ".join(str(error).split())
        raise DataError.of(where, f"cannot be read: {what}", "fetch the file again; it is cut or damaged") from error


def plain_text(value: Any, where: str, field: str) -> str:
    """The text of a number, a date, a truth or a text, "" for nothing. Raises DataError for a list or a table."""
    if value is not None and not isinstance(value, str | int | float | date):
        remedy = "look at the file; its form has changed, or it is another one"
        raise DataError.of(where, "not one value", remedy, field=field, value=str(value))
    return "" if value is None else clean_name(str(value))


def match_columns(header: Iterable[str], source: Source, where: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """{field: column} by the aliases of source.yml, and the columns that source.yml does not know."""
    present = set(header)
    found = {name: [column for column in columns if column in present] for name, columns in source.fields.items()}
    asked = "expected one of: {}; if it was renamed, add the new name to fields.{}.columns in data/raw/{}/source.yml"
    missing = {name: ", ".join(source.fields[name]) for name in sorted(source.required) if not found.get(name)}
    DataError.raise_any(
        Problem(where, "", name, "", "required column is missing", asked.format(columns, name, source.id))
        for name, columns in missing.items()
    )
    if clash := next((name for name, columns in found.items() if len(columns) > 1), None):
        remedy = "give the newer meaning a field of its own"
        raise DataError.of(where, f"columns {found[clash]} both stand for {clash}", remedy)
    known = {column for columns in source.fields.values() for column in columns} | source.ignored | set(source.notes)
    return {name: columns[0] for name, columns in found.items() if columns}, tuple(sorted(present - known))


def plain_facts(record: str, row: Mapping[str, str], columns: Mapping[str, str]) -> list[Fact]:
    """One fact per filled cell of the row, white space collapsed, with the unit that the header states; the name is the
    cleaned one. Of a cell with links only the links are kept: remarks beside them are no facts."""
    facts = []
    for name, column in columns.items():
        text, unit = clean_name(row[column]), UNIT_IN_HEADER.search(column)
        if name == LINK_FIELD:
            text = " ".join(word.rstrip(",;)") for word in text.split() if LINK.match(word))
        if text:
            facts.append(Fact(record, name, f"{text} {UNITS_IN_HEADERS[unit[0]]}" if unit else text))
    return facts


def short_link(text: str) -> str:
    """The first link of a text, "" where it is none or has more than 200 characters."""
    link = (text.split() or [""])[0]
    return link if link.startswith("http") and len(link) <= LONGEST_LINK else ""


def name_records(rows: list[Row], name_column: str, link_column: str | None) -> list[tuple[str, Row]]:
    """(record, row) for each row with a usable name. A name that stands k > 1 times becomes `name @ link`, or `name @
    #n` by sorted content where the link does not tell them apart."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        name = clean_name(row[name_column])
        if 0 < len(name) <= LONGEST_NAME:
            groups.setdefault(name, []).append(row)
    return [pair for name, group in groups.items() for pair in _distinguish(name, group, link_column)]


def _distinguish(name: str, group: list[Row], link_column: str | None) -> list[tuple[str, Row]]:
    if len(group) == 1:
        return [(name, group[0])]
    links = [((row[link_column].split() or [""])[0] if link_column else "") for row in group]
    counts = Counter(links)
    unclear = sorted(
        (row for row, link in zip(group, links, strict=True) if not link or counts[link] > 1),
        key=lambda row: sorted(row.items()),
    )
    clear = [(f"{name} @ {link}", row) for row, link in zip(group, links, strict=True) if link and counts[link] == 1]
    return clear + [(f"{name} @ #{number}", row) for number, row in enumerate(unclear, 1)]
