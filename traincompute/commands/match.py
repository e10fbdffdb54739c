"""`traincompute match`: names as people write them, in a CSV file or as arguments, joined with the models of the
dataset."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traincompute.commands.options import data_option, dataset_folder

if TYPE_CHECKING:
    from traincompute.query.rows import Row

FOUND = ("model_id", "name", "how", "candidates", "base_model_id", "taken_off")
JOINED = "select m.*, p.* exclude (model_id) from models m left join predictions p using (model_id)"
ADDED = ("publication_date", "training_compute_flop")
MOST_SHOWN = 6  # candidates of one name in the report
MOST_PROPOSED = 3  # models that a name resembles, of the first names that stand for none
MOST_SEARCHED = 50
EXIT_OPEN = 1


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="FILE.csv | NAME...")
@click.option("--column", metavar="NAME", help="The column of FILE.csv with the names of models.")
@click.option(
    "--add",
    multiple=True,
    metavar="COLUMN",
    help=f"A column of models or predictions (flop_05 … flop_95) to add.  [default: {', '.join(ADDED)}]",
)
@click.option(
    "--to", type=click.Path(dir_okay=False), metavar="FILE", help="Write the CSV there, not to standard output."
)
@data_option
def match(names: tuple[str, ...], column: str | None, add: tuple[str, ...], to: str | None, data: str | None) -> None:
    """Match NAMES of models, or those in a column of FILE.csv, with the dataset; print CSV with the models joined.

    Each row gets model_id, name, how it was matched (exact, normalised, alias, unique part, ambiguous, base, none),
    candidates, base_model_id (of a fine-tune that is not in the dataset: the model it was made from), the words of
    the name that were taken off, and the columns asked for. A report on standard error lists the names that match
    no single model and what they could be; nothing is guessed. The exit code is then 1.

    Example: traincompute match "GPT-4" "llama 3.1 405b" "Claude Opus 4.5 (thinking-32k)"
    """
    from traincompute.database import open_database
    from traincompute.names.resolve import resolve

    header, table = _read(Path(names[0]), column) if column else _given(names)
    place = header.index(column) if column else 0
    with open_database(dataset_folder(data)) as connection:
        wanted = _checked(connection, add or ADDED)
        found = resolve(connection, [row[place] for row in table])
        known = _about(connection, [row["model_id"] for row in found], wanted)
        report = _report(connection, found)
    text = _joined(header, table, found, known, wanted)
    if to:
        Path(to).write_text(text, encoding="utf-8", newline="")
    else:
        click.echo(text, nl=False)
    click.echo(report, err=True)
    sys.exit(EXIT_OPEN if any(not row["model_id"] for row in found) else 0)


def _given(names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """The names as a table of one column. Raises click.UsageError for what is a file, or would be one."""
    for name in names:
        if name.lower().endswith(".csv"):
            if not Path(name).is_file():
                raise click.UsageError(f"{name} does not exist; give a CSV file with --column NAME, or names of models")
            raise click.UsageError(f"say which column of {name} has the names, with --column NAME")
    return ["asked"], [[name] for name in names]


def _read(file: Path, column: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV file. Raises click.UsageError for one that cannot be read or lacks the column."""
    try:
        rows = list(csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig"), newline=""), strict=True))
    except FileNotFoundError as error:
        raise click.UsageError(f"{file} does not exist; with --column the first argument is a CSV file") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} is not CSV in UTF-8: {error}; save it as such") from error
    header = rows[0] if rows else []
    if column not in header:
        raise click.UsageError(f"{file} has no column {column!r}; it has {', '.join(header) or 'none'}")
    for number, row in enumerate(rows[1:], 2):
        if row and len(row) != len(header):
            raise click.UsageError(f"{file}, row {number}: {len(row)} cells under {len(header)} columns; mend the row")
    return header, [row for row in rows[1:] if row]


def _checked(connection: Any, columns: Sequence[str]) -> Sequence[str]:
    """The columns, all of which models or predictions have. Raises click.UsageError otherwise."""
    held = [name for name, *_ in connection.execute(f"select * from ({JOINED}) limit 0").description]
    for column in columns:
        if column not in held:
            from traincompute.query.errors import did_you_mean  # nothing but a slip needs it

            raise click.UsageError(f"models has no column {column!r}{did_you_mean(column, held)}")
    return columns


def _about(connection: Any, ids: Iterable[str | None], columns: Sequence[str]) -> dict[str, Row]:
    """The wanted columns of each of these models."""
    from traincompute.query.rows import rows

    quoted = ", ".join(f'"{column}"' for column in columns)
    query = f"select model_id as matched_id, {quoted} from ({JOINED}) where list_contains($ids::varchar[], model_id)"
    return {row["matched_id"]: row for row in rows(connection, query, ids=sorted({key for key in ids if key}))}


def _joined(
    header: Sequence[str],
    table: Sequence[Sequence[str]],
    found: Sequence[Row],
    known: dict[str, Row],
    columns: Sequence[str],
) -> str:
    """The rows as CSV, with what was found behind them; a column of the same name is the user's own."""
    from traincompute.show.values import csv_text

    added = [name if name not in header else f"traincompute_{name}" for name in (*FOUND, *columns)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*header, *added])
    for row, match in zip(table, found, strict=True):
        about = known.get(match["model_id"], {})
        told = [";".join(cell) if isinstance(cell := match[name], list) else cell for name in FOUND]
        writer.writerow([*row, *told, *(csv_text(about.get(name)) for name in columns)])
    return text.getvalue()


def _report(connection: Any, found: Sequence[Row]) -> str:
    """How many names were matched how surely; then each that stands for no one model, once."""
    from traincompute.names.resolve import HOW, search

    counts = ", ".join(f"{sum(row['how'] == how for row in found)} {how}" for how in HOW)
    unclear = {row["asked"]: row for row in found if not row["model_id"]}
    unknown = [asked for asked, row in unclear.items() if row["how"] == "none" and asked.strip()]
    alike = {
        asked: [str(row["model_id"]) for row in search(connection, asked, MOST_PROPOSED)]
        for asked in unknown[:MOST_SEARCHED]
    }
    lines = [f"{asked}: {_could_be(row, alike.get(asked, []))}" for asked, row in unclear.items()]
    return "\n".join([f"{len(found)} names: {counts}", *lines])


def _could_be(row: Row, alike: Sequence[str]) -> str:
    """What is said of a name that stands for no one model."""
    if row["base_model_id"]:
        return f"no model; made from {row['base_model_id']}, by its name"
    ids = row["candidates"]
    if row["how"] == "none":
        near = list(dict.fromkeys([*ids, *alike]))[:MOST_PROPOSED]
        return f"no model; did you mean {' or '.join(near)}?" if near else "no model"
    more = f" and {len(ids) - MOST_SHOWN} more" if len(ids) > MOST_SHOWN else ""
    return f"ambiguous: {', '.join(ids[:MOST_SHOWN])}{more}"
