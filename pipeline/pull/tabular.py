"""Reads an upstream table strictly: bytes → rows → facts. Never guesses an encoding, a dialect or a column."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pipeline.config import Source
from pipeline.errors import DataError, Problem
from pipeline.names import clean_name
from pipeline.pull.ledger import LINK_FIELD, Fact
from pipeline.pull.source_checks import AGAIN, check_cells_of_table, check_first_line, check_rows, decode

csv.field_size_limit(10_000_000)
LINK = re.compile(r"(?:https?://|www\.|[\w-]+\.(?:org|com|net|io|ai|edu)/)\S+", re.IGNORECASE)
UNITS_IN_HEADERS = {"MW": "MW", "USD billions": "billion USD"}  # of columns whose cells have the number alone
UNIT_IN_HEADER = re.compile(rf"\b(?:{'|'.join(UNITS_IN_HEADERS)})\b")
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


def read_plain(
    content: bytes,
    source: Source,
    where: str,
    *,
    name: Callable[[Row], str] | None = None,
    text: Callable[[Fact, Row], str] | None = None,
    keep: Callable[[Row], bool] = lambda _: True,
) -> Reading:
    """One named record per row and one fact per filled cell of the columns that source.yml lists.

    `keep` chooses the rows and `name` makes up the name of one, by its cells by field. `text` gives the text of a fact
    that is not that of its cell, "" for one that is left out, by the row's cells by column."""
    table = read_table(content, source, where)
    rows = [row for row in table.rows if keep({field: row[column] for field, column in table.columns.items()})]
    columns = dict(table.columns)
    if name:
        rows = [{**row, "name": name({field: row[column] for field, column in columns.items()})} for row in rows]
        columns["name"] = "name"
    records = name_records(rows, columns["name"], None if name else columns.get(LINK_FIELD))
    facts = [(fact, row) for record, row in records for fact in plain_facts(record, row, columns)]
    kept = [fact._replace(value_text=text(fact, row)) for fact, row in facts] if text else [fact for fact, _ in facts]
    unnamed = len(rows) - len(records)
    return Reading([fact for fact in kept if fact.value_text], len(rows), unnamed, table.unknown)


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


def match_columns(header: Iterable[str], source: Source, where: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """{field: column} by the aliases of source.yml, and the columns that source.yml does not know."""
    present = set(header)
    found = {name: [column for column in columns if column in present] for name, columns in source.fields.items()}
    DataError.raise_any(
        Problem(where, "", name, "", "required column is missing", _renamed(source, name))
        for name in sorted(source.required)
        if not found.get(name)
    )
    if clash := next((name for name, columns in found.items() if len(columns) > 1), None):
        remedy = "give the newer meaning a field of its own"
        raise DataError.of(where, f"columns {found[clash]} both stand for {clash}", remedy)
    known = {column for columns in source.fields.values() for column in columns} | source.ignored | set(source.notes)
    return {name: columns[0] for name, columns in found.items() if columns}, tuple(sorted(present - known))


def _renamed(source: Source, name: str) -> str:
    expected = f"expected one of: {', '.join(source.fields[name])}; if it was renamed, add the new name to "
    return f"{expected}fields.{name}.columns in data/raw/{source.id}/source.yml"


def read_table(content: bytes, source: Source, where: str) -> Table:
    """The file as rows by column name with its columns matched to the source's fields."""
    header, rows = read_rows(content, where)
    columns, unknown = match_columns(header, source, where)
    check_cells_of_table(header, rows, columns, where)
    return Table([dict(zip(header, row, strict=True)) for row in rows], columns, unknown)


def plain_facts(record: str, row: Mapping[str, str], columns: Mapping[str, str]) -> list[Fact]:
    """One fact per filled cell of the row, white space collapsed, with the unit that the header states; the name is the
    cleaned one. Of a cell with links only the links are kept: remarks beside them are no facts."""
    cells = ((name, clean_name(row[column]), _unit(column)) for name, column in columns.items())
    facts = ((name, _links(text) if name == LINK_FIELD else text, unit) for name, text, unit in cells)
    return [Fact(record, name, f"{text} {unit}".rstrip()) for name, text, unit in facts if text]


def _unit(header: str) -> str:
    """The unit of all cells of a column that states it in its header alone, or ""."""
    found = UNIT_IN_HEADER.search(header)
    return UNITS_IN_HEADERS[found[0]] if found else ""


def _links(text: str) -> str:
    return " ".join(word.rstrip(",;)") for word in text.split() if LINK.match(word))


def with_short_link(fact: Fact, _: Row) -> str:
    """The text of the fact; of links the first, "" where it is none or has more than 200 characters."""
    if fact.field != LINK_FIELD:
        return fact.value_text
    link = (fact.value_text.split() or [""])[0]
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
