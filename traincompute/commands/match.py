"""`traincompute match`: names as people write them, in a CSV file or as arguments, joined with the models of the
dataset."""

from __future__ import annotations

import csv
import io
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
MOST_SHOWN = 6  # candidates of one name in the report
MOST_PROPOSED = 3  # models that an unknown name resembles
MOST_SEARCHED = 50  # unknown names for which these are looked up
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
    """Match NAMES of models, or a column of FILE.csv, with the dataset, and print CSV with the models joined.

    Columns: model_id, name, how it was matched (exact, normalised, alias, unique part, ambiguous, base, none),
    candidates, base_model_id (the base of a fine-tune that is not in the dataset), taken_off (the words of the name
    that were ignored), and those of --add.

    Nothing is guessed. If a name matches no single model, standard error lists its candidates and the exit code is 1.

    Example: traincompute match "GPT-4" "llama 3.1 405b" "Claude Opus 4.5 (thinking-32k)"
    """
    from traincompute.database import open_database
    from traincompute.names.resolve import resolve
    from traincompute.query.rows import rows
    from traincompute.show.values import csv_text

    header, table = _read(names, column)
    place, added = header.index(column) if column else 0, add or ADDED
    with open_database(dataset_folder(data)) as connection:
        _check(connection, added)
        answers = resolve(connection, [row[place] for row in table])
        ids = [row["model_id"] for row in answers if row["model_id"]]
        query = f"from ({JOINED}) where list_contains($ids::varchar[], model_id)"
        models = {row["model_id"]: row for row in rows(connection, query, ids=ids)}
        report = _report(connection, answers)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    # a column of the same name is the user's own
    writer.writerow([*header, *(name if name not in header else f"traincompute_{name}" for name in (*FOUND, *added))])
    for row, answer in zip(table, answers, strict=True):
        model = models.get(answer["model_id"], {})
        cells = [*(answer[name] for name in FOUND), *(model.get(name) for name in added)]
        writer.writerow([*row, *map(csv_text, cells)])
    if to:
        Path(to).write_text(text.getvalue(), encoding="utf-8", newline="")
    else:
        click.echo(text.getvalue(), nl=False)
    click.echo(report, err=True)
    sys.exit(EXIT_OPEN if any(not row["model_id"] for row in answers) else 0)


def _read(names: Sequence[str], column: str | None) -> tuple[list[str], list[list[str]]]:
    """Header and rows: the names as a table of one column, else the CSV file. Raises click.UsageError for a file that
    cannot be read or lacks the column, and for one without --column."""
    file = next((name for name in names if column or name.lower().endswith(".csv")), "")
    if not file:
        return ["asked"], [[name] for name in names]
    if not column:
        raise click.UsageError(f"say which column of {file} has the names, with --column NAME")
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
        header, *rows = list(csv.reader(io.StringIO(text, newline=""), strict=True)) or [[]]
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} cannot be read as CSV in UTF-8: {error}") from error
    if column not in header:
        raise click.UsageError(f"{file} has no column {column!r}; it has {', '.join(header) or 'none'}")
    for number, row in enumerate(rows, 2):
        if row and len(row) != len(header):
            raise click.UsageError(f"{file}, row {number}: {len(row)} cells under {len(header)} columns; mend the row")
    return header, [row for row in rows if row]


def _check(connection: Any, columns: Sequence[str]) -> None:
    """Raises click.UsageError for a column that neither models nor predictions have."""
    held = [name for name, *_ in connection.execute(f"from ({JOINED}) limit 0").description]
    if unknown := next((column for column in columns if column not in held), ""):
        from traincompute.query.errors import did_you_mean  # nothing but a slip needs it

        raise click.UsageError(f"models has no column {unknown!r}{did_you_mean(unknown, held)}")


def _report(connection: Any, answers: Sequence[Row]) -> str:
    """How many names were matched how surely; then each that stands for no one model, once, and what it could be."""
    from traincompute.names.resolve import HOW, search

    counts = (f"{sum(row['how'] == how for row in answers)} {how}" for how in HOW)
    lines = [f"{len(answers)} names: {', '.join(counts)}"]
    left = MOST_SEARCHED
    for asked, row in {row["asked"]: row for row in answers if not row["model_id"]}.items():
        ids = row["candidates"]
        if row["base_model_id"]:
            answer = f"no model; made from {row['base_model_id']}, by its name"
        elif row["how"] == "none":
            alike = search(connection, asked, MOST_PROPOSED) if asked.strip() and left > 0 else []
            near = list(dict.fromkeys([*ids, *(str(model["model_id"]) for model in alike)]))[:MOST_PROPOSED]
            answer, left = "no model" + (f"; did you mean {' or '.join(near)}?" if near else ""), left - 1
        else:
            more = f" and {len(ids) - MOST_SHOWN} more" if len(ids) > MOST_SHOWN else ""
            answer = f"ambiguous: {', '.join(ids[:MOST_SHOWN])}{more}"
        lines.append(f"{asked}: {answer}")
    return "\n".join(lines)
