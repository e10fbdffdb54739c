"""Prints the rows of a query as a table, CSV, JSON, JSON lines or Markdown, or writes them as Parquet.

Rows are taken batch by batch, so that a long result needs no more memory than a short one. Null is empty in tables and
CSV and null in JSON; lists are ;-joined in tables and CSV, arrays in JSON; dates are ISO.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from traincompute.base.errors import FileError
from traincompute.show.table import Column, lay_out, markdown_lines, terminal_width
from traincompute.show.values import csv_text, human_text, json_text, text

PIPED_CELL, MEASURED = 60, 10_000  # signs of a cell, and rows that say how wide a column is
FORMULA = re.compile(r"[=+@\t\r-]")  # a spreadsheet would run a text that begins so
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


def write(result: Result, form: str, human: bool = False) -> None:
    """Prints the result in that form; a line on standard error says so where a table had to cut something."""
    out, is_number = sys.stdout, [bool(NUMBER.match(kind)) for kind in result.types]
    if out.isatty():
        out.reconfigure(errors="replace")  # type: ignore[union-attr]
    else:
        out.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    rows = chain.from_iterable(result.batches)
    shown = ([(human_text if human else text)(value) for value in row] for row in rows)
    if form == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(map(_no_formula, result.names))
        for row in rows:
            cells = map(csv_text, row)
            writer.writerow([cell if is_a else _no_formula(cell) for cell, is_a in zip(cells, is_number, strict=True)])
    elif form in ("json", "jsonl"):
        lines = (json_text(dict(zip(result.names, row, strict=True))) for row in rows)
        if form == "jsonl":
            out.writelines(f"{line}\n" for line in lines)
        else:
            out.write("[")
            out.writelines(f"{',' if number else ''}\n {line}" for number, line in enumerate(lines))
            out.write("\n]\n")
    elif form == "markdown":
        columns = list(map(Column, result.names, is_number))
        out.writelines(f"{line}\n" for line in markdown_lines(columns, shown))
    elif result.names == PLAN:
        out.writelines(f"{plan}\n" for _, plan in rows)
    else:
        _write_table(list(map(Column, result.names, is_number)), shown)
    out.flush()


def _no_formula(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) else cell


def _write_table(columns: list[Column], rows: Iterator[list[str]]) -> None:
    """Columns are as wide as their cells in the first rows, less where the terminal is narrower."""
    first = list(islice(rows, MEASURED))
    layout = lay_out(columns, first, terminal_width(), PIPED_CELL)
    sys.stdout.write(f"{layout.head}\n{layout.rule}\n")
    clipped = len(layout.widths) < len(columns)
    for row in chain(first, rows):
        clipped = clipped or layout.cuts(row)
        sys.stdout.write(f"{layout.line(row)}\n")
    sys.stdout.flush()
    if clipped:
        click.echo(layout.what_was_cut("--csv and --json are complete"), err=True)


def write_parquet(result: Result, path: Path) -> None:
    """Writes the record batches of the result; the file appears when it is complete. Raises FileError, also for
    a file that is read-only, or lies in a build or release: what is published does not change."""
    check_free(path)
    from pyarrow import ArrowException, parquet  # for Parquet alone: `sql` starts in half the time without it

    work = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        first = next(result.batches)
        with parquet.ParquetWriter(work, first.schema, compression="zstd") as writer:
            for batch in chain([first], result.batches):
                writer.write_batch(batch)
        work.replace(path)
    except (OSError, ArrowException) as error:
        raise FileError(f"{path} cannot be written: {error}") from error
    finally:
        work.unlink(missing_ok=True)


def check_free(path: Path) -> None:
    """Raises FileError where the file may not be written: where it, or what it links to, lies beside a manifest,
    and where it is read-only."""
    beside = (path.resolve().parent / MANIFEST, path.parent / MANIFEST)
    if any(manifest.exists() for manifest in beside):
        raise FileError(f"{path} belongs to a build or release, which does not change; name another file")
    if path.exists() and not path.stat().st_mode & 0o200:
        raise FileError(f"{path} is read-only; name another file")
