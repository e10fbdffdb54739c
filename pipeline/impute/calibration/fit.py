"""One calibration: regressions, errors of each kind and forest of residuals, fitted to some of the models
with a published value and applied to others.

No model is predicted from those of its own owner (features.folds). The forest of residuals learns from errors of
predictors that had not seen the model either.
"""

import numpy as np
import pandas as pd

from pipeline.impute.calibration.grow import Rows, grow
from pipeline.impute.calibration.material import PHYSICAL, PREDICTED, Material, with_copies
from pipeline.impute.digits import DECIMALS, log10
from pipeline.impute.flop import conformal, residual_forest
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.methods import base_model, capability_index, forward_pass, statistical
from pipeline.impute.flop.methods.features import STARTS, Columns
from pipeline.impute.flop.predictions import BASE, ESTIMATED, KIND, SIZE
from pipeline.impute.flop.residual_forest import uncertainty_features
from pipeline.impute.flop.result import ENDS

SHRINK = 30  # the scale of a method counts like so many models more that have the scale 1
LEAST = 0.1  # a scale is no smaller, however well few models are hit


def fit(material: Material, train: np.ndarray) -> Calibrated:
    """The calibration from the models for which `train` (in the order of the rows) is true."""
    material = with_copies(material)
    train = np.resize(train, len(material.rows))  # and so the copies of each model
    rows, about, allowed = material.rows, material.about, pd.Series(train, index=material.rows.index)
    coefficients = statistical.fit(rows, material.bases, allowed * about["share"].to_numpy())
    made, seen = samples(material, coefficients)
    some = made["model_id"].isin(about.index[train]).to_numpy() & made["error_dex"].notna().to_numpy()
    off, weight, fold = (made[name].to_numpy() for name in ("error_dex", "weight", "fold"))
    spreads = grow(Rows(seen, -off, weight, fold, some))
    table = make_table(material, made, some)
    stretch = scaled(table).map(scales(made, seen, some, spreads, table)).fillna(1.0)
    lines = capability_index.fit(rows, allowed & about["whole"].to_numpy(dtype="bool"))
    return Calibrated(coefficients, lines, table.assign(scale=stretch), spreads)


def judge(material: Material, calibrated: Calibrated, test: np.ndarray) -> pd.DataFrame:
    """The predictions of every method on the models for which `test` is true, with low, quantile_25, _50, _75 and high
    in dex from the value, and the tier: what the estimate rests on, null where it is not needed."""
    made, seen = samples(material, calibrated.coefficients)
    use = made["model_id"].isin(material.about.index[test]).to_numpy()
    made, fold = made[use], made.loc[use, "fold"].to_numpy()
    found = residual_forest.quantiles(
        made, {name: values[use] for name, values in seen.items()}, fold, calibrated.spreads, calibrated.intervals
    )
    made = made.join(residual_forest.in_order(found, made["inputs_dex"]))
    if len(index := _by_index(material, calibrated.capability_index, test)):  # an empty one would change the types
        made = pd.concat([made, index], ignore_index=True)
    taken, regressed = made["taken"].astype("bool"), ~made["method"].isin(PHYSICAL)
    estimated = made["model_id"].isin(made.loc[taken, "model_id"])
    indexed = made["model_id"].isin(made.loc[made["method"] == capability_index.METHOD, "model_id"])
    needed = taken | (regressed & ~estimated & ~(indexed & made["method"].eq(statistical.METHOD)))
    tier = made["assumptions"].eq(STARTS[-1]).map({True: KIND, False: SIZE}).where(regressed, ESTIMATED).where(needed)
    return _from_base(made.assign(tier=tier.astype("Int64")), material.alone, calibrated)


def _by_index(material: Material, lines: pd.DataFrame, test: np.ndarray) -> pd.DataFrame:
    """The predictions by the capability index on the models for which `test` is true, as `judge` gives them."""
    made = capability_index.predict(material.rows[test], lines).dropna(subset="value")
    ids, method = material.rows["model_id"].loc[made.index], capability_index.METHOD
    dex = {name: log10(made[name] / made["value"]).round(residual_forest.DIGITS) for name in ENDS}
    known = made[["assumptions", "value"]].assign(model_id=ids, method=method, taken=False, **dex)
    return known.join(material.about, on="model_id")


def _from_base(made: pd.DataFrame, alone: pd.Series, calibrated: Calibrated) -> pd.DataFrame:
    """The same with the interval from the base's compute up where that alone is known and an estimate is needed."""
    up = residual_forest.above_base(calibrated.intervals)
    mask = made["model_id"].isin(alone.index) & made["tier"].isin([SIZE, KIND])
    if not up or not mask.any():
        return made
    base = pd.Series(log10(made["model_id"].map(alone) / made["value"]))
    moved = {name: (base + distance).where(mask, made[name]) for name, distance in up.items()}
    return made.assign(**moved, tier=made["tier"].mask(mask, BASE))


def scales(
    made: pd.DataFrame, seen: Columns, some: np.ndarray, spreads: pd.DataFrame, table: pd.DataFrame
) -> dict[str, float]:
    """By physical method the factor for distances from the median with which 90 % of the notable models that need it
    lie inside, by trees that were grown without their fold. (For the regression it changes little but the width.)"""
    used = some & made["taken"].to_numpy(dtype="bool") & made["notable"].to_numpy(dtype="bool")
    part, columns = made[used], {name: values[used] for name, values in seen.items()}
    found = residual_forest.quantiles(part, columns, part["fold"].to_numpy(), spreads, table.assign(scale=1.0))
    ratios, scale = pd.Series(_distance(part["error_dex"], found), part.index).dropna(), {}
    for method, group in ratios.groupby(scaled(part)):
        most = max(conformal.weighted_quantile(group.to_numpy(), np.ones(len(group)), 0.9), LEAST)
        scale[str(method)] = round(round(most ** (len(group) / (len(group) + SHRINK)), DECIMALS), conformal.DIGITS)
    return scale


def scaled(made: pd.DataFrame) -> pd.Series:
    """The method, null where errors of the same kind stand alone: they need no scale."""
    return made["method"].mask(made["assumptions"].isin([forward_pass.READ, base_model.ALONE]))


def _distance(error: pd.Series, found: pd.DataFrame) -> np.ndarray:
    """How far the published value lies from the median, in distances of the 90 % interval's end on its side."""
    low, middle, high = (found[name] for name in residual_forest.QUANTILES[::2])
    off = -error - middle
    width = (high - middle).where(off > 0, middle - low).clip(lower=conformal.LEAST_DEX)
    return np.asarray((off.abs() / width).to_numpy())


def samples(material: Material, coefficients: pd.DataFrame) -> tuple[pd.DataFrame, Columns]:
    """The predictions of the physical methods and the regression (PREDICTED, what is known about the model, taken,
    error_dex, weight), and what the forest of residuals looks at."""
    regression = statistical.predict(material.rows, material.bases, coefficients)
    regression = regression.assign(model_id=material.rows["model_id"], method=statistical.METHOD, taken=False)
    # an empty one would change the types of the columns
    parts = [part for part in (material.physical, regression) if len(part)]
    made = pd.concat(parts, ignore_index=True).reindex(columns=[*PREDICTED, "taken"])
    made = made.join(material.about, on="model_id")
    whole = made["published"].where(made["whole"].astype("bool"))
    error = log10(made["value"] / whole.mask(made["assumptions"] == forward_pass.READ, made["settled"]))
    made = made.assign(error_dex=error)
    values = made.pivot(index="model_id", columns="method", values="value")
    values = values.reindex(index=material.rows["model_id"], columns=[*PHYSICAL, statistical.METHOD])
    seen = uncertainty_features(material.rows, material.bases, {str(name): values[name] for name in values})
    return made, residual_forest.columns(made, seen)


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
