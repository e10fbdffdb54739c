"""A second opinion beside the regression: extremely randomised trees on what is known about a model.

Each tree says log10 of the FLOP; their mean is the opinion, their standard deviation tells how much it depends on the
tree (Geurts et al. 2006, doi:10.1007/s10994-006-6226-1). It is no estimate by itself: where it differs from one, the
interval of that one is wider (spread.py).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.base.digits import DECIMALS, log10
from pipeline.impute.flop.methods.features import (
    NUMBERS,
    Columns,
    anchors,
    domain_groups,
    folds,
    log_numbers,
    starts,
    years,
)
from pipeline.impute.flop.result import has_word
from pipeline.impute.flop.trees import as_features, load_trees, walk

GROUPS = ["language", "multimodal", "vision", "image generation", "games", "biology", "speech", "other"]
UNITS = ["token", "word", "image", "example", "pixel", "frame"]


def opinions(rows: pd.DataFrame, columns: Columns, table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """log10 of the FLOP of each row, and the standard deviation over the trees, from `columns` of the rows and the
    trees in `table`."""
    trees = load_trees(table, list(columns))
    each = trees.leaf[walk(trees, as_features(columns), folds(rows)), 0]
    return each.mean(axis=1).round(DECIMALS), each.std(axis=1).round(DECIMALS)


def own_columns(rows: pd.DataFrame, base_flop: pd.Series) -> Columns:
    """What the trees look at: numbers as log10 (null where unknown), and 0 or 1 for kinds. `base_flop` is the FLOP of the
    base models, aligned with `rows`."""
    logs = log_numbers(rows, base_flop)
    start, group = starts(rows, logs), domain_groups(rows)
    made: Columns = {name: logs[name].to_numpy() for name in NUMBERS}
    made |= {"anchor": anchors(logs, start), "start": start, "year": years(rows)}
    made |= {name: (group == name).to_numpy() for name in GROUPS}
    made |= {"industry": has_word(rows["organization_category"], "industry").to_numpy()}
    made |= {"open": _is(rows["open_weights"], True), "closed": _is(rows["open_weights"], False)}
    made |= {"experts": (rows["parameters_active"] < rows["parameters"]).to_numpy()}
    made |= {f"in {unit}s": (rows["dataset_unit"] == unit).to_numpy() for unit in UNITS}
    made |= {"forward": _log10(rows["forward_flop"]), "examples": _log10(rows["training_examples"])}
    made |= {"numbers known": logs.notna().sum(axis=1).to_numpy()}
    return {name: np.asarray(values, dtype="float64") for name, values in made.items()}


def _is(flag: pd.Series, value: bool) -> np.ndarray:
    return (flag == value).fillna(False).to_numpy(dtype="float64")


def _log10(numbers: pd.Series) -> np.ndarray:
    return numbers.transform(log10).to_numpy(dtype="float64")
