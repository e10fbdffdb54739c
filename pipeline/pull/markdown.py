"""Reads the tables of a Markdown page: rows by column name, each with the headings that it is below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

HEADING = re.compile(r"(#+)\s+(.*?)\s*$")
RULE = re.compile(r"\|[\s|:-]+\|?\s*$")  # the line between header and body
FOOTNOTE = re.compile(r"\[\^[^\]]+\]")


class TableRow(NamedTuple):
    """Cells by column name without footnote marks, and the headings above by their level."""

    cells: dict[str, str]
    headings: dict[int, str]


def table_rows(text: str) -> Iterator[TableRow]:
    """The rows of all tables of the page in their order."""
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
