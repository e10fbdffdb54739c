"""`traincompute revisions`: what sources changed between snapshots, for one model or for all."""

from __future__ import annotations

import click

from traincompute.commands.options import data_option, dataset_folder, form_options, limit_option
from traincompute.commands.sql import run_query

COLUMNS = "model_id, field, kind, old_text, new_text, ratio, source_id, from_snapshot, to_snapshot"
QUERY = f"""select {COLUMNS} from revisions
where ($model is null or $model in (model_id, record)) and ($field is null or field = $field)
    and ($factor is null or greatest(ratio, 1 / ratio) >= $factor)
order by to_snapshot desc, model_id, field limit $limit"""


@click.command()
@click.argument("model", required=False)
@click.option("--field", metavar="NAME", help="Only this field, such as training_compute_flop.")
@click.option("--factor", type=click.FloatRange(min=1), metavar="X", help="Only changes by at least this factor.")
@limit_option("Newest N rows.", least=0, default=50, show_default=True)
@form_options("csv", "json")
@data_option
def revisions(model: str | None, form: str | None, data: str | None, **asked: object) -> None:
    """Show what sources changed between their snapshots, of one MODEL (its model_id or name) or of all.

    Example: traincompute revisions gpt-4o --field training_compute_flop
    """
    from traincompute.database import open_database
    from traincompute.explain.lookup import find_model
    from traincompute.query.rows import rows

    folder = dataset_folder(data)
    if model:
        with open_database(folder) as connection:  # the model of a record that is gone has no other name
            known = rows(connection, "select 1 from revisions where $1 in (model_id, record) limit 1", model)
            model = model if known else find_model(connection, model)[0]
    run_query(folder, QUERY, form or "table", {"model": model, **asked})
