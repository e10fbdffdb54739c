"""How far off estimates made the same way were: quantiles of |log10(estimate ÷ published)|, as in split conformal
prediction.

"The same way" means the same method and the same assumptions or, where fewer than LEAST_ROWS of these have a published
value, the same method. The quantiles have the finite-sample correction (n + 1) p / n (Vovk et al. 2005, Algorithmic
Learning in a Random World; Lei et al. 2018, doi:10.1080/01621459.2017.1307116), n and ranks counted in weights.
"""

import numpy as np
import pandas as pd

LEVELS = (50, 90)
LEAST_ROWS = 20
LEAST_DEX = 0.02  # an interval is never narrower than rounding to two digits
ALL = ""  # what a line for the whole method has as its assumptions
# Errors with and without a stated number format are alike: 86 % of 81 and 89 % of 215 published values are within a
# factor of 3
NO_MATTER = "usual number format of the chip"
DIGITS = 3
COLUMNS = [f"half_width_{level}" for level in LEVELS]
# Middles of twenty equal parts: together they stand for the whole distribution
SHARES = (np.arange(20) + 0.5) / 20
POINTS = [f"error_{1000 * share:03.0f}" for share in SHARES]


def make_intervals(scored: pd.DataFrame) -> pd.DataFrame:
    """method, assumptions, rows, half_width_50, half_width_90 and error_025 to error_975 in dex, sorted: what `scored`
    (method, assumptions, error_dex, weight) says about estimates made the same way."""
    alike = scored.assign(assumptions=assumptions_that_matter(scored["assumptions"]))
    groups = pd.concat([alike, scored.assign(assumptions=ALL)]).drop_duplicates(["method", "assumptions", "model_id"])
    lines = [
        {"method": method, "assumptions": assumptions, "rows": len(group), **_quantiles(group)}
        for (method, assumptions), group in groups.groupby(["method", "assumptions"], sort=True)
        if assumptions == ALL or len(group) >= LEAST_ROWS
    ]
    return pd.DataFrame(lines)


def assumptions_that_matter(assumptions: pd.Series) -> pd.Series:
    """The ;-joined assumptions without the one that makes no difference; `none` where nothing is assumed."""
    kept = assumptions.fillna("").str.replace(NO_MATTER, "", regex=False).str.replace(";;", ";", regex=False)
    return kept.str.strip(";").replace("", "none")


def _quantiles(group: pd.DataFrame) -> dict[str, float]:
    """COLUMNS, how far in dex an interval goes on either side of an estimate to hold that share, and POINTS."""
    distance, weight = group["error_dex"].abs().to_numpy(), group["weight"].to_numpy()
    shares = [*(level / 100 for level in LEVELS), *SHARES]
    found = [round(weighted_quantile(distance, weight, share), DIGITS) for share in shares]
    least = [*(max(value, LEAST_DEX) for value in found[:2]), *found[2:]]
    return dict(zip([*COLUMNS, *POINTS], least, strict=True))


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """The smallest value with at least `share` of the weight, corrected for a finite sample, at or below it."""
    order = np.argsort(values, kind="stable")
    total = weights.sum()
    wanted = min(share * (total + weights.max()), total) * (1 - 1e-12)  # sums of weights are exact to this tolerance
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), wanted)])


def alike_rows(made: pd.DataFrame, intervals: pd.DataFrame) -> np.ndarray:
    """For each row of `made` (method, assumptions) the place of the line about estimates made the same way; -1 for
    methods without one."""
    lines = pd.Index(intervals["method"] + "|" + intervals["assumptions"].fillna(ALL))
    alike = lines.get_indexer(pd.Index(made["method"] + "|" + assumptions_that_matter(made["assumptions"])))
    return np.where(alike < 0, lines.get_indexer(pd.Index(made["method"] + "|" + ALL)), alike)


def half_width(made: pd.DataFrame, intervals: pd.DataFrame) -> pd.Series:
    """The half-width in dex of the interval of each row of `made` (method, assumptions) by errors of its kind alone;
    null for methods without such."""
    widths = np.append(intervals["half_width_90"].to_numpy(dtype="float64"), np.nan)
    return pd.Series(widths[alike_rows(made, intervals)], index=made.index)
