"""By how much the intervals of a method have to be stretched, judged on models without which the forest grew."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.base.digits import DECIMALS
from pipeline.impute.calibration.material import Material
from pipeline.impute.calibration.samples import make_table
from pipeline.impute.flop import conformal, residual_forest
from pipeline.impute.flop.methods import base_model, forward_pass
from pipeline.impute.flop.methods.features import FOLDS, Columns

SHRINK = 30  # the scale of a method counts like so many models more that have the scale 1
LEAST = 0.1  # a scale is no smaller, however well few models are hit


def scales(
    material: Material, made: pd.DataFrame, seen: Columns, some: np.ndarray, spreads: pd.DataFrame
) -> dict[str, float]:
    """By physical method the factor for distances from the median with which 90 % of the notable models that need it lie
    inside, each judged without its fold. (For the regression it changes little but the width.)"""
    used = some & made["taken"].to_numpy(dtype="bool") & made["notable"].to_numpy(dtype="bool")
    parts = []
    for fold in range(FOLDS):
        own = made["fold"].to_numpy() == fold
        if (used & own).any() and (some & ~own).any():
            table = make_table(material, made, some & ~own).assign(scale=1.0)
            part = made[used & own]
            columns = {name: values[used & own] for name, values in seen.items()}
            found = residual_forest.quantiles(part, columns, part["fold"].to_numpy(), spreads, table)
            parts.append(pd.DataFrame({"method": scaled(part), "ratio": _distance(part["error_dex"], found)}))
    ratios = pd.concat([pd.DataFrame({"method": [], "ratio": []}), *parts]).dropna()
    return {str(method): _scale(group["ratio"].to_numpy()) for method, group in ratios.groupby("method")}


def scaled(made: pd.DataFrame) -> pd.Series:
    """The method, null where errors of the same kind stand alone: they need no scale."""
    return made["method"].mask(made["assumptions"].isin([forward_pass.READ, base_model.ALONE]))


def _distance(error: pd.Series, found: pd.DataFrame) -> np.ndarray:
    """How far the published value lies from the median, in distances of the 90 % interval's end on its side."""
    low, middle, high = (
        found[residual_forest.QUANTILES[place]]
        for place in (residual_forest.LOW, residual_forest.MEDIAN, residual_forest.HIGH)
    )
    off = -error - middle
    width = (high - middle).where(off > 0, middle - low).clip(lower=conformal.LEAST_DEX)
    distance: np.ndarray = (off.abs() / width).to_numpy()
    return distance


def _scale(ratios: np.ndarray) -> float:
    found = conformal.weighted_quantile(ratios, np.ones(len(ratios)), 0.9)
    stretch = float(max(found, LEAST) ** (len(ratios) / (len(ratios) + SHRINK)))
    return round(round(stretch, DECIMALS), conformal.DIGITS)
