"""What the dates of papers change (normalize/first_shown.py): frontier ranks, eras and the growth of compute with the dates as
the databases have them, and with ours."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from pipeline.impute.derive.columns import among_all
from pipeline.present.docs.markdown import row
from pipeline.registry.constants import Constants

MODELS = """select m.*, coalesce(b.day, m.publication_date) as day from models m left join (
    select model_id, arg_min(try_cast(code as date), source_id <> 'epoch_notable') as day from claims
    where field = 'publication_date' and reason_code = 'replaced' and reason like 'its paper has the number%'
    group by model_id) b using (model_id) order by model_id"""
SINCE = ("2010-01-01", "2018-01-01")  # the growth is told since these days
LISTED = 30  # a rank beyond it, before and after, is not listed
HEAD = """
## Dates

Databases give many models the day of a later version of their paper; we date them by the first
([publication_date](data-dictionary.md)). {moved} models are dated otherwise than upstream, {notable} of them notable. The era by
compute changes for {eras} models. Models whose frontier rank was or is at most {listed}, and changes:

| model | date upstream | date here | rank before | rank now |
|---|---|---|---|---|
"""
GROWTH = "\n| compute of notable models, published values, since | growth per year before | now |\n|---|---|---|\n"


def moved_dates(database: Path, constants: Constants) -> str:
    """The section of docs/errata.md as Markdown."""
    with duckdb.connect(database, read_only=True) as connection:
        models = connection.sql(MODELS).df()
    before, now = (_compared(models, column, constants) for column in ("day", "publication_date"))
    moved = models["day"].notna() & (models["day"] != models["publication_date"])
    told = {"moved": moved.sum(), "notable": (moved & models["is_notable"]).sum(), "listed": LISTED}
    eras = int((before["era_compute"].fillna("") != now["era_compute"].fillna("")).sum())
    ranks = pd.DataFrame({"before": before["frontier_rank"], "now": now["frontier_rank"]})
    shown = (ranks.min(axis=1) <= LISTED) & (ranks["before"] != ranks["now"])
    return HEAD.format(**told, eras=eras) + "".join(_rows(models[shown], ranks[shown])) + GROWTH + _growth(models)


def _compared(models: pd.DataFrame, dates: str, constants: Constants) -> pd.DataFrame:
    dated = models.assign(publication_date=pd.to_datetime(models[dates]))
    return pd.DataFrame(among_all(dated, models["training_run_id"].to_numpy(dtype=object), constants))


def _rows(models: pd.DataFrame, ranks: pd.DataFrame) -> list[str]:
    joined = models.assign(**ranks).dropna(subset=["before", "now"]).sort_values(["now", "model_id"])
    days = [pd.to_datetime(joined[name]).dt.strftime("%Y-%m-%d") for name in ("day", "publication_date")]
    places = [joined[name].astype("int64").astype("str") for name in ("before", "now")]
    return [row(*cells) for cells in zip(joined["name"], *days, *places, strict=True)]


def _growth(models: pd.DataFrame) -> str:
    stated = models["training_compute_source"].notna() & (models["training_compute_source"] != "imputed")
    of = models[stated & models["is_notable"] & models["publication_date"].notna()]
    return "".join(
        row(day, *(f"{_per_year(of, name, day):.3f} ×" for name in ("day", "publication_date"))) for day in SINCE
    )


def _per_year(models: pd.DataFrame, dates: str, since: str) -> float:
    """The factor per year of the least-squares line through the logarithms."""
    days = pd.to_datetime(models[dates])
    chosen = days >= pd.Timestamp(since)
    years = (days[chosen] - pd.Timestamp(since)).dt.days.to_numpy() / 365.25
    slope = np.polyfit(years, np.log10(models.loc[chosen, "training_compute_flop"].to_numpy()), 1)[0]
    return float(10**slope)
