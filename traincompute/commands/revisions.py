"""`traincompute revisions`: what sources changed between snapshots, for one model or for all."""

from __future__ import annotations

import click

from traincompute.commands.options import data_option, dataset_folder
from traincompute.commands.sql import run_query

COLUMNS = "model_id, field, kind, old_text, new_text, ratio, source_id, from_snapshot, to_snapshot"


@click.command()
@click.argument("model", required=False)
@click.option("--field", metavar="NAME", help="Only this field, such as training_compute_flop.")
@click.option(
    "--factor", type=click.FloatRange(min=1), metavar="X", help="Only values that changed by at least this factor."
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    default=50,
    show_default=True,
    help="Show at most N rows, the newest first.",
)
@data_option
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one list of rows.")
def revisions(
    model: str | None, field: str | None, factor: float | None, limit: int, data: str | None, form: str | None
) -> None:
    """Show what sources changed between their snapshots, of one MODEL (its model_id or name) or of all.

    Example: traincompute revisions gpt-4o --field training_compute_flop
    """
    file, conditions = dataset_folder(data), dict[str, object]()
    if model:
        conditions["(model_id = $model or record = $model)"] = _known(file, model)
    if field:
        conditions["field = $field"] = field
    if factor:
        conditions["greatest(ratio, 1 / ratio) >= $factor"] = factor
    where = " and ".join(conditions) or "true"
    query = f"select {COLUMNS} from revisions where {where} order by to_snapshot desc, model_id, field limit {limit}"
    names = [name for name, value in (("model", model), ("field", field), ("factor", factor)) if value]
    run_query(file, query, form or "table", dict(zip(names, conditions.values(), strict=True)))


def _known(file: str, model: str) -> str:
    """The model_id or name that revisions have, which may be of a record that is gone. Raises click.ClickException for
    one that nobody knows."""
    from traincompute.database import open_database
    from traincompute.explain.lookup import find_model
    from traincompute.query.rows import rows

    with open_database(file) as connection:
        known = rows(connection, "select 1 from revisions where model_id = $1 or record = $1 limit 1", model)
        return model if known else find_model(connection, model)[0]
