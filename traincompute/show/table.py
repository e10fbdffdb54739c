"""Tables for people, on a screen or as Markdown, of cells that are texts."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple
from unicodedata import combining, east_asian_width

LEAST_CELL = 10  # an ISO date
GAP = "  "
MORE = "…"
# what would be a tag, a link or image, or the end of a cell in Markdown
MARKUP = str.maketrans({"<": "&lt;", "[": "\\[", "|": "\\|", "\\": "\\\\"})
ENTITY = re.compile(r"&(?=#?\w+;)")
# what closes an issue, mentions it or notifies somebody where the Markdown is the text of a pull request
REFERENCE = re.compile(r"[@#](?=\w)|\bgh(?=-[0-9])|https?(?=://(?:www\.)?github\.com/)", re.IGNORECASE)
NO_REFERENCE = r"\g<0>&#8203;"  # a space without width
NARROWEST, WIDEST = 40, 100  # columns of the screen that running text takes


class Column(NamedTuple):
    """A column of a table: its heading, and whether it holds numbers, which stand to the right."""

    name: str
    is_number: bool = False


def widths_of(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None = None, most: int | None = None
) -> tuple[list[int], bool]:
    """How wide the columns of a table with these first rows are, and whether that cuts anything: as wide as their
    cells, but at most `most`, or where `width` is given at most so wide in all. The widest columns give way first, and
    those at the end are left out where that is not enough."""
    cells = [[column.name for column in columns], *rows]
    whole = [max(columns_wide(one_line(row[place])) for row in cells) for place in range(len(columns))]
    widths = [size if width else min(size, most or size) for size in whole]
    while width and sum(widths) + len(GAP) * (len(widths) - 1) > width:
        if (widest := max(widths)) > LEAST_CELL:
            widths = [min(size, widest - 1) for size in widths]
        elif len(widths) > 1:
            widths.pop()
        else:
            break
    return widths, widths != whole


def line_of(columns: Sequence[Column], widths: Sequence[int], cells: Sequence[str]) -> str:
    """The cells of one row, each in its column."""
    padded = []
    for cell, width, column in zip(cells, widths, columns, strict=False):
        shown = clip(one_line(cell), width)
        blank = " " * (width - columns_wide(shown))
        padded.append(blank + shown if column.is_number else shown + blank)
    return GAP.join(padded).rstrip()


def markdown_lines(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    """The table as Markdown."""
    for number, cells in enumerate(chain([[column.name for column in columns]], rows)):
        plain = (ENTITY.sub("&amp;", one_line(cell)).translate(MARKUP) for cell in cells)
        yield "| " + " | ".join(REFERENCE.sub(NO_REFERENCE, cell) for cell in plain) + " |"
        if not number:
            yield "|" + "|".join("---:" if column.is_number else "---" for column in columns) + "|"


def terminal_width() -> int | None:
    """Columns of the terminal; None where the output goes elsewhere."""
    if not sys.stdout.isatty():
        return None
    import shutil  # with it come all kinds of compression, which a table that is piped starts sooner without

    return shutil.get_terminal_size().columns


def text_width(piped: int) -> int:
    """Columns for running text: those of the terminal within reason, or `piped` where the output goes elsewhere."""
    screen = terminal_width()
    return min(WIDEST, max(NARROWEST, screen)) if screen else piped


def clip(cell: str, size: int) -> str:
    """The text cut to that many columns of the screen, the cut marked by …."""
    if columns_wide(cell) <= size:
        return cell
    kept = cell[:size]
    while columns_wide(kept) >= size:
        kept = kept[:-1]
    return kept.rstrip() + MORE


def columns_wide(cell: str) -> int:
    """Columns of the screen that a text takes: two for a Chinese character, none for a combining accent."""
    if cell.isascii():
        return len(cell)
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in cell)


def one_line(text: str) -> str:
    """The text without line breaks and without characters that would control the terminal."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))
