"""The intervals and quantiles of estimates: `low`, quantile_25, _50, _75 and `high`, in FLOP or in dex from the value."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.flop import conformal, formulas, residual_forest
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.conformal import POINTS
from pipeline.impute.flop.methods import base_model, hardware, operation_count, second_opinion, statistical
from pipeline.impute.flop.methods.features import Columns, folds
from pipeline.impute.flop.residual_forest import OWN
from pipeline.impute.flop.result import rounded

MIDDLE = {f"quantile_{level}": f"dex_{level}" for level in (25, 50, 75)}
PREDICTORS = {"regression": statistical.METHOD, operation_count.METHOD: operation_count.METHOD,
              hardware.METHOD: hardware.METHOD}  # fmt: skip


def with_quantiles(made: pd.DataFrame, about: pd.DataFrame, calibrated: Calibrated) -> pd.DataFrame:
    """The estimates (model_id, method, assumptions, value, low, high, inputs_dex) with quantiles, and with low and high
    replaced, where a calibrated method has a value; bounds stay. `about` as uncertainty_features gives it."""
    known = made[made["value"].notna() & made["method"].isin(residual_forest.METHODS)]
    seen, fold = residual_forest.columns(known, about), about["fold"].reindex(known["model_id"]).to_numpy()
    found = residual_forest.quantiles(known, seen, fold, calibrated.spreads, calibrated.intervals)
    dex = in_order(found, known["inputs_dex"])
    flop = {name: rounded(formulas.upper(known["value"], dex[name])) for name in dex}
    new = pd.DataFrame(flop).reindex(made.index)
    return made.assign(**new.where(new.notna(), made.reindex(columns=new.columns)))


def in_order(found: pd.DataFrame, inputs_dex: pd.Series) -> pd.DataFrame:
    """low, MIDDLE and high in dex from the value, which lies between low and high."""
    ends = residual_forest.ends(found, inputs_dex)
    middle = found[list(MIDDLE.values())].set_axis(list(MIDDLE), axis=1)
    return ends.join(middle.clip(ends["low"], ends["high"], axis=0))


def above_base(table: pd.DataFrame) -> dict[str, float]:
    """low, MIDDLE and high in dex above the base's compute; empty where too few models with a value are of this kind."""
    line = table[table["assumptions"] == base_model.ALONE]
    if line.empty:
        return {}
    errors = line[POINTS].to_numpy()[0]
    found = {name: float(np.interp(int(name[-2:]) / 100, conformal.SHARES, errors)) for name in MIDDLE}
    return {"low": 0.0, **found, "high": float(line["half_width_90"].iloc[0])}


def uncertainty_features(
    rows: pd.DataFrame, own: Columns, values: Mapping[str, pd.Series], opinions: pd.DataFrame
) -> pd.DataFrame:
    """By model_id: `fold`, log10 FLOP of the regression, the physical methods and the `second` opinion (null where one
    says nothing), `second_spread`, and the columns spread.OWN. `own` as second_opinion.own_columns gives it, `values` the
    FLOP by method and the index of `rows`, `opinions` the trees."""
    second, spread = second_opinion.opinions(rows, own, opinions)
    said = {name: log10(values[method].to_numpy()) for name, method in PREDICTORS.items()}
    known = {name: own[name] for name in OWN}
    about = {"fold": folds(rows), "second": second, "second_spread": spread, **said, **known}
    return pd.DataFrame(about, index=pd.Index(rows["model_id"]))
