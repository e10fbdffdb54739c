"""The 90 % interval of a published FLOP value: the band of its confidence word, narrower if the developer reports it.

A word means value ÷ f to value × f, f = 3 (confident), 10 (likely), 31 (speculative)
(epoch.ai/data/ai-models-documentation/estimation; schemas/vocab/confidence.yml). A value that is 6 · N · D of the
parameters and tokens in the table is as sure as that method: f = 3 at most. A bound that a source states stays; no
other end lies above what could be had on the day."""

from collections.abc import Mapping

import pandas as pd

from pipeline.impute.flop.could_be_had import most_flop
from pipeline.impute.flop.formulas import CONFIDENT, FLOP_PER_PARAMETER_AND_TOKEN, LIKELY, counted
from pipeline.impute.flop.result import rounded

LOW, HIGH = "training_compute_low", "training_compute_high"
# The developer knows tokens and parameters; what remains open is the convention (8 or 6 FLOP per parameter and token,
# a factor of 1.33) and rounding. Of 21 reported values that operation counting applies to, 20 are within this factor.
REPORTED = 1.5
UNWORDED = LIKELY  # for a value without a word: the band of the middle word
SAME = 0.05  # a value this close to 6ND was worked out that way, from parameters and tokens as its source rounds them


def within_supply(models: pd.DataFrame, stated: pd.DataFrame, clusters: pd.DataFrame | None) -> pd.DataFrame:
    """The models with a training_compute_high, unless it is one that `stated` has, of no more than could be had on the
    day (could_be_had.py), nor less than the value."""
    most, flop = rounded(most_flop(models["publication_date"], clusters)), models["training_compute_flop"]
    high = models[HIGH].clip(upper=most.clip(lower=flop)).where(stated[HIGH].isna(), models[HIGH])
    return models.assign(**{HIGH: high})


def published_bounds(models: pd.DataFrame, bands: Mapping[str, float]) -> pd.DataFrame:
    """The models with training_compute_low and _high filled if a published value has none. `bands`: word → factor."""
    flop = models["training_compute_flop"].mask(models["training_compute_source"] == "imputed")
    factor = band_factor(models, bands)
    low, high = (rounded(values) for values in (flop / factor, flop * factor))
    return models.assign(**{LOW: models[LOW].fillna(low), HIGH: models[HIGH].fillna(high)})


def band_factor(models: pd.DataFrame, bands: Mapping[str, float]) -> pd.Series:
    """The factor either way within which a model's published value is taken to lie, by who says it and how surely."""
    factor = models["training_compute_confidence"].map(bands).astype("float64").fillna(UNWORDED)
    active = models["parameters_active"].fillna(models["parameters"])
    product = counted(FLOP_PER_PARAMETER_AND_TOKEN, active, models["training_tokens"])
    counts = (models["training_compute_flop"] / product - 1).abs().lt(SAME) & models["base_model_id"].isna()
    factor = factor.mask(counts, factor.clip(upper=CONFIDENT))
    return factor.mask(models["training_compute_source"] == "reported", REPORTED)
