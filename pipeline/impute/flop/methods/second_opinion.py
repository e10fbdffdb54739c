"""A second opinion beside the regression: extremely randomised trees on what is known about a model.

Each tree says log10 of the FLOP; their mean is the opinion, their standard deviation tells how much it depends on the
tree (Geurts et al. 2006, doi:10.1007/s10994-006-6226-1). It is no estimate by itself: where it differs from one, the
interval of that one is wider (spread.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pipeline.base.digits import DECIMALS, log10
from pipeline.impute.flop.methods import features
from pipeline.impute.flop.result import has_word
from pipeline.impute.flop.trees import as_features, load_trees, walk

GROUPS = ["language", "multimodal", "vision", "image generation", "games", "biology", "speech", "other"]
UNITS = ["token", "word", "image", "example", "pixel", "frame"]


def opinions(rows: pd.DataFrame, columns: features.Columns, table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """log10 of the FLOP of each row, and the standard deviation over the trees, from `columns` of the rows and the
    trees in `table`."""
    trees = load_trees(table, list(columns))
    each = trees.leaf[walk(trees, as_features(columns), features.folds(rows)), 0]
    return each.mean(axis=1).round(DECIMALS), each.std(axis=1).round(DECIMALS)


def own_columns(rows: pd.DataFrame, base_flop: pd.Series) -> features.Columns:
    """What the trees look at: numbers as log10 (null where unknown), and 0 or 1 for kinds. `base_flop` is the FLOP of the
    base models, aligned with `rows`."""
    logs = features.log_numbers(rows, base_flop)
    start, group = features.starts(rows, logs), features.domain_groups(rows)
    made: dict[str, Any] = {name: logs[name].to_numpy() for name in features.NUMBERS}
    made |= {"anchor": features.anchors(logs, start), "start": start, "year": features.years(rows)}
    made |= {name: (group == name).to_numpy() for name in GROUPS}
    made |= {"industry": has_word(rows["organization_category"], "industry").to_numpy()}
    made |= {name: (rows["open_weights"] == value).fillna(False) for name, value in (("open", True), ("closed", False))}
    made |= {"experts": (rows["parameters_active"] < rows["parameters"]).to_numpy()}
    made |= {f"in {unit}s": (rows["dataset_unit"] == unit).to_numpy() for unit in UNITS}
    made |= {"forward": rows["forward_flop"].transform(log10), "examples": rows["training_examples"].transform(log10)}
    made |= {"numbers known": logs.notna().sum(axis=1).to_numpy()}
    return {name: np.asarray(values, dtype="float64") for name, values in made.items()}
