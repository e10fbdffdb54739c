"""What `traincompute calibrate --write` measured, as files below schemas/calibration/: read by the build, never made by it.

`coefficients.csv` (statistical.fit), `intervals.csv` (intervals.make_intervals) and `calibration.csv` (the published
table), with the state of the inputs that they come from in `inputs.json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.errors import DataError, Problem
from pipeline.paths import Paths

if TYPE_CHECKING:
    import pandas as pd

REMEDY = "restore it with `git checkout`, or run `traincompute calibrate --write`"


class Calibrated(NamedTuple):
    """The coefficients of the regression by name and fold, and the half-widths by method and assumptions."""

    coefficients: pd.DataFrame
    intervals: pd.DataFrame


def load_calibrated(paths: Paths) -> Calibrated:
    """Both tables. Raises DataError where a file is missing or broken."""
    coefficients = _read(paths, "coefficients").set_index(["part", "name"])
    return Calibrated(coefficients, _read(paths, "intervals"))


def load_calibration(paths: Paths) -> pd.DataFrame:
    """The table of measured errors as it was written. Raises DataError where the file is missing or broken."""
    return _read(paths, "calibration")


def _read(paths: Paths, name: str) -> pd.DataFrame:
    import pandas as pd

    file = paths.calibration / f"{name}.csv"
    where = paths.short(file)
    try:
        return pd.read_csv(file, keep_default_na=False, na_values=[""], float_precision="round_trip").fillna(
            {"assumptions": "", "name": ""}
        )
    except (OSError, ValueError) as error:
        raise DataError([Problem(where, "", "", "", f"cannot be read: {error}", REMEDY)]) from error


def as_csv(frame: pd.DataFrame) -> str:
    """The text of one of the files: sorted as it is, numbers in their shortest form."""
    return frame.to_csv(index=False, lineterminator="\n")
