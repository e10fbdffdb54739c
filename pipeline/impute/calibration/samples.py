"""What a calibration learns from: the predictions of every method with their errors, and what bears on them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.calibration.material import PHYSICAL, PREDICTED, Material
from pipeline.impute.flop import conformal, residual_forest
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.estimate_intervals import uncertainty_features
from pipeline.impute.flop.methods import base_model, capability_index, forward_pass, statistical
from pipeline.impute.flop.methods.features import Columns


def samples(material: Material, calibrated: Calibrated) -> tuple[pd.DataFrame, Columns]:
    """The predictions of every method (PREDICTED, what is known about the model, taken, needed, error_dex, weight), and
    what the forest of residuals looks at."""
    regression = statistical.predict(material.rows, material.bases, calibrated.coefficients)
    regression = regression.assign(model_id=material.rows["model_id"], method=statistical.METHOD, taken=False)
    index = capability_index.predict(material.rows, calibrated.coefficients).dropna(subset="value")
    index = index.assign(
        model_id=material.rows["model_id"].loc[index.index], method=capability_index.METHOD, taken=False
    )
    # an empty one would change the types of the columns
    parts = [part for part in (material.physical, regression, index) if len(part)]
    made = pd.concat(parts, ignore_index=True).reindex(columns=[*PREDICTED, "taken"])
    made = made.join(material.about, on="model_id")
    estimated = made["model_id"].isin(made.loc[made["taken"].astype("bool"), "model_id"])
    indexed = made["model_id"].isin(index["model_id"]) & made["method"].eq(statistical.METHOD)
    needed = made["taken"].astype("bool") | (~made["method"].isin(PHYSICAL) & ~estimated & ~indexed)
    error = log10(made["value"] / made["published"].mask(made["assumptions"] == forward_pass.READ, made["settled"]))
    made = made.assign(error_dex=error, needed=needed)
    values = {method: _by_row(made, method, material.rows) for method in (*PHYSICAL, statistical.METHOD)}
    seen = uncertainty_features(material.rows, material.own, values, calibrated.opinions)
    return made, residual_forest.columns(made, seen)


def _by_row(made: pd.DataFrame, method: str, rows: pd.DataFrame) -> pd.Series:
    value = made[made["method"] == method].set_index("model_id")["value"]
    return value.reindex(rows["model_id"]).set_axis(rows.index)


def make_table(material: Material, made: pd.DataFrame, some: np.ndarray) -> pd.DataFrame:
    """The errors of each kind of estimate, and how far above its base a model lies of which no more is known."""
    about = material.about
    above = pd.Series(log10(about["published"].reindex(material.alone.index) / material.alone))
    allowed = above.index.isin(made.loc[some, "model_id"]) & (above > -conformal.LEAST_DEX)  # else its base is left out
    above = above[allowed].clip(lower=0)
    alone = pd.DataFrame(
        {"model_id": above.index, "method": base_model.METHOD, "assumptions": base_model.ALONE,
         "error_dex": above.to_numpy(), "weight": 1.0}
    )  # fmt: skip
    own = conformal.make_intervals(made[some])
    if len(alone) < conformal.LEAST_ROWS:
        return own
    return pd.concat([own, conformal.make_intervals(alone).query("assumptions != ''")], ignore_index=True)
