"""Prints the rows of a query as table, CSV, JSON, JSON lines or Markdown, or writes them as Parquet.

Rows are taken batch by batch, so that a long result needs no more memory than a short one. Null is empty in tables and
CSV and null in JSON; lists are ;-joined in tables and CSV, arrays in JSON; dates are ISO.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any
from unicodedata import combining, east_asian_width

import click

from traincompute.show.values import human


@dataclass
class Result:
    """Column names (unique) and DuckDB types, batches of rows, and once they are read: how many, and whether cut."""

    names: list[str]
    types: list[str]
    batches: Iterator[Any]
    rows: int = 0
    cut: bool = False


Row = Sequence[Any]
Show = Callable[[Any], str]

LIST_SEPARATOR = ";"
PIPED_CELL = 60
LEAST_CELL = 10  # an ISO date
GAP = "  "
MORE = "…"
# a spreadsheet would run a text that begins so
FORMULA = re.compile(r"[=+@\t\r-]")
NUMBER = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BIGNUM|FLOAT|DOUBLE|DECIMAL\(.*\))$")
PLAN = ["explain_key", "explain_value"]


def write(result: Result, form: str, human: bool = False) -> None:
    """Prints the result in that form; a line on standard error says so where a table had to cut something."""
    if isatty := sys.stdout.isatty():
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    else:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    if form == "csv":
        _write_csv(result)
    elif form in ("json", "jsonl"):
        _write_json(result, lines=form == "jsonl")
    elif form == "markdown":
        _write_markdown(result, human_text if human else text)
    elif result.names == PLAN:
        sys.stdout.writelines(f"{plan}\n" for batch in result.batches for _, plan in batch)
    else:
        width = shutil.get_terminal_size().columns if isatty else None
        _write_table(result, human_text if human else text, width)
    sys.stdout.flush()


def text(value: Any) -> str:
    """A value as a table shows it: six significant digits, whole numbers below 1e15 in full."""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) < 1e15 and value.is_integer() else f"{value:.6g}"
    return exact(value, text)


def human_text(value: Any) -> str:
    """A value as `explain` shows it: 3.14e23, 174.6B. Whole numbers below 10,000, such as years, stay as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return exact(value, human_text)
    number = float(value)
    if not isfinite(number) or (number.is_integer() and abs(number) < 10_000):
        return text(number)

    return human(number).replace("e+", "e")


def exact(value: Any, item: Show | None = None) -> str:
    """A value as CSV holds it: null empty, floats in their shortest exact form, lists ;-joined."""
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
        return _json(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _write_csv(result: Result) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(_no_formula, result.names))
    texts = [not NUMBER.match(kind) for kind in result.types]
    for batch in result.batches:
        writer.writerows(
            [_no_formula(exact(value)) if is_text else exact(value) for value, is_text in zip(row, texts, strict=True)]
            for row in batch
        )


def _no_formula(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) else cell


def _write_json(result: Result, lines: bool) -> None:
    rows = (_json(dict(zip(result.names, row, strict=True))) for batch in result.batches for row in batch)
    if lines:
        sys.stdout.writelines(f"{row}\n" for row in rows)
        return
    sys.stdout.write("[")
    for number, row in enumerate(rows):
        sys.stdout.write((",\n " if number else "\n ") + row)
    sys.stdout.write("\n]\n")


def _json(value: Any) -> str:
    try:
        return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # nan, or a map with keys that are no texts
        return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """The value out of what JSON knows; nan and infinity are null."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {exact(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int) else exact(value)


def _write_markdown(result: Result, show: Show) -> None:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"

    sys.stdout.write(line(map(_one_line, result.names)))
    sys.stdout.write("|" + "|".join("---:" if NUMBER.match(kind) else "---" for kind in result.types) + "|\n")
    for batch in result.batches:
        sys.stdout.writelines(line(_one_line(show(value)) for value in row) for row in batch)


def _write_table(result: Result, show: Show, width: int | None) -> None:
    """Columns are as wide as their cells in the first batch, less where the terminal is narrower."""
    cells = ([[_one_line(show(value)) for value in row] for row in batch] for batch in result.batches)
    names = [_one_line(name) for name in result.names]
    first = next(cells, [])
    natural = [max(map(columns_wide, column)) for column in zip(names, *first, strict=True)]
    widths = fit(natural, width) if width else [min(size, PIPED_CELL) for size in natural]
    right = [bool(NUMBER.match(kind)) for kind in result.types]
    sys.stdout.write(_line(names, widths, right) + "\n" + GAP.join("-" * size for size in widths) + "\n")
    clipped = len(widths) < len(names)
    for row in chain(first, chain.from_iterable(cells)):
        shown = row[: len(widths)]
        clipped = clipped or any(columns_wide(cell) > size for cell, size in zip(shown, widths, strict=True))
        sys.stdout.write(_line(shown, widths, right) + "\n")
    sys.stdout.flush()
    if clipped:
        click.echo(_what_was_cut(len(widths), len(names)), err=True)


def _what_was_cut(shown: int, columns: int) -> str:
    if shown < columns:
        return f"{shown} of {columns} columns fit; select fewer, or use --csv or --json for all"
    return "Cells were cut; --csv and --json are complete"


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for cell, size, is_number in zip(cells, widths, right, strict=False):
        shown = clip(cell, size)
        blank = " " * (size - columns_wide(shown))
        padded.append(blank + shown if is_number else shown + blank)
    return GAP.join(padded).rstrip()


def fit(natural: Sequence[int], width: int) -> list[int]:
    """Widths that fit: the widest columns give way first, and those at the end are left out where that is not enough."""
    widths = list(natural)
    while (over := sum(widths) + len(GAP) * (len(widths) - 1) - width) > 0:
        widest = max(widths)
        if widest <= LEAST_CELL:
            if len(widths) == 1:
                break
            widths.pop()
            continue
        second = max([size for size in widths if size < widest], default=0)
        many = widths.count(widest)
        cut = max(1, min(widest - max(second, LEAST_CELL), -(-over // many)))
        widths = [size - cut if size == widest else size for size in widths]
    return widths


def clip(cell: str, size: int) -> str:
    """The cell within so many columns of the screen, the cut marked by …."""
    if columns_wide(cell) <= size:
        return cell
    kept = cell[: size - 1]
    while columns_wide(kept) > size - 1:
        kept = kept[:-1]
    return kept.rstrip() + MORE


def columns_wide(cell: str) -> int:
    """Columns of the screen that a text takes: two for a Chinese character, none for a combining accent."""
    if cell.isascii():
        return len(cell)

    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in cell)


def _one_line(cell: str) -> str:
    """The text without line breaks and without signs that would steer the terminal."""
    if cell.isprintable():
        return cell
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(cell.split()))


def write_parquet(result: Result, path: Path) -> None:
    """Writes the record batches of the result; the file appears when it is complete. Raises click.ClickException."""
    from pyarrow import ArrowException, parquet  # for Parquet alone: `sql` starts in half the time without it

    work = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        batches: Iterator[Any] = result.batches
        first = next(batches)
        with parquet.ParquetWriter(work, first.schema, compression="zstd") as writer:
            for batch in chain([first], batches):
                writer.write_batch(batch)
        work.replace(path)
    except (OSError, ArrowException) as error:
        raise click.ClickException(f"{path} cannot be written: {error}") from error
    finally:
        work.unlink(missing_ok=True)
