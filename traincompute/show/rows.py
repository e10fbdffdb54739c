"""Prints rows as a table, CSV, JSON, JSON lines or Markdown, and writes files that appear when they are complete.

Rows are taken batch by batch, so that a long result needs no more memory than a short one. Null is empty in tables and
CSV and null in JSON; lists are ;-joined in tables and CSV, arrays in JSON; dates are ISO.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

import click

from traincompute.base.errors import FileError, TraincomputeError
from traincompute.show.table import Column, line_of, markdown_lines, terminal_width, widths_of
from traincompute.show.values import csv_text, human_text, json_text, text

PIPED_CELL, MEASURED = 80, 10_000  # signs of a cell, and rows that say how wide a column is
FORMULA = re.compile(r"^[=+@\t\r-]")  # a spreadsheet would run a text that begins so
NUMBER = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BIGNUM|FLOAT|DOUBLE|DECIMAL\(.*\))$")
MANIFEST = "manifest.json"  # stands in the folder of every build and release
PLAN = ["explain_key", "explain_value"]


@dataclass
class Result:
    """Column names (unique) and DuckDB types, batches of rows, and once they are read: how many, and whether cut."""

    names: list[str]
    types: list[str]
    batches: Iterator[Any]
    rows: int = 0
    cut: bool = False


def print_rows(rows: Sequence[Mapping[str, Any]], form: str = "table", **layout: Any) -> None:
    """Prints rows that a command made, which all have the names of the first, with short numbers in tables, whole where
    the output is piped; `layout` as in `write`. Prints nothing where there are no rows."""
    if rows:
        numbers = [all(isinstance(row[name], int | float | None) for row in rows) for name in rows[0]]
        types = ["DOUBLE" if is_number else "VARCHAR" for is_number in numbers]
        batch = [tuple(row.values()) for row in rows]
        write(Result(list(rows[0]), types, iter([batch])), form, human=True, most=None, **layout)


def write(
    result: Result,
    form: str,
    human: bool = False,
    most: int | None = PIPED_CELL,
    indent: str = "",
    below: Sequence[str] = (),
) -> None:
    """Prints the result in that form; a table behind `indent`, with a line of `below` under each row. A line on
    standard error says so where a table had to cut something."""
    out = sys.stdout
    out.reconfigure(**({"errors": "replace"} if out.isatty() else {"encoding": "utf-8"}))  # type: ignore[union-attr]
    columns = [Column(name, bool(NUMBER.match(kind))) for name, kind in zip(result.names, result.types, strict=True)]
    rows = chain.from_iterable(result.batches)
    shown = ([(human_text if human else text)(value) for value in row] for row in rows)
    records = (json_text(dict(zip(result.names, row, strict=True))) for row in rows)
    if form == "csv":  # as a spreadsheet may open it: no text is a formula
        writer = csv.writer(out, lineterminator="\n")
        escaped = partial(FORMULA.sub, r"'\g<0>")
        writer.writerow(map(escaped, result.names))
        for row in rows:
            cells = zip(map(csv_text, row), columns, strict=True)
            writer.writerow(cell if column.is_number else escaped(cell) for cell, column in cells)
    elif form == "jsonl":
        out.writelines(f"{record}\n" for record in records)
    elif form == "json":
        out.write("[")
        out.writelines(f"{',' if number else ''}\n {record}" for number, record in enumerate(records))
        out.write("\n]\n")
    elif form == "markdown":
        out.writelines(f"{line}\n" for line in markdown_lines(columns, shown))
    elif result.names == PLAN:
        out.writelines(f"{plan}\n" for _, plan in rows)
    else:
        first, screen = list(islice(shown, MEASURED)), terminal_width()
        widths, is_cut = widths_of(columns, first, screen and screen - len(indent), most)
        head = [[column.name for column in columns], ["-" * width for width in widths]]
        for row, under in zip_longest(chain(head, first, shown), ["", "", *below]):
            out.write(f"{indent}{line_of(columns, widths, row)}\n" + (f"{under}\n" if under else ""))
        out.flush()
        if is_cut:
            fit = f"{len(widths)} of {len(columns)} columns fit" if len(widths) < len(columns) else "Cells were cut"
            click.echo(f"{fit}; --json is complete", err=True)
    out.flush()


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place to write the file in; the file appears when the block ends.

    Raises FileError where the disk does not allow it, for a file that is read-only, and for one that lies in a build or
    release, itself or by a link: what is published does not change."""
    if any((folder / MANIFEST).exists() for folder in (path.resolve().parent, path.parent)):
        raise FileError(f"{path} belongs to a build or release, which does not change; name another file")
    if path.exists() and not path.stat().st_mode & 0o200:
        raise FileError(f"{path} is read-only; name another file")
    work = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield work
        work.replace(path)
    except TraincomputeError:  # one of them is a TimeoutError, and so an OSError
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        work.unlink(missing_ok=True)
