"""`traincompute search`, `match`, `explain` and `revisions`: which model a name means, and what is known of it."""

from __future__ import annotations

import csv
import io
import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from traincompute.commands.options import dataset_folder, form_options, limit_option, version_option
from traincompute.commands.sql import run_query
from traincompute.show.rows import clip, csv_text, print_rows, whole_file
from traincompute.show.terminal import text_width

ADDED = ("publication_date", "training_compute_flop")
MOST_SEARCHED = 50  # unknown names for which others are looked up
REVISED = "model_id, field, kind, old_text, new_text, ratio, source_id, from_snapshot, to_snapshot"
REVISIONS = f"""select {REVISED} from revisions
where ($model is null or $model in (model_id, record)) and ($field is null or field = $field)
    and ($factor is null or greatest(ratio, 1 / ratio) >= $factor)
order by to_snapshot desc, model_id, field"""


@click.command()
@click.argument("text")
@limit_option("Show at most N models.", least=0, default=20, show_default=True)
@form_options("csv", "json")
@version_option
def search(text: str, limit: int, form: str | None, version: str | None) -> None:
    """Find models that match TEXT, best match first. TEXT is a name or part of it, a developer, arXiv id, DOI or link.

    Example: traincompute search "openai whisper"
    """
    from traincompute.names.resolve import SEARCH, folded

    asked = {"text": folded(text), "limit": limit + 1}
    run_query(dataset_folder(version), SEARCH, form or "table", asked, human=not form, limit=limit)


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="FILE.csv | NAME...")
@click.option("--column", metavar="NAME", help="Column in FILE.csv that contains the names.")
@click.option("--add", multiple=True, default=ADDED, metavar="COLUMN", help="Add a column from models or predictions.")
@click.option("--to", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), help="Write to FILE.")
@version_option
def match(names: Sequence[str], column: str | None, add: Sequence[str], to: Path | None, version: str | None) -> None:
    """Find the model for each NAME, or for each name in a column of FILE.csv, and print the result as CSV.

    The output adds these columns: model_id, name, how (the kind of match: exact, normalised, alias, unique part,
    ambiguous, base or none), candidates, base_model_id (the base of a fine-tune that is not in the dataset), taken_off
    (the words in the name that were ignored), and the columns from --add.

    The command does not guess. If a name does not match exactly one model, the command prints the candidates to
    standard error, and the exit code is 1.

    Example: traincompute match "GPT-4" "llama 3.1 405b" "Claude Opus 4.5 (thinking-32k)"
    """
    from traincompute.database import open_database
    from traincompute.names.resolve import NOTHING, resolve
    from traincompute.query.run import run

    header, table = _read(names, column)
    place = header.index(column) if column else 0
    columns = ", ".join('"{}"'.format(name.replace('"', '""')) for name in add)
    query = f"""select model_id, {columns} from models left join predictions using (model_id)
        where list_contains($ids::varchar[], model_id)"""
    with open_database(dataset_folder(version)) as connection:
        answers = resolve(connection, [row[place] for row in table])
        added = run(connection, query, {"ids": [row["model_id"] for row in answers]}).rows
        cells = {model_id: values for model_id, *values in added}
        report = _report(connection, answers)
    writer = csv.writer(text := io.StringIO(), lineterminator="\n")
    # a column of the same name is the user's own
    writer.writerow([*header, *(f"traincompute_{name}" if name in header else name for name in (*NOTHING, *add))])
    for row, answer in zip(table, answers, strict=True):
        values = cells.get(answer["model_id"], [None] * len(add))
        writer.writerow(map(csv_text, (*row, *map(answer.get, NOTHING), *values)))
    if to and str(to) != "-":
        with whole_file(to) as file:
            file.write_text(text.getvalue(), encoding="utf-8")
    else:
        click.echo(text.getvalue(), nl=False)
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
    if len(names) > 1:
        raise click.UsageError(f"give {file} alone, or names")
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


def _report(connection: Any, answers: Sequence[dict[str, Any]]) -> list[str]:
    """How many names were matched how surely; then each that stands for no one model, once, and what it could be."""
    from traincompute.names.resolve import HOW, search

    counts = (f"{sum(row['how'] == how for row in answers)} {how}" for how in HOW)
    lines = [f"{len(answers)} names: {', '.join(counts)}"]
    for asked, row in {row["asked"]: row for row in answers if not row["model_id"]}.items():
        ids, said = row["candidates"], "no model"
        if row["base_model_id"]:
            said += f"; made from {row['base_model_id']}, by its name"
        elif row["how"] == "ambiguous":
            said = f"ambiguous: {', '.join(ids[:6])}" + (f" and {len(ids) - 6} more" if ids[6:] else "")
        else:
            alike = search(connection, asked, 3) if len(lines) <= MOST_SEARCHED else []
            near = list(dict.fromkeys([*ids, *(model["model_id"] for model in alike)]))[:3]
            said += f"; did you mean {' or '.join(near)}?" if near else ""
        lines.append(f"{asked}: {said}")
    return lines


@click.command()
@click.argument("model")
@version_option
@click.option("--full", is_flag=True, help="Print all lines, not only the first twelve.")
@click.option("--field", metavar="NAME", help="Show only this field, with every claim and the full explanations.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def explain(model: str, version: str | None, full: bool, field: str | None, as_json: bool) -> None:
    """Show where each figure for MODEL comes from: who states it, who states a different value, and what we computed.

    MODEL is an id, a name, an alias that a source uses, or the beginning of any of these.

    Example: traincompute explain gpt-3 --field training_compute_flop
    """
    from traincompute import explain as told
    from traincompute.database import open_database
    from traincompute.names.resolve import find_model

    with open_database(dataset_folder(version)) as connection:
        model_id, note = find_model(connection, model)
        is_brief = not (full or field or as_json)
        known = next(told.collect_each(connection, [model_id], is_brief)) | {"note": note}
        chosen = told.one_field(known, field) if field else None
    if as_json:
        click.echo(json.dumps(chosen or known, default=str, ensure_ascii=False, indent=1))
        return
    width = text_width()

    def wrapped(text: str, first: str, indent: int) -> str:
        return textwrap.fill(text, width, initial_indent=first, subsequent_indent=" " * indent, break_on_hyphens=False)

    for line in told.heading(known):
        click.echo(wrapped(line, "", 2))
    for label, says in told.brief_lines(known) if not chosen or chosen["field"] == told.FLOP else []:
        first = f"  {label:<10}  "
        click.echo(clip(first + says, width) if is_brief else wrapped(says, first, len(first)))
    for title, table in ({} if is_brief else told.sections(known, chosen)).items():
        if table:
            click.echo(f"\n{title}")
            print_rows([row for row, _ in table], indent="  ", below=[wrapped(text, "    ", 4) for _, text in table])


@click.command()
@click.argument("model", required=False)
@click.option("--field", metavar="NAME", help="Show only this field, such as training_compute_flop.")
@click.option("--factor", type=click.FloatRange(min=1), metavar="X", help="Show only changes by a factor of X or more.")
@limit_option("Show only the N newest changes.", least=0, default=50, show_default=True)
@form_options("csv", "json")
@version_option
def revisions(model: str | None, form: str | None, version: str | None, limit: int, **asked: object) -> None:
    """Show which values the sources changed between snapshots, for all models or for MODEL (a model_id or name).

    Example: traincompute revisions gpt-4o --field training_compute_flop
    """
    from traincompute.database import open_database, rows
    from traincompute.names.resolve import find_model

    folder = dataset_folder(version)
    if model:
        with open_database(folder) as connection:  # the model of a record that is gone has no other name
            known = rows(connection, "select 1 from revisions where $1 in (model_id, record) limit 1", model)
            model = model if known else find_model(connection, model)[0]
    run_query(folder, REVISIONS, form or "table", {"model": model, **asked}, limit=limit)
