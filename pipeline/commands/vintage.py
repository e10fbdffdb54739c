"""What `thresholds` and `trends` cannot read from a dataset: another vintage, made in memory, and projections."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import click

from pipeline.base.paths import checkout

if TYPE_CHECKING:
    import pandas as pd


def threshold_models(as_of: date) -> pd.DataFrame:
    """The columns that `traincompute thresholds` counts, of the dataset as it stood on a day."""
    from pipeline.impute.stage import with_estimates
    from pipeline.normalize.stage import normalize_tables
    from pipeline.registry.context import load_context
    from traincompute.thresholds import COLUMNS

    context = load_context(checkout())
    made = with_estimates(context, normalize_tables(context, as_of))
    return made["models"].merge(made["predictions"], on="model_id")[COLUMNS]


def trend_rows(as_of: date | None, quantity: str, until: date | None) -> list[dict[str, Any]]:
    """The rows of the table trends for a quantity, of the build or of a vintage, with a projection if a day is
    given."""
    from pipeline.impute.trends import series, table
    from pipeline.impute.trends.completed import complete
    from pipeline.impute.trends.project import project

    models = load_models(as_of)
    rows = table.quantity_rows(models, quantity, complete(models) if quantity == table.COMPLETED else None)
    if not (until and rows):
        return rows
    points = series.make_points(models, quantity)
    named = series.make_groups(points, quantity in series.MEMBER_QUANTITIES)
    groups = {key: group.runs for key, group in named.items()}
    ahead = project(points, groups, table.lines_of(points, groups), until)
    return [{**row, "projected": found} for row, found in zip(rows, ahead, strict=True)]


def assumptions() -> list[str]:
    """What a projection takes for granted."""
    from pipeline.impute.trends.project import ASSUMPTIONS

    return list(ASSUMPTIONS)


def load_models(as_of: date | None) -> pd.DataFrame:
    """The prepared models of the built dataset, or of a vintage that is made in memory."""
    from pipeline.impute.stage import with_estimates
    from pipeline.impute.trends.prepare import prepare
    from pipeline.normalize.stage import normalize_tables
    from pipeline.registry.constants import load_constants
    from pipeline.registry.context import load_context
    from pipeline.registry.frames import from_arrow

    paths = checkout()
    context, about = load_context(paths), load_constants(paths)["eras"]
    if as_of:
        return prepare(with_estimates(context, normalize_tables(context, as_of)), about)
    if not (paths.processed / "models.parquet").exists():
        raise click.ClickException("there is no built dataset; run `traincompute build` first, or give --as-of")
    from pyarrow import parquet

    names = ("models", "estimates", "predictions", "supercomputers")
    read = {name: parquet.read_table(paths.processed / f"{name}.parquet") for name in names}
    return prepare({name: from_arrow(data, context.schemas[name]) for name, data in read.items()}, about)
