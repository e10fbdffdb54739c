"""What `traincompute dev calibrate --write` measured, as files below data/calibration/: read by the build, never made
by it.

`coefficients.csv` (statistical.fit), `capability_index.csv` (capability_index.fit), `intervals.csv`
(intervals.make_intervals), and `calibration.csv` and `scores.csv` (the published tables).
"""

from typing import NamedTuple

import pandas as pd
from pyarrow import ArrowInvalid, csv

from pipeline.errors import DataError, Problem
from pipeline.files import RESTORE
from pipeline.paths import Paths

REMEDY = f"{RESTORE}; `traincompute dev calibrate --write` makes it anew"


class Calibrated(NamedTuple):
    """The coefficients of the regression by part, name and fold, the line of the index, and the errors by method and
    assumptions."""

    coefficients: pd.DataFrame
    capability_index: pd.DataFrame
    intervals: pd.DataFrame


def load_calibrated(paths: Paths) -> Calibrated:
    """All three tables. Raises DataError where a file is missing or broken."""
    coefficients, line, intervals = (load_measured(paths, name) for name in Calibrated._fields)
    return Calibrated(coefficients.fillna({"name": ""}).set_index(["part", "name"]), line, intervals)


def load_measured(paths: Paths, name: str) -> pd.DataFrame:
    """One of the tables as it was written, such as `scores`. Raises DataError where its file is missing or broken."""
    file = paths.calibration / f"{name}.csv"
    try:
        frame: pd.DataFrame = csv.read_csv(file).to_pandas()
    except (OSError, ArrowInvalid) as error:
        reason = f"cannot be read: {error}"
        raise DataError([Problem(paths.short(file), "", "", "", reason, REMEDY)]) from error
    return frame
