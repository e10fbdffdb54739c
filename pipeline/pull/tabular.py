"""Reads an upstream table strictly: bytes → rows by field. Never guesses an encoding, a dialect or a column."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.base.errors import DataError, Problem
from pipeline.base.names import clean_name
from pipeline.registry.sources import Source

csv.field_size_limit(10_000_000)
AGAIN = "the file is cut or damaged; fetch it again"
LINK_FIELD = "reference_url"
LINK = re.compile(r"(?:https?://|www\.|[\w-]+\.(?:org|com|net|io|ai|edu)/)\S+", re.IGNORECASE)
UNITS_IN_HEADERS = {"MW": "MW", "USD billions": "billion USD"}  # of columns whose cells have the number alone
UNIT_IN_HEADER = re.compile(rf"\b(?:{'|'.join(UNITS_IN_HEADERS)})\b")
CODECS = ("cp1252", "latin-1", "mac_roman")  # in which a program may have read what is UTF-8
TOTAL = re.compile(
    r"(?:(?:grand |sub-?)?totals?|sum|average|count)\b[^a-z]*(?:(?:models|rows|records)\W*)?", re.IGNORECASE
)
LONGEST_CELL = 10_000  # characters in a column that holds facts; the longest real one has 781
LONGEST_NAME = 200  # one row of 2026-03-30 has a sentence of 216 characters as its name; the longest real one has 135


class Fact(NamedTuple):
    """What one source prints once: a record's field as text. `locator` is blank for a plain column."""

    record: str
    field: str
    value_text: str
    locator: str = ""


@dataclass(frozen=True)
class Table:
    """An upstream table: rows by column name, plus which column holds which field."""

    rows: list[dict[str, str]]
    columns: Mapping[str, str]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """What an adapter made of one upstream file."""

    facts: list[Fact]
    rows: int
    unnamed: int = 0  # rows without a usable name: most of them papers of 2022 that were not named yet
    unknown_columns: tuple[str, ...] = ()


def join_readings(parts: list[Reading]) -> Reading:
    """The readings of the files of one snapshot as one."""
    unknown = sorted({column for part in parts for column in part.unknown_columns})
    facts = list(dict.fromkeys(fact for part in parts for fact in part.facts))
    return Reading(facts, sum(part.rows for part in parts), sum(part.unnamed for part in parts), tuple(unknown))


def decode(content: bytes, where: str) -> str:
    """UTF-8 text with or without a byte order mark; anything else is refused with the offset of the first bad byte."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError.of(where, "the file is UTF-16 (byte order mark at offset 0)", "save it as UTF-8")
    if (offset := content.find(b"\0")) >= 0:
        raise DataError.of(where, f"NUL byte at offset {offset}", "fetch the file again; it is damaged or not text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError.of(where, f"not UTF-8 at offset {error.start}", "save it as UTF-8") from error
    words = set(re.findall(r"[^\x00-\x7f]+", text))
    twice = {word: better for word in words if (better := _decoded_once(word))}
    if len(twice) > len(words) / 2:
        word, better = min(twice.items(), key=lambda pair: (not pair[1].isprintable(), pair))
        raise DataError.of(where, f'decoded twice: it has "{word}" for "{better}"', "get the file in UTF-8 again")
    return text


def _decoded_once(word: str) -> str:
    """The letters whose UTF-8 was read as these in another encoding, "" where that cannot be."""
    for codec in CODECS:
        try:
            return b"".join(_byte(letter, codec) for letter in word).decode()
        except UnicodeError:
            continue
    return ""


def _byte(letter: str, codec: str) -> bytes:
    try:
        return letter.encode(codec)
    except UnicodeEncodeError:
        return letter.encode("latin-1")  # a byte that the codec does not use


def read_rows(content: bytes, where: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a comma-separated file. Another separator, a ragged row, an unclosed quote and a header that
    comes again are refused."""
    text = decode(content, where)
    _check_dialect(text.partition("\n")[0].strip(), f"{where}:1")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [clean_name(cell) for cell in next(reader, [])]
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise DataError.of(f"{where}:{reader.line_num}", f"not well-formed CSV: {error}", AGAIN) from error
    doubled = [name for name, count in Counter(header).items() if count > 1 and name]
    if doubled:
        raise DataError.of(
            where, f"column {doubled[0]!r} stands twice in the header", "ask the publisher which one is meant"
        )
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError.of(
                f"{where}: row {number}",
                f"{len(row)} cells under {len(header)} columns",
                AGAIN,
            )
        filled = [clean_name(cell) == name for cell, name in zip(row, header, strict=True) if cell.strip()]
        if sum(filled) > len(filled) / 2:
            raise DataError.of(
                f"{where}: row {number}", "the header stands again", "look whether two files were joined"
            )
    return header, rows


def _check_dialect(line: str, where: str) -> None:
    if line.strip('"').lower().startswith("sep="):
        raise DataError.of(where, f'Excel\'s line "{line}" stands above the header', "remove the line")
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if line.count(separator) > line.count(","):
            raise DataError.of(where, f"the columns are separated by {name}", "save it with commas")


def match_columns(header: Iterable[str], source: Source, where: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """{field: column} by the aliases of source.yml, and the columns that source.yml does not know."""
    present = set(header)
    found = {name: [column for column in columns if column in present] for name, columns in source.fields.items()}
    lost = [name for name in sorted(source.required) if not found.get(name)]
    DataError.raise_any(_lost_column(source, name, where) for name in lost)
    clash = next((name for name, columns in found.items() if len(columns) > 1), None)
    if clash:
        raise DataError.of(
            where, f"columns {found[clash]} both stand for {clash}", "give the newer meaning a field of its own"
        )
    known = {column for columns in source.fields.values() for column in columns} | source.ignored | set(source.notes)
    return {name: columns[0] for name, columns in found.items() if columns}, tuple(sorted(present - known))


def _lost_column(source: Source, name: str, where: str) -> Problem:
    remedy = f"expected one of: {', '.join(source.fields[name])}; if it was renamed, add the new name to "
    remedy += f"fields.{name}.columns in data/raw/{source.id}/source.yml"
    return Problem(where, "", name, "", "required column is missing", remedy)


def read_table(content: bytes, source: Source, where: str) -> Table:
    """The file as rows by column name with its columns matched to the source's fields."""
    header, rows = read_rows(content, where)
    columns, unknown = match_columns(header, source, where)
    _check_lengths(header, rows, columns.values(), where)
    names = header.index(columns["name"]) if "name" in columns else 0
    for number, row in enumerate(rows, 2):
        name = clean_name(row[names])
        total = next((cell for cell in ([name] if name else row) if TOTAL.fullmatch(cell)), "")
        if total:
            raise DataError.of(f"{where}: row {number}", "a row of totals", "remove the row", value=total)
    return Table([dict(zip(header, row, strict=True)) for row in rows], columns, unknown)


def _check_lengths(header: list[str], rows: list[list[str]], columns: Iterable[str], where: str) -> None:
    cells = ((number, column, row[header.index(column)]) for column in columns for number, row in enumerate(rows, 2))
    DataError.raise_any(
        Problem(f"{where}: row {number}", "", column, text, f"{len(text)} characters in one cell", "correct the file")
        for number, column, text in cells
        if len(text) > LONGEST_CELL
    )


def plain_facts(record: str, row: Mapping[str, str], columns: Mapping[str, str]) -> list[Fact]:
    """One fact per filled cell of the row, white space collapsed, with the unit that the header states; the name is the
    cleaned one. Of a cell with links only the links are kept: remarks beside them are no facts."""
    cells = ((name, clean_name(row[column]), unit_in(column)) for name, column in columns.items())
    facts = ((name, _links(text) if name == LINK_FIELD else text, unit) for name, text, unit in cells)
    return [Fact(record, name, f"{text} {unit}".rstrip()) for name, text, unit in facts if text]


def unit_in(header: str) -> str:
    """The unit of all cells of a column that states it in its header alone, or ""."""
    found = UNIT_IN_HEADER.search(header)
    return UNITS_IN_HEADERS[found[0]] if found else ""


def _links(text: str) -> str:
    return " ".join(word.rstrip(",;)") for word in text.split() if LINK.match(word))


def name_records(
    rows: list[dict[str, str]], name_column: str, link_column: str | None
) -> list[tuple[str, dict[str, str]]]:
    """(record, row) for each row with a usable name. A name that stands k > 1 times becomes `name @ link`, or `name @
    #n` by sorted content where the link does not tell them apart."""
    groups: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        name = clean_name(row[name_column])
        if 0 < len(name) <= LONGEST_NAME:
            groups.setdefault(name, []).append(row)
    return [pair for name, group in groups.items() for pair in _distinguish(name, group, link_column)]


def _distinguish(name: str, group: list[dict[str, str]], link_column: str | None) -> list[tuple[str, dict[str, str]]]:
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
