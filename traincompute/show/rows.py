"""Values as texts, and rows as a table, CSV, JSON or Markdown; files that appear when they are complete.

Rows are taken one by one, so that a long result needs no more memory than a short one. Null is empty in tables and
CSV and null in JSON; lists are ;-joined in tables and CSV, arrays in JSON; dates are ISO."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice, zip_longest
from math import isfinite
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

import click

from traincompute.base.errors import FileError
from traincompute.base.places import MANIFEST
from traincompute.show.terminal import printable, terminal_width

if TYPE_CHECKING:
    from pathlib import Path

LIST_SEPARATOR = ";"
PREFIXES = {
    "W": ("W", "kW", "MW", "GW"),
    "kWh": ("kWh", "MWh", "GWh", "TWh"),
    "byte": ("bytes", "kB", "MB", "GB"),
}
SIZES = ((1e15, 1, ""), (1e12, 1e12, "T"), (1e9, 1e9, "B"), (1e6, 1e6, "M"))  # from where on, by what, its letter
# the first word of a unit, which takes the plural: tokens/parameter, petaflop/s-days, but no symbols such as USD and kg
PLURAL = re.compile(r"^([a-z]{3,}(?:/s-day|[-_]hour)?)(?=$|/|_of_)")
PIPED_CELL, LEAST_CELL = 80, 10  # columns of the screen: the most where output is piped, and an ISO date
MEASURED = 10_000  # rows that say how wide a column is
GAP = "  "
FORMULA = re.compile(r"^[=+@\t\r-]")  # a spreadsheet would run a text that begins so
# what would be a tag, a link or image, or the end of a cell in Markdown
MARKUP = str.maketrans({"<": "&lt;", "[": "\\[", "|": "\\|", "\\": "\\\\"})
# what closes an issue or notifies somebody in a pull request, unless a space without width breaks it
REFERENCE = re.compile(r"[@#](?=\w)|\bgh(?=-[0-9])|https?(?=://(?:www\.)?github\.com/)", re.IGNORECASE)
Cells = Sequence[str]


def exact(value: Any, item: Callable[[Any], str] | None = None) -> str:
    """A value in full: null empty, floats in their shortest exact form, lists ;-joined."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, list | tuple):
        return LIST_SEPARATOR.join(map(item or exact, value))
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return json_text(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def csv_text(value: Any) -> str:
    """A value as CSV holds it: as above, but TRUE or FALSE, and no float without a point or an exponent."""
    if isinstance(value, bool):
        return str(value).upper()
    return repr(value) if isinstance(value, float) else exact(value)


def json_text(value: Any) -> str:
    """A value as JSON: dates and other objects as texts, nan and infinity null."""
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if hasattr(value, "as_integer_ratio"):  # a float, or a Decimal, whose module takes a moment to import
        is_whole = not isinstance(value, float) and value == int(value)
        return int(value) if is_whole else float(value) if isfinite(value) else None
    if isinstance(value, dict):
        return {exact(key): _plain(item) for key, item in value.items()}
    return list(map(_plain, value)) if isinstance(value, list | tuple) else exact(value)


def text(value: Any) -> str:
    """A value as a table shows it: six significant digits, whole numbers below 1e15 in full."""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) < 1e15 and value.is_integer() else f"{value:.6g}"
    return exact(value, text)


def human_text(value: Any) -> str:
    """A value as a table shows it to people: 3.14e23, 174.6B. Whole numbers below 10,000, such as years, in full."""
    if isinstance(value, bool) or not hasattr(value, "as_integer_ratio"):
        return exact(value, human_text)
    number = float(value)
    is_plain = not isfinite(number) or (number.is_integer() and abs(number) < 10_000)
    return text(number) if is_plain else short_power(human(number))


def short_power(written: str) -> str:
    """3.14e23 for 3.14e+23: powers of ten without their plus sign."""
    return written.replace("e+", "e")


def human(value: Any, unit: str | None = None) -> str:
    """A value with its unit for people: 3.14e+23 FLOP, 174.6B parameters, 5.101 MW, 21.3 %; lists joined by commas."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return exact(value)
    if unit in ("FLOP", "FLOP/s", "OP/s"):
        return f"{value:.4g} {unit}"
    if unit == "1":
        return f"{100 * value:.4g} %" if 0 <= value <= 1 else f"{value:.4g}"  # a share, or an index or ratio
    if unit in PREFIXES:
        step = min(3, (len(f"{value:.0f}") - 1) // 3)
        return f"{value / 1000**step:.4g} {PREFIXES[unit][step]}"
    count = f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.4g}"
    if size := next((size for size in SIZES if abs(value) >= size[0]), None):
        count = f"{value / size[1]:.4g}{size[2]}"
    named = (unit or "") if value == 1 else PLURAL.sub(r"\1s", unit or "")
    return f"{count} {named}".replace("_", " ").strip()


def interval(low: float, high: float, unit: str = "FLOP") -> str:
    """The ends of an interval: of FLOP to three digits, 2.1e+23 – 4.72e+23; else with the unit, 860 MWh – 2.1 GWh."""
    return f"{low:.3g} – {high:.3g}" if unit == "FLOP" else f"{human(low, unit)} – {human(high, unit)}"


class Result:
    """Column names (unique), the rows, and once they are read, whether a limit cut them."""

    is_cut = False

    def __init__(self, names: list[str], rows: Iterable[Sequence[Any]] = ()) -> None:
        self.names, self.rows = names, rows


def print_rows(rows: Sequence[Mapping[str, Any]], form: str = "table", **layout: Any) -> None:
    """Prints rows that a command made, which all have the same names, with short numbers; piped, no cell is cut."""
    if rows:
        write(Result(list(rows[0]), (tuple(row.values()) for row in rows)), form, human=True, most=None, **layout)


def write(
    result: Result, form: str, human: bool = False, most: int | None = PIPED_CELL, indent: str = "", below: Cells = ()
) -> None:
    """Prints the result; a table behind `indent`, with a line of `below` under each row, and a remark if it is cut."""
    out, names, rows = sys.stdout, result.names, iter(result.rows)
    if form == "csv":
        csv.writer(out, lineterminator="\n").writerows(map(_csv_cell, row) for row in chain([names], rows))
    elif form == "json":
        out.write("[")
        records = (json_text(dict(zip(names, row, strict=True))) for row in rows)
        out.writelines(f"{',' if number else ''}\n {record}" for number, record in enumerate(records))
        out.write("\n]\n")
    else:
        first, show = list(islice(rows, MEASURED)), human_text if human else text
        if not first and not result.is_cut:
            click.echo("There are no rows.", err=True)
        held = ([row[place] for row in first if row[place] is not None] for place in range(len(names)))
        is_number = [bool(values) and all(map(_is_number, values)) for values in held]
        cells = chain([names], (list(map(show, row)) for row in chain(first, rows)))
        lines = markdown_lines(cells, is_number)
        if form == "table":
            lines = _table_lines(cells, is_number, most, indent)
        pairs = zip_longest(lines, ["", "", *below], fillvalue="")
        out.writelines(f"{line}\n" + (f"{under}\n" if under else "") for line, under in pairs)
    out.flush()


def _is_number(value: Any) -> bool:
    return hasattr(value, "as_integer_ratio") and not isinstance(value, bool)


def _csv_cell(value: Any) -> str:
    return csv_text(value) if _is_number(value) else FORMULA.sub(r"'\g<0>", csv_text(value))


def _table_lines(cells: Iterator[Cells], is_number: Sequence[bool], most: int | None, indent: str) -> Iterator[str]:
    first, screen = list(islice(cells, MEASURED)), terminal_width()
    widths, is_cut = widths_of(first, screen and screen - len(indent), most)
    rule = ["-" * width for width in widths]
    for row in chain(first[:1], [rule], first[1:], cells):
        yield indent + line_of(row, widths, is_number)
    sys.stdout.flush()
    if is_cut:
        fit = f"{len(widths)} of {len(is_number)} columns fit" if len(widths) < len(is_number) else "Cells were cut"
        click.echo(f"{fit}; --json is complete", err=True)


def widths_of(rows: Sequence[Cells], width: int | None = None, most: int | None = None) -> tuple[list[int], bool]:
    """How wide the columns of a table are that begins with these rows, and whether that cuts anything: as wide as their
    cells, but at most `most`, or where `width` is given at most so wide in all. The widest columns give way first, and
    those at the end are left out where that is not enough."""
    whole = [max(columns_wide(one_line(cell)) for cell in column) for column in zip(*rows, strict=True)]
    widths = [size if width else min(size, most or size) for size in whole]
    while width and sum(widths) + len(GAP) * (len(widths) - 1) > width:
        if (widest := max(widths)) > LEAST_CELL:
            widths = [min(size, widest - 1) for size in widths]
        elif len(widths) > 1:
            widths.pop()
        else:
            break
    return widths, widths != whole


def line_of(cells: Cells, widths: Sequence[int], is_number: Sequence[bool]) -> str:
    """The cells of one row, each in its column; numbers stand to the right."""
    padded = []
    for cell, width, is_right in zip(cells, widths, is_number, strict=False):
        shown = clip(one_line(cell), width)
        blank = " " * (width - columns_wide(shown))
        padded.append(blank + shown if is_right else shown + blank)
    return GAP.join(padded).rstrip()


def markdown_lines(rows: Iterable[Cells], is_number: Sequence[bool]) -> Iterator[str]:
    """A table as lines of Markdown; the first row is the heading."""
    for number, cells in enumerate(rows):
        plain = (re.sub(r"&(?=#?\w+;)", "&amp;", one_line(cell)).translate(MARKUP) for cell in cells)
        yield "| " + " | ".join(REFERENCE.sub(r"\g<0>&#8203;", cell) for cell in plain) + " |"
        if not number:
            yield "|" + "|".join("---:" if is_right else "---" for is_right in is_number) + "|"


def clip(cell: str, size: int) -> str:
    """The text cut to that many columns of the screen, the cut marked by …."""
    if columns_wide(cell) <= size:
        return cell
    kept = cell[:size]
    while columns_wide(kept) >= size:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def columns_wide(cell: str) -> int:
    """Columns of the screen that a text takes: two for a Chinese character, none for a combining accent."""
    if cell.isascii():
        return len(cell)
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in cell)


def one_line(text: str) -> str:
    """The text without line breaks, and `printable`."""
    return text if text.isprintable() else printable(" ".join(text.split()))


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place to write the file in; the file appears when the block ends.

    Raises FileError where the disk does not allow it, for a file that is read-only, and for one that lies in a build or
    release, itself or by a link: what is published does not change."""
    if any((folder / MANIFEST).exists() for folder in (path.resolve().parent, path.parent)):
        raise FileError(f"{path} belongs to a build or release, which does not change; name another file")
    if path.exists() and not path.stat().st_mode & 0o200:
        raise FileError(f"{path} is read-only; name another file")
    if path.exists() and not path.is_file():  # a pipe, or the screen
        yield path
        return
    target = path.resolve()  # a link stays one
    work = target.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield work
        work.replace(target)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        work.unlink(missing_ok=True)
