"""The published table `thresholds`: the numbers of training runs above round thresholds, by year."""

import pandas as pd

from pipeline.frames import conform
from pipeline.schema import TableSchema
from traincompute.thresholds import COLUMNS, by_year, year_ends

THRESHOLDS_FLOP = (1e23, 1e24, 1e25, 1e26)


def make_thresholds(models: pd.DataFrame, predictions: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table, from the columns of `models` and `predictions` that `traincompute.thresholds` counts."""
    known = models.merge(predictions, on="model_id")[COLUMNS]
    ends = year_ends(models)
    scopes = {"all": known, "notable": known[known["is_notable"].astype("bool")]}
    lines = [{"scope": name, **line} for name, some in scopes.items() for line in by_year(some, THRESHOLDS_FLOP, ends)]
    rows = pd.DataFrame(lines, columns=table.names)
    power = rows["threshold_flop"].map(lambda flop: f"{flop:.0e}".replace("+", ""))
    return conform(rows.assign(threshold_id=power + ":" + rows["scope"] + ":" + rows["published_until"]), table)
