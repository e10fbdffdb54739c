"""Runs one SQL query on a dataset file, read-only and sealed off from files, network and settings."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

MEMORY_LIMIT = "2GB"


def run_query(path: Path, query: str, form: str, parameters: Mapping[str, Any] | None = None) -> None:
    """Prints the result as table, csv or json. Raises click.ClickException with DuckDB's message where it fails."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "memory_limit": MEMORY_LIMIT,
        "lock_configuration": "true",
    }
    try:
        with duckdb.connect(str(path), read_only=True, config=config) as connection:
            cursor = connection.execute(query, parameters or None)
            names = [column[0] for column in cursor.description or []]
            rows = cursor.fetchall()
    except duckdb.Error as error:
        raise click.ClickException(str(error)) from error
    {"csv": _print_csv, "json": _print_json, "table": _print_table}[form](names, rows)


def _print_csv(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_text(value) for value in row] for row in rows)


def _print_json(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    records = [dict(zip(names, row, strict=True)) for row in rows]
    click.echo(json.dumps(records, default=str, ensure_ascii=False, indent=1))


def _print_table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    cells = [list(names), *([_text(value) for value in row] for row in rows)]
    widths = [min(60, max(len(row[i]) for row in cells)) for i in range(len(names))]
    for number, row in enumerate(cells):
        click.echo("  ".join(cell[:width].ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if number == 0:
            click.echo("  ".join("-" * width for width in widths))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ";".join(map(_text, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
