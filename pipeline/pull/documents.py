"""Reads upstream documents that are no tables: JSON, TOML, YAML, and the tables of a Markdown page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

import yaml

from pipeline.config import Source
from pipeline.errors import DataError
from pipeline.names import clean_name
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import decode
from pipeline.pull.tabular import Reading, match_columns

HEADING = re.compile(r"(#+)\s+(.*?)\s*$")
RULE = re.compile(r"\|[\s|:-]+\|?\s*$")  # the line between header and body
FOOTNOTE = re.compile(r"\[\^[^\]]+\]")


def read_document(parse: Callable[[str], Any], content: bytes, where: str) -> Any:
    """What `parse` (json.loads, tomllib.loads, yaml.safe_load) reads. Raises DataError where it cannot."""
    try:
        return parse(decode(content, where))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        what = " ".join(str(error).split())
        raise DataError.of(where, f"cannot be read: {what}", "fetch the file again; it is cut or damaged") from error


def one_record(model: Mapping[str, Any], source: Source, where: str) -> Reading:
    """The one record of a document under its name: a fact for every filled key that source.yml lists."""
    columns, unknown = match_columns(model, source, where)
    cells = {field: plain_text(model[column], where, field) for field, column in columns.items()}
    record = cells.pop("name", "")
    facts = [Fact(record, field, text) for field, text in cells.items() if text]
    return Reading(facts, 1, int(not record), unknown)


def plain_text(value: Any, where: str, field: str) -> str:
    """The text of a number, a date, a truth or a text, "" for nothing. Raises DataError for a list or a table."""
    if value is not None and not isinstance(value, str | int | float | date):
        remedy = "look at the file; its form has changed, or it is another one"
        raise DataError.of(where, "not one value", remedy, field=field, value=str(value))
    return "" if value is None else clean_name(str(value))


class TableRow(NamedTuple):
    """Cells by column name without footnote marks, and the headings above by their level."""

    cells: dict[str, str]
    headings: dict[int, str]


def table_rows(text: str) -> Iterator[TableRow]:
    """The rows of all tables of a Markdown page in their order."""
    headings: dict[int, str] = {}
    header: list[str] = []
    for line in text.splitlines():
        if heading := HEADING.match(line):
            level = len(heading[1])
            headings = {n: words for n, words in headings.items() if n < level} | {level: heading[2]}
        if not line.startswith("|"):
            header = []
        elif not header:
            header = _cells(line)
        elif not RULE.match(line):
            yield TableRow(dict(zip(header, _cells(line), strict=True)), headings)


def _cells(line: str) -> list[str]:
    return [FOOTNOTE.sub("", cell).strip() for cell in line.strip().strip("|").split("|")]
