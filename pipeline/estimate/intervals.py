"""90 % intervals of estimates, from how far estimates made alike were off: split conformal prediction in log10.

What is made alike has the same method and the same assumptions; where fewer than LEAST_ROWS such have a published value,
the method as a whole. Half-widths below and above the value are quantiles of log10(estimate ÷ published), with the
finite-sample correction ⌈(n + 1) p⌉ / n (Vovk et al. 2005, Algorithmic Learning in a Random World; Lei et al. 2018,
doi:10.1080/01621459.2017.1307116).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.estimate.result import written

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

LEVELS = (50, 80, 90)
LEAST_ROWS = 20
LEAST_DEX = 0.02  # an interval is never narrower than rounding to two digits
DEFAULT_DEX = 1.0  # of a method that has no row in the table: the band of the word "likely"
ALL = ""  # the assumptions of a line for the whole method
DIGITS = 3


def make_intervals(scored: pd.DataFrame) -> pd.DataFrame:
    """method, assumptions, rows and below_50 … above_90 in dex, sorted: what `scored` (method, assumptions, error in dex,
    weight) says about estimates made alike."""
    import pandas as pd

    whole = scored.assign(assumptions=ALL)
    both = pd.concat([scored, whole]).groupby(["method", "assumptions"], sort=True)
    lines = [
        {"method": method, "assumptions": assumptions, "rows": len(group), **half_widths(group)}
        for (method, assumptions), group in both
        if assumptions == ALL or len(group) >= LEAST_ROWS
    ]
    return pd.DataFrame(lines)


def half_widths(group: pd.DataFrame) -> dict[str, float]:
    """below_50 … above_90: how far in dex an interval goes below and above an estimate to hold that share."""
    made = {}
    error, weight = group["error_dex"].to_numpy(), group["weight"].to_numpy()
    for level in LEVELS:
        tail = (1 + level / 100) / 2
        for side, distance in (("below", error), ("above", -error)):
            made[f"{side}_{level}"] = round(max(weighted_quantile(distance, weight, tail), LEAST_DEX), DIGITS)
    return made


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """The smallest value that at least `share` of the weight, corrected for a finite sample, lies at or below."""
    import numpy as np

    order = np.argsort(values, kind="stable")
    total = weights.sum()
    wanted = min(share * (total + weights.max()), total) * (1 - 1e-12)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), wanted)])


def widths(made: pd.DataFrame, intervals: pd.DataFrame, level: int = 90) -> tuple[pd.Series, pd.Series]:
    """How far the interval of each row of `made` (method, assumptions) goes below and above its value, in dex."""
    import pandas as pd

    table = intervals.assign(assumptions=intervals["assumptions"].fillna(ALL))
    keys = table["method"] + "|" + table["assumptions"]
    alike = made["method"] + "|" + made["assumptions"].fillna(ALL)
    whole = made["method"] + "|" + ALL
    sides = []
    for side in ("below", "above"):
        known = pd.Series(table[f"{side}_{level}"].to_numpy(), index=keys)
        sides.append(alike.map(known).fillna(whole.map(known)).fillna(DEFAULT_DEX))
    return sides[0], sides[1]


def with_intervals(made: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """The estimates with low and high replaced where there is a value of a calibrated method; bounds stay."""
    below, above = widths(made, intervals)
    known = made["value"].notna() & made["method"].isin(intervals["method"])
    low, high = (written(made["value"] * 10.0**by).astype("float64") for by in (-below, above))
    return made.assign(low=made["low"].mask(known, low), high=made["high"].mask(known, high))


def empty() -> pd.DataFrame:
    """A table of intervals without lines: every method keeps its own."""
    import pandas as pd

    sides = [f"{side}_{level}" for level in LEVELS for side in ("below", "above")]
    return pd.DataFrame({"method": pd.Series(dtype="str"), "assumptions": pd.Series(dtype="str"), **dict.fromkeys(sides, pd.Series(dtype="float64"))})
