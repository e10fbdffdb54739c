"""One calibration: regression, second opinion, errors of each kind and forest of residuals, fitted to some of the models
with a published value and applied to others.

No model is predicted from those of its own owner (features.groups). The forest of residuals learns from errors of
predictors that had not seen the model either.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.calibration.copies import with_copies
from pipeline.impute.calibration.grow import Rows, grow_opinions, grow_spreads
from pipeline.impute.calibration.interval_scale import scaled, scales
from pipeline.impute.calibration.material import Material
from pipeline.impute.calibration.samples import make_table, samples
from pipeline.impute.flop import conformal, estimate_intervals, residual_forest
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.methods import capability_index, statistical
from pipeline.impute.flop.methods.features import STARTS
from pipeline.impute.flop.predictions import BASE, ESTIMATED, KIND, SIZE


def fit(material: Material, train: np.ndarray) -> Calibrated:
    """The calibration from the models for which `train` (in the order of the rows) is true."""
    material, train = with_copies(material), np.tile(train, 2)
    rows, about, allowed = material.rows, material.about, pd.Series(train, index=material.rows.index)
    fold, share = about["fold"].to_numpy(), about["share"].to_numpy()
    coefficients = pd.concat(
        [statistical.fit(rows, material.bases, allowed * share), capability_index.fit(rows, allowed)]
    )
    dex = log10(about["published"].to_numpy())
    opinions = grow_opinions(Rows(material.own, dex, share, fold, train))
    first = Calibrated(coefficients, conformal.empty(), opinions, pd.DataFrame())
    made, seen = samples(material, first)
    some = made["model_id"].isin(about.index[train]).to_numpy() & made["error_dex"].notna().to_numpy()
    alone = made["method"].eq(capability_index.METHOD).to_numpy()
    spreads = grow_spreads(
        Rows(seen, -made["error_dex"].to_numpy(), made["weight"].to_numpy(), made["fold"].to_numpy(), some & ~alone)
    )
    table = make_table(material, made, some)
    stretch = scaled(table).map(scales(material, made, seen, some, spreads)).fillna(1.0)
    stretch = stretch.mask(table["method"] == capability_index.METHOD, capability_index.WIDER)
    return Calibrated(coefficients, table.assign(scale=stretch), opinions, spreads)


def judge(material: Material, calibrated: Calibrated, test: np.ndarray) -> pd.DataFrame:
    """The predictions of every method on the models for which `test` is true, with low, quantile_25, _50, _75 and high
    in dex from the value, and the tier: what the estimate rests on, null where it is not needed."""
    made, seen = samples(material, calibrated)
    use = made["model_id"].isin(material.about.index[test]).to_numpy()
    made, fold = made[use], made.loc[use, "fold"].to_numpy()
    found = residual_forest.quantiles(
        made, {name: values[use] for name, values in seen.items()}, fold, calibrated.spreads, calibrated.intervals
    )
    made = made.join(estimate_intervals.in_order(found, made["inputs_dex"]))
    start = made["assumptions"].eq(STARTS[-1]).map({True: KIND, False: SIZE})
    tier = start.where(made["method"].isin([statistical.METHOD, capability_index.METHOD]), ESTIMATED).where(
        made["needed"]
    )
    return _from_base(made.assign(tier=tier.astype("Int64")), material.alone, calibrated)


def _from_base(made: pd.DataFrame, alone: pd.Series, calibrated: Calibrated) -> pd.DataFrame:
    """The same with the interval from the base's compute up where that alone is known and an estimate is needed."""
    up = estimate_intervals.above_base(calibrated.intervals)
    mask = made["model_id"].isin(alone.index) & made["tier"].isin([SIZE, KIND])
    if not up or not mask.any():
        return made
    base = pd.Series(log10(made["model_id"].map(alone) / made["value"]))
    moved = {name: (base + distance).where(mask, made[name]) for name, distance in up.items()}
    return made.assign(**moved, tier=made["tier"].mask(mask, BASE))
