"""`traincompute thresholds`: how many training runs are above a threshold of compute."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import TYPE_CHECKING

import click

from traincompute.commands.options import DAY, as_of_option, data_option, dataset_folder
from traincompute.needs import builder_of

if TYPE_CHECKING:
    import pandas as pd

PARTS = {
    "published": "from models with a published value",
    "physical": "by a physical method",
    "base": "from the base's compute alone",
    "index": "by the capability index",
    "size": "by the regression on size, data or chips",
    "kind": "by the regression on date and kind",
}


@click.command()
@click.argument("threshold", type=float)
@data_option
@as_of_option("Count in the dataset as it stood on that day.")
@click.option("--until", type=DAY, metavar="DATE", help="Only models published until that day.")
@click.option("--all", "everything", is_flag=True, help="All models, not the notable ones alone.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the probability of every model.")
def thresholds(
    threshold: float, data: str | None, as_of: date | None, until: datetime | None, everything: bool, as_json: bool
) -> None:
    """Count the training runs with at least THRESHOLD FLOP: by their values, and by the number expected over the
    distributions of all models. Models that came out of one run count once; their number is shown beside it.

    Example: traincompute thresholds 1e25
    """
    import pandas as pd

    from traincompute.thresholds import parts_of, report

    if not 0 < threshold < float("inf"):
        raise click.BadParameter(
            f"{threshold:g} is no number of FLOP above 0; give one such as 1e25", param_hint="THRESHOLD"
        )
    if as_of and data:
        raise click.UsageError("give --as-of, or one of --data and --version, not both")
    models = builder_of("--as-of").threshold_models(as_of) if as_of else published_models(data)
    chosen = models if everything else models[models["is_notable"].astype("bool")]
    if until:
        chosen = chosen[chosen["publication_date"] <= pd.Timestamp(until)]
    found = report(chosen, threshold, until, models["publication_date"].max())
    if as_json:
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    click.echo(f"training runs {'of all' if everything else 'of notable'} models with at least {threshold:g} FLOP")
    for row in found["by_year"]:
        click.echo(
            "until {published_until}  {runs:4d} by value ({models} models), {published_values} of them published  "
            "{expected_runs:6.1f} expected, 90 % between {low_90} and {high_90}".format(**row)
        )
    for row in found["by_year"][-1:]:
        parts = parts_of(row)
        shares = (f"{parts[name]:.1f} {text}" for name, text in PARTS.items())
        click.echo(f"of the {row['expected_runs']:.1f}: {', '.join(shares)}")
        if row["published_until"] == found["data_reach_to"]:
            click.echo(
                f"the data reach to {found['data_reach_to']}, the day of their last model: that year is not over"
            )


def published_models(data: str | None) -> pd.DataFrame:
    """The columns that count, of a built dataset. Raises click.ClickException where there is none."""
    from traincompute.database import open_database
    from traincompute.query.rows import holds
    from traincompute.thresholds import COLUMNS

    with open_database(dataset_folder(data)) as connection:
        if not holds(connection, "predictions"):
            raise click.ClickException("this dataset has no table predictions: it was made by an earlier version")
        present = f"columns('^({'|'.join(COLUMNS)})$')"
        return connection.execute(f"select {present} from models join predictions using (model_id)").df()
