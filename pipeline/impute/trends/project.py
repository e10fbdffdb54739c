"""Where a straight line would lead by a date, with two intervals and with the assumptions behind it."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.impute.trends import fit, series

ASSUMPTIONS = (
    "growth continues at the rate of the line: nothing is said about money, power, chips or data running out",
    "models are added and noticed as those of the past were; the newest are often entered late or without a value",
    "values scatter around the line as before, and independently of each other",
)


def project(points: pd.DataFrame, groups: dict[Any, Any], lines: fit.Lines, day: date) -> list[dict[str, Any]]:
    """For each group the line on a day: `value`, its 90 % interval, and that of a single model (`model_low`,
    `model_high`), which scatters around the line. Neither includes the risk that the pace of growth changes."""
    ahead = 1970 + (day - date(1970, 1, 1)).days / 365.2425 - fit.EPOCH
    drawn = lines.levels + lines.slopes * ahead
    low, high = fit.interval(drawn)
    middle = lines.level + lines.slope * ahead
    below, above = (np.hypot(end - middle, series.Z90 * lines.residual) for end in (low, high))
    return [
        {
            "value": _power(middle[i]),
            "low": _power(low[i]),
            "high": _power(high[i]),
            "model_low": _power(middle[i] - below[i]),
            "model_high": _power(middle[i] + above[i]),
            "years_beyond_data": round(ahead + fit.EPOCH - float(points.loc[rows, "year"].max()), 2),
        }
        for i, rows in enumerate(groups.values())
    ]


def _power(log10: float) -> float:
    return float(f"{10**log10:.4g}")
