"""What `traincompute trends` and `thresholds` ask a checkout for: rows as of a day, of a vintage made in memory,
and projections."""

from __future__ import annotations

from datetime import date
from typing import Any

import click
import pandas as pd

from pipeline.config import load_config
from pipeline.frames import Tables, load_frame
from pipeline.impute.stage import with_estimates
from pipeline.impute.trends import table
from pipeline.impute.trends.completed import complete
from pipeline.impute.trends.prepare import prepare
from pipeline.normalize.stage import normalize_tables
from pipeline.paths import checkout
from traincompute.thresholds import COLUMNS

FITTED = ("models", "estimates", "predictions", "supercomputers")  # the tables that trends are fitted to


def threshold_models(as_of: date) -> pd.DataFrame:
    """The columns that `traincompute thresholds` counts, of the dataset as it stood on a day."""
    tables = _tables(as_of)
    return tables["models"].merge(tables["predictions"], on="model_id")[COLUMNS]


def trend_rows(as_of: date | None, quantity: str, until: date | None) -> list[dict[str, Any]]:
    """The rows of the table trends for a quantity, with a projection if a day is given."""
    models = trend_models(as_of)
    everything = complete(models) if quantity == table.COMPLETED else None
    return table.quantity_rows(models, quantity, everything, until)


def assumptions() -> list[str]:
    """What a projection takes for granted."""
    return list(table.ASSUMPTIONS)


def trend_models(as_of: date | None) -> pd.DataFrame:
    """The models of the build, or of a vintage, as trends are fitted to them."""
    return prepare(_tables(as_of), load_config(checkout()).constants["eras"])


def _tables(as_of: date | None) -> Tables:
    """The tables with estimates as they stood on a day, made in memory; those of the build if none is given."""
    context = load_config(checkout())
    if as_of:
        return with_estimates(context, normalize_tables(context, as_of))
    folder = context.paths.processed
    if not (folder / "models.parquet").exists():
        raise click.ClickException("there is no built dataset; run `traincompute build` first, or give --as-of")
    remedy = "run `traincompute build --force`"
    return {name: load_frame(folder / f"{name}.parquet", name, context.schemas[name], remedy) for name in FITTED}
