"""Which training run each model came out of: a run that appears under several names is one run."""

import numpy as np
import pandas as pd

from pipeline.impute.flop.families import heads

ALMOST_ALL = 0.9  # share of a model's compute that its base took, from which on it is another name of the base's run


def training_run_id(models: pd.DataFrame) -> pd.Series:
    """The model_id of the first model of the run.

    A model is of the run that its training_run_id names already (a training_run claim), else of its base's run if the
    base took at least nine tenths of the compute (of a model without a value, of what is known as the least), or if no
    compute is known of either; without a base, of the run of the model of which it is another date or way of use
    (families.heads) unless its value says otherwise; else it is a run of its own. Reads model_id, name, organization,
    publication_date, base_model_id, training_compute_flop and training_compute_low."""
    ids = pd.Index(models["model_id"])
    own, base = (ids.get_indexer(models[name]) for name in ("training_run_id", "base_model_id"))
    head, flop = ids.get_indexer(heads(models)), models["training_compute_flop"].to_numpy()
    is_other_name = (head >= 0) & ~(flop[head] < ALMOST_ALL * flop)
    size = models["training_compute_flop"].fillna(models["training_compute_low"]).to_numpy()
    is_same = (base >= 0) & ((size[base] >= ALMOST_ALL * size) | (np.isnan(size[base]) & np.isnan(size)))
    run = np.select([own >= 0, is_same, is_other_name], [own, base, head], np.arange(len(ids)))
    for _ in range(len(ids).bit_length()):  # each time twice as far, through the longest chain that there could be
        run = run[run]
    found: pd.Series = models["model_id"].iloc[run].set_axis(models.index)
    return found


def first_of_run(run: np.ndarray, date: np.ndarray) -> np.ndarray:
    """Whether an entry is the earliest of its run; of one day, the first in the order given."""
    order = np.argsort(date, kind="stable")
    found = np.empty(len(run), dtype=bool)
    found[order] = ~pd.Series(run[order]).duplicated().to_numpy()
    return found
