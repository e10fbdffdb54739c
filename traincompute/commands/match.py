"""`traincompute match`: names as people write them, in a CSV file or as arguments, joined with the models of the
dataset."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traincompute.commands.options import data_option, dataset_folder

if TYPE_CHECKING:
    from traincompute.query.rows import Row

FOUND = ("model_id", "name", "how", "candidates", "base_model_id", "taken_off")
JOINED = "select m.*, p.* exclude (model_id) from models m left join predictions p using (model_id)"
ADDED = ("publication_date", "training_compute_flop")
MOST_SEARCHED, MOST_SHOWN = 50, 6  # unknown names for which others are looked up, and candidates of one in the report


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="FILE.csv | NAME...")
@click.option("--column", metavar="NAME", help="The column of FILE.csv with the names of models.")
@click.option("--add", multiple=True, default=ADDED, metavar="COLUMN", help="A column of models or predictions to add.")
@click.option("--to", type=click.File("w", "utf-8", lazy=True), default="-", metavar="FILE", help="Write it there.")
@data_option
def match(names: tuple[str, ...], column: str | None, add: tuple[str, ...], to: Any, data: str | None) -> None:
    """Match NAMES of models, or a column of FILE.csv, with the dataset, and print CSV with the models joined.

    Columns: model_id, name, how it was matched (exact, normalised, alias, unique part, ambiguous, base, none),
    candidates, base_model_id (the base of a fine-tune that is not in the dataset), taken_off (the words of the name
    that were ignored), and those of --add.

    Nothing is guessed. If a name matches no single model, standard error lists its candidates and the exit code is 1.

    Example: traincompute match "GPT-4" "llama 3.1 405b" "Claude Opus 4.5 (thinking-32k)"
    """
    from traincompute.database import open_database
    from traincompute.names.resolve import resolve
    from traincompute.query.errors import did_you_mean
    from traincompute.query.rows import rows
    from traincompute.show.values import csv_text

    header, table = _read(names, column)
    with open_database(dataset_folder(data)) as connection:
        held = [name for name, *_ in connection.execute(f"from ({JOINED}) limit 0").description or []]
        if unknown := next((name for name in add if name not in held), ""):
            raise click.UsageError(f"models has no column {unknown!r}{did_you_mean(unknown, held)}")
        place = header.index(column) if column else 0
        answers = resolve(connection, [row[place] for row in table])
        query = f"from ({JOINED}) where list_contains($ids::varchar[], model_id)"
        models = {row["model_id"]: row for row in rows(connection, query, ids=[row["model_id"] for row in answers])}
        report = _report(connection, answers)
    writer = csv.writer(to, lineterminator="\n")
    # a column of the same name is the user's own
    writer.writerow([*header, *(name if name not in header else f"traincompute_{name}" for name in (*FOUND, *add))])
    for row, answer in zip(table, answers, strict=True):
        model = models.get(answer["model_id"], {})
        writer.writerow(map(csv_text, (*row, *map(answer.get, FOUND), *map(model.get, add))))
    click.echo("\n".join(report), err=True)
    sys.exit(any(not row["model_id"] for row in answers))


def _read(names: Sequence[str], column: str | None) -> tuple[list[str], list[list[str]]]:
    """Header and rows: the names as a table of one column, else the CSV file. Raises click.UsageError for a file that
    cannot be read or lacks the column, and for one without --column."""
    file = next((name for name in names if column or name.lower().endswith(".csv")), "")
    if not file:
        return ["asked"], [[name] for name in names]
    if not column:
        raise click.UsageError(f"say which column of {file} has the names, with --column NAME")
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as opened:
            header, *table = [row for row in csv.reader(opened, strict=True) if row] or [[]]
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} cannot be read as CSV in UTF-8: {error}") from error
    if column not in header:
        raise click.UsageError(f"{file} has no column {column!r}; it has {', '.join(header) or 'none'}")
    if odd := next((row for row in table if len(row) != len(header)), []):
        raise click.UsageError(f"{file}: {len(odd)} cells under {len(header)} columns: {','.join(odd)}")
    return header, table


def _report(connection: Any, answers: Sequence[Row]) -> list[str]:
    """How many names were matched how surely; then each that stands for no one model, once, and what it could be."""
    from traincompute.names.resolve import HOW, search

    counts = (f"{sum(row['how'] == how for row in answers)} {how}" for how in HOW)
    lines = [f"{len(answers)} names: {', '.join(counts)}"]
    for asked, row in {row["asked"]: row for row in answers if not row["model_id"]}.items():
        ids = row["candidates"]
        if row["base_model_id"]:
            lines.append(f"{asked}: no model; made from {row['base_model_id']}, by its name")
        elif row["how"] == "none":
            alike = search(connection, asked, 3) if asked.strip() and len(lines) <= MOST_SEARCHED else []
            near = list(dict.fromkeys([*ids, *(str(model["model_id"]) for model in alike)]))[:3]
            lines.append(f"{asked}: no model" + (f"; did you mean {' or '.join(near)}?" if near else ""))
        else:
            more = f" and {len(ids) - MOST_SHOWN} more" if len(ids) > MOST_SHOWN else ""
            lines.append(f"{asked}: ambiguous: {', '.join(ids[:MOST_SHOWN])}{more}")
    return lines
