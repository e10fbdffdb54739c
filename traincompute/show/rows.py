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
from itertools import chain
from pathlib import Path
from typing import Any

import click

from traincompute.base.errors import FileError
from traincompute.show.table import Column, lay_out, markdown_lines, terminal_width
from traincompute.show.values import Show, csv_text, human_text, json_text, text

PIPED_CELL = 60
# a spreadsheet would run a text that begins so
FORMULA = re.compile(r"[=+@\t\r-]")
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
    show = human_text if human else text
    if sys.stdout.isatty():
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    else:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    if form == "csv":
        _write_csv(result)
    elif form in ("json", "jsonl"):
        _write_json(result, lines=form == "jsonl")
    elif form == "markdown":
        _write_markdown(result, show)
    elif result.names == PLAN:
        sys.stdout.writelines(f"{plan}\n" for batch in result.batches for _, plan in batch)
    else:
        _write_table(result, show)
    sys.stdout.flush()


def _write_csv(result: Result) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(_no_formula, result.names))
    texts = [not NUMBER.match(kind) for kind in result.types]
    for batch in result.batches:
        writer.writerows(
            [
                _no_formula(csv_text(value)) if is_text else csv_text(value)
                for value, is_text in zip(row, texts, strict=True)
            ]
            for row in batch
        )


def _no_formula(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) else cell


def _write_json(result: Result, lines: bool) -> None:
    rows = (json_text(dict(zip(result.names, row, strict=True))) for batch in result.batches for row in batch)
    if lines:
        sys.stdout.writelines(f"{row}\n" for row in rows)
        return
    sys.stdout.write("[")
    for number, row in enumerate(rows):
        sys.stdout.write((",\n " if number else "\n ") + row)
    sys.stdout.write("\n]\n")


def _columns(result: Result) -> list[Column]:
    return [Column(name, bool(NUMBER.match(kind))) for name, kind in zip(result.names, result.types, strict=True)]


def _write_markdown(result: Result, show: Show) -> None:
    rows = (list(map(show, row)) for batch in result.batches for row in batch)
    sys.stdout.writelines(f"{line}\n" for line in markdown_lines(_columns(result), rows))


def _write_table(result: Result, show: Show) -> None:
    """Columns are as wide as their cells in the first batch, less where the terminal is narrower."""
    batches = ([list(map(show, row)) for row in batch] for batch in result.batches)
    first = next(batches, [])
    layout = lay_out(_columns(result), first, terminal_width(), PIPED_CELL)
    sys.stdout.write(f"{layout.head}\n{layout.rule}\n")
    clipped = len(layout.widths) < len(layout.columns)
    for row in chain(first, chain.from_iterable(batches)):
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
        batches: Iterator[Any] = result.batches
        first = next(batches)
        with parquet.ParquetWriter(work, first.schema, compression="zstd") as writer:
            for batch in chain([first], batches):
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
