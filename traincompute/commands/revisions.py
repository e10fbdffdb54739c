"""`traincompute revisions`: what sources changed between snapshots, for one model or for all."""

from __future__ import annotations

import click

from traincompute.commands.options import data_option, dataset_folder
from traincompute.commands.sql import run_query

COLUMNS = "model_id, field, kind, old_text, new_text, ratio, source_id, from_snapshot, to_snapshot"


@click.command()
@click.argument("model", required=False)
@click.option("--field", metavar="NAME", help="Only this field, such as training_compute_flop.")
@click.option("--factor", type=click.FloatRange(min=1), metavar="X", help="Only changes by at least this factor.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", default=50, show_default=True, help="Newest N rows.")
@data_option
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one list of rows.")
def revisions(
    model: str | None, field: str | None, factor: float | None, limit: int, data: str | None, form: str | None
) -> None:
    """Show what sources changed between their snapshots, of one MODEL (its model_id or name) or of all.

    Example: traincompute revisions gpt-4o --field training_compute_flop
    """
    from traincompute.database import open_database
    from traincompute.explain.lookup import find_model
    from traincompute.query.rows import rows

    folder = dataset_folder(data)
    if model:
        with open_database(folder) as connection:  # the model of a record that is gone has no other name
            known = rows(connection, "select 1 from revisions where model_id = $1 or record = $1 limit 1", model)
            model = model if known else find_model(connection, model)[0]
    asked = {"model": model, "field": field, "factor": factor}
    conditions = {
        "model": "(model_id = $model or record = $model)",
        "field": "field = $field",
        "factor": "greatest(ratio, 1 / ratio) >= $factor",
    }
    given = {name: value for name, value in asked.items() if value}
    where = " and ".join(conditions[name] for name in given) or "true"
    query = f"select {COLUMNS} from revisions where {where} order by to_snapshot desc, model_id, field limit {limit}"
    run_query(folder, query, form or "table", given)
