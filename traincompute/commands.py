"""`traincompute sql`, and where the commands that read a built dataset find it."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from traincompute.places import DUCKDB_NAME as DUCKDB_NAME

TIMEOUT_S = 60.0
LONGEST_S = 86_400.0

Command = TypeVar("Command", bound=Callable[..., Any])


def dataset_file(data: str | None = None) -> Path:
    """The DuckDB file: `data` (one, or a folder with one), else $TRAINCOMPUTE_DATA, else that of the checkout in use."""
    if data and not Path(data).is_dir():
        return Path(data)
    folder = data or os.environ.get("TRAINCOMPUTE_DATA")
    root = Path(os.environ.get("TRAINCOMPUTE_ROOT") or Path(__file__).resolve().parent.parent)
    path = (Path(folder) if folder else root / "data" / "processed") / DUCKDB_NAME
    if data and not path.exists():
        return _only_file(Path(data))
    if not path.exists():
        raise click.ClickException(f"{path} does not exist; run `traincompute build` first")
    return path


def _only_file(folder: Path) -> Path:
    found = sorted(folder.glob("*.duckdb"))
    if len(found) != 1:
        what = f"{len(found)} .duckdb files; name one" if found else "no .duckdb file"
        raise click.BadParameter(f"{folder} holds {what}", param_hint="'--data'")
    return found[0]


def data_option(command: Command) -> Command:
    """Adds --data PATH and --version V to a command that reads the dataset; both reach it as `data`."""

    @functools.wraps(command)
    def with_data(*args: Any, data: str | None, version: str | None, **options: Any) -> Any:
        if data and version:
            raise click.UsageError("give --data or --version, not both")
        return command(*args, data=_release_file(version) if version else data, **options)

    kind = click.Path(exists=True)
    text = "Another dataset: a .duckdb file, or a folder with one."
    with_path = click.option("--data", type=kind, metavar="PATH", help=text)(with_data)
    about = "A release (see `traincompute releases`), downloaded where it must be."
    return cast(Command, click.option("--version", metavar="V", help=about)(with_path))


def _release_file(version: str) -> str:
    """The DuckDB file of a release."""
    from traincompute.reader import path

    return str(path(version=version))


@click.command()
@click.argument("query", required=False)
@click.option("-f", "--file", type=click.Path(exists=True, dir_okay=False), help="Read the query from a file.")
@data_option
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one list of rows.")
@click.option("--jsonl", "form", flag_value="jsonl", help="Print JSON, one row per line.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--parquet", type=click.Path(dir_okay=False), metavar="FILE", help="Write a Parquet file, print nothing.")
@click.option("--human", is_flag=True, help="Short numbers in tables: 3.14e23, 174.6B.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="At most so many rows of the result.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, LONGEST_S, min_open=True),
    default=TIMEOUT_S,
    metavar="SECONDS",
    help="Stop the query after so long.  [default: 60]",
)
@click.option("--time", "timing", is_flag=True, help="Say how many rows and seconds it was, on standard error.")
def sql(
    query: str | None,
    file: str | None,
    data: str | None,
    form: str | None,
    parquet: str | None,
    human: bool,
    limit: int | None,
    timeout: float,
    timing: bool,
) -> None:
    """Run QUERY, read-only, on the built dataset. Files, network and settings are out of its reach.

    Without QUERY, or with -, the query is read from standard input. A table fits the terminal and shows six digits;
    CSV and JSON are complete and exact. `traincompute tables` lists what can be asked.

    Example: traincompute sql --human "select name, training_compute_flop from models order by 2 desc nulls last limit 5"
    """
    from traincompute.query import Options, run_query

    if parquet and (form or human):
        raise click.UsageError("--parquet goes with none of --csv, --json, --jsonl, --markdown, --human")
    if human and form in ("csv", "json", "jsonl"):
        raise click.UsageError("--human goes with tables and --markdown only: CSV and JSON are exact")
    text = _query_text(query, file)
    options = Options(limit=limit, timeout_s=timeout, human=human, timing=timing, parquet=parquet)
    run_query(dataset_file(data), text, form or "table", options=options)


def _query_text(query: str | None, file: str | None) -> str:
    """The query of the argument, the file or standard input. Raises click.UsageError where there is none, or two."""
    if query is not None and file:
        raise click.UsageError("give QUERY or --file, not both")
    if file:
        text = _decoded(Path(file).read_bytes(), file)
    elif query in (None, "-"):
        if sys.stdin.isatty() and query is None:
            raise click.UsageError('no QUERY; for example: traincompute sql "select count(*) from models"')
        text = _decoded(sys.stdin.buffer.read(), "standard input")
    else:
        text = query or ""
    if not text.strip():
        raise click.UsageError("the query is empty")
    return text


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{name} is not UTF-8 text") from error
