"""Tables for people, on a screen or as Markdown: columns as wide as their cells, less where the terminal is narrower.

Cells are texts here; values.py writes values as texts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import combining, east_asian_width

import click

LEAST_CELL = 10  # an ISO date
GAP = "  "
MORE = "…"
# what would be a tag, a link or image, or the end of a cell in Markdown
MARKUP = str.maketrans({"<": "&lt;", "[": "\\[", "|": "\\|", "\\": "\\\\"})
ENTITY = re.compile(r"&(?=#?\w+;)")
# what closes an issue, mentions it or notifies somebody where the Markdown is the text of a pull request
REFERENCE = re.compile(r"[@#](?=\w)|\bgh(?=-[0-9])|https?(?=://(?:www\.)?github\.com/)", re.IGNORECASE)
NO_REFERENCE = r"\g<0>&#8203;"  # a space without width
NUMBERS = re.compile(r"-?[0-9][0-9.,e+%() –-]*")  # a cell of numbers, dates or intervals
NARROWEST, WIDEST = 40, 100  # columns of the screen that running text takes


class Column(NamedTuple):
    """A column of a table: its heading, and whether it holds numbers, which stand to the right."""

    name: str
    is_number: bool = False


class Layout(NamedTuple):
    """All columns of a table, and the widths of those that fit on the screen."""

    columns: Sequence[Column]
    widths: Sequence[int]

    @property
    def head(self) -> str:
        return self.line([column.name for column in self.columns])

    @property
    def rule(self) -> str:
        return GAP.join("-" * width for width in self.widths)

    def line(self, cells: Sequence[str]) -> str:
        """The cells of one row, each in its column."""
        padded = []
        for cell, width, column in zip(cells, self.widths, self.columns, strict=False):
            shown = clip(one_line(cell), width)
            blank = " " * (width - columns_wide(shown))
            padded.append(blank + shown if column.is_number else shown + blank)
        return GAP.join(padded).rstrip()

    def cuts(self, cells: Sequence[str]) -> bool:
        """Whether a cell of the row is wider than its column, or has none."""
        shown = [columns_wide(one_line(cell)) for cell in cells[: len(self.widths)]]
        return len(shown) < len(cells) or any(size > width for size, width in zip(shown, self.widths, strict=True))

    def what_was_cut(self, complete: str) -> str:
        """The line that says so, with the options whose output is complete."""
        shown, wanted = len(self.widths), len(self.columns)
        return f"{f'{shown} of {wanted} columns fit' if shown < wanted else 'Cells were cut'}; {complete}"


def lay_out(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None = None, most: int | None = None
) -> Layout:
    """The layout of a table with these rows, at most `width` wide, or of any width with cells of at most `most`. The
    widest columns give way first, and those at the end are left out where that is not enough."""
    cells = [[column.name for column in columns], *rows]
    widths = [max(columns_wide(one_line(row[place])) for row in cells) for place in range(len(columns))]
    if not width:
        return Layout(columns, [min(size, most or size) for size in widths])
    while widths and sum(widths) + len(GAP) * (len(widths) - 1) > width:
        if (widest := max(widths)) > LEAST_CELL:
            widths = [min(size, widest - 1) for size in widths]
        elif len(widths) > 1:
            widths.pop()
        else:
            break
    return Layout(columns, widths)


def columns_of(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Column]:
    """The columns of these cells; numbers are those whose cells are all numbers, or empty."""
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    found = zip(names, cells, strict=True)
    return [Column(name, any(column) and all(map(NUMBERS.fullmatch, filter(None, column)))) for name, column in found]


def table_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], most: int | None = None) -> list[str]:
    """The heading and the rows of a table of any width."""
    layout = lay_out(columns, rows, most=most)
    return [layout.head, *map(layout.line, rows)]


def print_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    under: Sequence[str] = (),
    indent: str = "",
    complete: str = "--json is complete",
) -> None:
    """Prints a table as wide as the terminal allows, with a line of `under` below each row if there are any.

    A line on standard error says so if something had to be cut."""
    screen = terminal_width()
    layout = lay_out(columns, rows, screen and screen - len(indent))
    click.echo(indent + layout.head)
    for place, row in enumerate(rows):
        click.echo(indent + layout.line(row))
        if under:
            click.echo(indent + under[place])
    if any(map(layout.cuts, rows)):
        click.echo(layout.what_was_cut(complete), err=True)


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
