"""Tables for people, on a screen or as Markdown: columns as wide as their cells, less where the terminal is narrower.

Cells are texts here; values.py writes values as texts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
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


class Layout:
    """The columns of a table with these first rows, as wide as their cells: of at most `most`, or where `width` is
    given at most so wide in all. The widest columns give way first, and those at the end are left out where that is not
    enough. `cut` says whether anything has been cut."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[str]],
        width: int | None = None,
        most: int | None = None,
    ) -> None:
        cells = [[column.name for column in columns], *rows]
        widths = [max(columns_wide(one_line(row[place])) for row in cells) for place in range(len(columns))]
        if not width:
            widths = [min(size, most or size) for size in widths]
        while width and sum(widths) + len(GAP) * (len(widths) - 1) > width:
            if (widest := max(widths)) > LEAST_CELL:
                widths = [min(size, widest - 1) for size in widths]
            elif len(widths) > 1:
                widths.pop()
            else:
                break
        self.columns, self.widths, self.cut = columns, widths, len(widths) < len(columns)

    def line(self, cells: Sequence[str]) -> str:
        """The cells of one row, each in its column."""
        padded = []
        for cell, width, column in zip(cells, self.widths, self.columns, strict=False):
            whole = one_line(cell)
            shown = clip(whole, width)
            self.cut = self.cut or shown != whole
            blank = " " * (width - columns_wide(shown))
            padded.append(blank + shown if column.is_number else shown + blank)
        return GAP.join(padded).rstrip()

    def head(self) -> list[str]:
        """The names of the columns, and the line below them."""
        return [self.line([column.name for column in self.columns]), GAP.join("-" * width for width in self.widths)]


def markdown_lines(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    """The table as Markdown."""

    def line(cells: Sequence[str]) -> str:
        plain = (ENTITY.sub("&amp;", one_line(cell)).translate(MARKUP) for cell in cells)
        return "| " + " | ".join(REFERENCE.sub(NO_REFERENCE, cell) for cell in plain) + " |"

    yield line([column.name for column in columns])
    yield "|" + "|".join("---:" if column.is_number else "---" for column in columns) + "|"
    yield from map(line, rows)


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
