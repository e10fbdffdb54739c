"""What bears on how sure an estimate of a model is: what is known of it, and what the other predictors say."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.flop.methods import hardware, operation_count, second_opinion, statistical
from pipeline.impute.flop.methods.features import Columns, folds
from pipeline.impute.flop.residual_forest import OWN

PREDICTORS = {"regression": statistical.METHOD, operation_count.METHOD: operation_count.METHOD,
              hardware.METHOD: hardware.METHOD}  # fmt: skip


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
