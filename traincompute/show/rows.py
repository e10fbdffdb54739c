"""Prints rows as a table, CSV, JSON, JSON lines or Markdown, and writes files that appear when they are complete.

Rows are taken batch by batch, so that a long result needs no more memory than a short one. Null is empty in tables and
CSV and null in JSON; lists are ;-joined in tables and CSV, arrays in JSON; dates are ISO.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

import click

from traincompute.base.errors import FileError, TraincomputeError
from traincompute.show.table import Column, Layout, markdown_lines, terminal_width
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


def print_rows(
    rows: Sequence[Mapping[str, Any]], form: str = "table", indent: str = "", below: Sequence[str] = ()
) -> None:
    """Prints rows that a command made, which all have the names of the first, with short numbers in tables, whole where
    the output is piped, and the lines of `below` under each row. Prints nothing where there are no rows."""
    if not rows:
        return
    names = list(rows[0])
    numbers = [all(isinstance(row[name], int | float | None) for row in rows) for name in names]
    types = ["DOUBLE" if is_number else "VARCHAR" for is_number in numbers]
    result = Result(names, types, iter([[tuple(row.values()) for row in rows]]))
    write(result, form, human=True, most=None, indent=indent, below=below)


def write(
    result: Result,
    form: str,
    human: bool = False,
    most: int | None = PIPED_CELL,
    indent: str = "",
    below: Sequence[str] = (),
) -> None:
    """Prints the result in that form; a line on standard error says so where a table had to cut something."""
    out = sys.stdout
    out.reconfigure(**({"errors": "replace"} if out.isatty() else {"encoding": "utf-8"}))  # type: ignore[union-attr]
    columns = [Column(name, bool(NUMBER.match(kind))) for name, kind in zip(result.names, result.types, strict=True)]
    rows = chain.from_iterable(result.batches)
    shown = ([(human_text if human else text)(value) for value in row] for row in rows)
    records = (json_text(dict(zip(result.names, row, strict=True))) for row in rows)
    if form == "csv":
        _write_csv(columns, rows)
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
        _write_table(columns, shown, most, indent, below)
    out.flush()


def _write_csv(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> None:
    """As a spreadsheet may open it: no text is a formula."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(FORMULA.sub(r"'\g<0>", column.name) for column in columns)
    for row in rows:
        cells = zip(map(csv_text, row), columns, strict=True)
        writer.writerow(cell if column.is_number else FORMULA.sub(r"'\g<0>", cell) for cell, column in cells)


def _write_table(
    columns: Sequence[Column], rows: Iterator[list[str]], most: int | None, indent: str, below: Sequence[str]
) -> None:
    """Columns are as wide as their cells in the first rows, less where the terminal is narrower."""
    first, screen = list(islice(rows, MEASURED)), terminal_width()
    layout = Layout(columns, first, screen and screen - len(indent), most)
    sys.stdout.writelines(f"{indent}{line}\n" for line in layout.head())
    for row, under in zip_longest(chain(first, rows), below):
        sys.stdout.write(f"{indent}{layout.line(row)}\n" + (f"{under}\n" if under else ""))
    sys.stdout.flush()
    if layout.cut:
        fit = len(layout.widths)
        what = f"{fit} of {len(columns)} columns fit" if fit < len(columns) else "Cells were cut"
        click.echo(f"{what}; --json is complete", err=True)


def write_parquet(result: Result, path: Path) -> None:
    """Writes the record batches of the result. Raises FileError as `whole_file` does."""
    with whole_file(path) as work:
        from pyarrow import ArrowException, parquet  # for Parquet alone: `sql` starts in half the time without it

        first = next(result.batches)
        try:
            with parquet.ParquetWriter(work, first.schema, compression="zstd") as writer:
                for batch in chain([first], result.batches):
                    writer.write_batch(batch)
        except ArrowException as error:
            raise FileError(f"{path} cannot be written: {error}") from error


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place to write the file in; the file appears when the block ends.

    Raises FileError where the disk does not allow it, for a file that is read-only, and for one that lies in a build or
    release, itself or by a link: what is published does not change."""
    beside = (path.resolve().parent / MANIFEST, path.parent / MANIFEST)
    if any(manifest.exists() for manifest in beside):
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
