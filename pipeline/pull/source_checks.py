"""What is checked of a source's file before anything of it is entered: the file, its rows, its cells, and what it lost
against the snapshot before. Values are compared, not spellings.

Raises DataError, or lists the problems, with file, record, field, value and remedy."""

from __future__ import annotations

import codecs
import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date

from pipeline.config import Source
from pipeline.errors import DataError, Problem
from pipeline.names import clean_name
from pipeline.normalize.text import read_text
from pipeline.paths import Paths
from pipeline.pull.ledger import Fact, plain_cells, same_value
from pipeline.schema import PAST, field_registry, load_schemas
from pipeline.vocabularies import load_vocabularies

AGAIN = "the file is cut or damaged; fetch it again"
CODECS = ("cp1252", "latin-1", "mac_roman")  # in which a program may have read what is UTF-8
TOTAL = re.compile(
    r"(?:(?:grand |sub-?)?totals?|sum|average|count)\b[^a-z]*(?:(?:models|rows|records)\W*)?", re.IGNORECASE
)
LONGEST_CELL = 10_000  # characters in a column that holds facts; the longest real one has 781
# Of the cells that a column had in records that are still there. The largest revisions of Epoch AI's files in four
# years emptied 29 % and changed 48 %, but for one of 91 %, when it worked out all power draws again.
MOST_EMPTIED, MOST_CHANGED = 0.4, 0.5
FEW = 2  # cells may always be emptied or changed
CLOSE = 0.1  # a number that moved less is the same one, estimated again


# --- the file and its rows ---


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
        with contextlib.suppress(UnicodeError):
            return word.encode(codec).decode()
    return ""


def check_first_line(line: str, where: str) -> None:
    """Refuses other separators than commas."""
    if line.strip('"').lower().startswith("sep="):
        raise DataError.of(where, f'Excel\'s line "{line}" stands above the header', "remove the line")
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if line.count(separator) > line.count(","):
            raise DataError.of(where, f"the columns are separated by {name}", "save it with commas")


def check_rows(header: list[str], rows: list[list[str]], where: str) -> None:
    """Refuses a column that stands twice, ragged rows, and a header that comes again."""
    doubled = [name for name, count in Counter(header).items() if count > 1 and name]
    if doubled:
        raise DataError.of(where, f"column {doubled[0]!r} stands twice in the header", "ask the publisher which counts")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError.of(f"{where}: row {number}", f"{len(row)} cells under {len(header)} columns", AGAIN)
        repeated = [clean_name(cell) == name for cell, name in zip(row, header, strict=True) if cell.strip()]
        if sum(repeated) > len(repeated) / 2:
            remedy = "look whether two files were joined"
            raise DataError.of(f"{where}: row {number}", "the header stands again", remedy)


def check_cells_of_table(header: list[str], rows: list[list[str]], columns: dict[str, str], where: str) -> None:
    """Refuses a row of totals, and a cell that is too long to be a fact. `columns`: {field: its column}."""
    places = {column: header.index(column) for column in columns.values()}
    name_place = places.get(columns.get("name", ""), 0)
    for number, row in enumerate(rows, 2):
        name = clean_name(row[name_place])
        if total := next((cell for cell in ([name] if name else row) if TOTAL.fullmatch(cell)), ""):
            raise DataError.of(f"{where}: row {number}", "a row of totals", "remove the row", value=total)
        for column, place in places.items():
            if (length := len(row[place])) > LONGEST_CELL:
                reason = f"{length} characters in one cell"
                raise DataError.of(
                    f"{where}: row {number}", reason, "correct the file", field=column, value=row[place][:80]
                )


# --- the cells, as the build will read them ---


def check_facts(paths: Paths, source: Source, facts: Iterable[Fact], day: date, where: str) -> list[Problem]:
    """The cells of a snapshot of that day that the build will set aside: no number or date, a date to come. Raises
    DataError for those with which no build would work: an unknown code of a vocabulary, a field that no table has; and
    where fewer cells of a column can be read than gates.min_parsable says."""
    vocabularies = load_vocabularies(paths)
    fields = field_registry(load_schemas(paths), vocabularies, [source.subject])
    is_early = source.day_first_until is not None and day < source.day_first_until
    refused, aside, cells, unread = list[Problem](), list[Problem](), Counter[str](), Counter[str]()
    for fact in facts:
        problem = Problem(where, fact.record, fact.field, fact.value_text, "", "")
        field = fields.get(f"{source.subject}.{fact.field}")
        cells[fact.field] += 1
        if any(len(text.splitlines()) != 1 or "\0" in text for text in fact[:3]):
            refused.append(problem._replace(reason="empty, or more than one line", remedy="look at the file"))
        elif field is None:
            remedy = f"use a column of schemas/{source.subject}.yml or a field of schemas/vocab/fields.yml"
            refused.append(problem._replace(reason="no such field", remedy=remedy))
        else:
            day_first, latest = is_early and fact.field.endswith("_date"), day if fact.field in PAST else None
            read = read_text(field, fact.value_text, vocabularies, day_first=day_first, latest=latest)
            unread[fact.field] += read.reason_code not in ("", "zero")
            if read.reason_code not in ("", "states_nothing"):
                list_ = refused if read.reason_code == "unknown_code" else aside
                list_.append(problem._replace(reason=read.reason, remedy=read.remedy))
    for name, floor in source.gates.get("min_parsable", {}).items():
        if cells[name] - unread[name] < floor * cells[name]:
            reason = f"only {cells[name] - unread[name]} of {cells[name]} cells can be read, {floor:.0%} expected"
            remedy = "look at the column; its form or meaning may have changed"
            refused.append(Problem(where, "", name, "", reason, remedy))
    DataError.raise_any(refused)
    return aside


# --- what was lost since the snapshot before ---


def check_against(source: Source, facts: list[Fact], named_rows: int, before: list[Fact]) -> list[Problem]:
    """What speaks against accepting a snapshot after the one before: rows or names lost, columns emptied or exchanged.
    The limits stand in `gates` of source.yml."""
    old = {fact.record for fact in before}
    gone, gates = len(old - {fact.record for fact in facts}), source.gates
    problems = []
    floor = max(gates.get("min_rows", 1), round(len(old) * (1 - gates.get("max_shrink", 1))))
    if named_rows < floor:
        reason = f"{named_rows} named rows, at least {floor} expected ({len(old)} before)"
        remedy = "look whether the file is cut; else lower gates.min_rows or gates.max_shrink in source.yml"
        problems.append(Problem(source.id, "", "", "", reason, remedy))
    if old and gone > gates.get("max_names_gone", 1) * len(old):
        remedy = "look whether the name column was exchanged; else raise gates.max_names_gone in source.yml"
        problems.append(Problem(source.id, "", "name", "", f"{gone} of {len(old)} names are gone", remedy))
    return [*problems, *_columns(source, before, facts)]


def _columns(source: Source, before: list[Fact], after: list[Fact]) -> Iterator[Problem]:
    old, new = plain_cells(before), plain_cells(after)
    records, all_, emptied, changed = {record for record, _ in new}, Counter[str](), Counter[str](), Counter[str]()
    for (record, field), text in old.items():
        if record in records:
            now = new.get((record, field))
            all_[field] += 1
            emptied[field] += now is None
            changed[field] += now is not None and not _is_close(text, now)
    for field, kept in sorted(all_.items()):
        for what, count, usual in (("emptied", emptied, MOST_EMPTIED), ("changed", changed, MOST_CHANGED)):
            most = source.gates.get(f"max_{what}", {}).get(field, usual)
            if count[field] > max(FEW, most * kept):
                reason = f"{count[field]} of {kept} cells were {what}, at most {most:.3g} of them expected"
                remedy = f"look whether the column was renamed or its cells have moved; else give gates.max_{what} "
                yield Problem(source.id, "", field, "", reason, f"{remedy}in data/raw/{source.id}/source.yml")


def _is_close(one: str, other: str) -> bool:
    try:
        return abs(float(one) - float(other)) <= CLOSE * abs(float(one))
    except ValueError:
        return same_value(one, other)
