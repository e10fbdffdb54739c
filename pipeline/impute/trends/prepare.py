"""The models as trends see them: dated, with published values only, and with decimal year, rank and eras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import is_in
from pipeline.impute import eras
from traincompute.base.quantiles import QUANTILES
from traincompute.thresholds import BOUNDS

YEAR_DAYS = 365.2425
DISTRIBUTION = ["tier", *QUANTILES, *BOUNDS]  # of training_compute_flop, in predictions
QUANTITIES = {
    "training_compute_flop": "FLOP",
    "parameters": "parameter",
    "training_tokens": "token",
    "training_cost_usd": "USD",
    "training_power_w": "W",
    "hardware_quantity": "chip",
}
INTERVALS = ("training_compute_flop", "training_cost_usd", "training_power_w")  # the quantities that have one


def interval_of(quantity: str) -> list[str]:
    """The columns with the lower and the upper end of a quantity's interval, if it has one."""
    return [f"{quantity.removesuffix('_flop')}_{end}" for end in ("low", "high") if quantity in INTERVALS]


COLUMNS = ["model_id", "publication_date", "is_notable", "is_frontier_upstream", "domains", "countries",
           "organizations", "training_run_id", "training_compute_confidence", *QUANTITIES,
           *(end for quantity in QUANTITIES for end in interval_of(quantity))]  # fmt: skip


def prepare(tables: Mapping[str, pd.DataFrame], about: Mapping[str, Any]) -> pd.DataFrame:
    """Dated models with `year` and, for those with published FLOP, `frontier_rank`, `era_compute` and `era_economic`.

    Reads models, supercomputers and, if present, estimates and predictions, whose columns DISTRIBUTION are added;
    `about` has the constants of the eras. Values that were estimated here are left out: a trend through them would
    partly be a trend through the method. Ranks and eras are those among notable models; in a vintage from before the
    notable file existed, among all models. Models without a training_run_id are left
    out; where none has one, each is a run of its own."""
    found = tables["models"].reindex(columns=COLUMNS)
    if "estimates" in tables:
        chosen = tables["estimates"][["model_id", "field", "value", "is_selected"]]
        chosen = chosen[chosen["is_selected"].to_numpy(dtype="bool") & chosen["value"].notna().to_numpy()]
        for field, rows in chosen[chosen["field"].isin(list(QUANTITIES))].groupby("field"):
            found[field] = found[field].mask(is_in(found["model_id"], rows["model_id"]))
    if "predictions" in tables:
        found = found.merge(tables["predictions"][["model_id", *DISTRIBUTION]], on="model_id", how="left")
    if found["training_run_id"].notna().any():
        found = found[found["training_run_id"].notna()]
    found = found[found["publication_date"].notna()].reset_index(drop=True)
    run = found["training_run_id"].astype("str").fillna(found["model_id"])
    date, flop = found["publication_date"].to_numpy().astype("datetime64[D]"), found["training_compute_flop"].to_numpy()
    counted = notable_or_all(found["is_notable"]).to_numpy() & ~np.isnan(flop)
    lists = tables.get("supercomputers", pd.DataFrame({"list_date": [], "rmax_first": []}))
    compared = eras.among_all(date, flop, counted, counted, run.to_numpy(dtype=object), lists, about)
    return found.assign(
        year=decimal_year(found["publication_date"]),
        training_run_id=run,
        frontier_rank=compared["frontier_rank"],
        **{era: pd.Series(compared[era], dtype="str").where(counted) for era in ("era_compute", "era_economic")},
    )


def notable_or_all(is_notable: pd.Series) -> pd.Series:
    """Which models are notable; all of them if the vintage has no notable file."""
    notable = is_notable.fillna(False).astype(bool)
    return notable if notable.any() else ~notable


def decimal_year(dates: pd.Series) -> pd.Series:
    """Dates as decimal years: 1970 + days since 1970-01-01 / 365.2425."""
    return 1970 + (dates - pd.Timestamp("1970-01-01")).dt.days / YEAR_DAYS
