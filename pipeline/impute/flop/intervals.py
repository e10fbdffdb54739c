"""90 % intervals of estimates, from how far estimates made the same way were off: split conformal prediction in log10.

"The same way" means the same method and the same assumptions or, where fewer than LEAST_ROWS of these have a published
value, the same method. The half-width is a quantile of |log10(estimate ÷ published)|, with the finite-sample correction
(n + 1) p / n (Vovk et al. 2005, Algorithmic Learning in a Random World; Lei et al. 2018,
doi:10.1080/01621459.2017.1307116), n and ranks counted in weights.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.impute.flop import formulas
from pipeline.impute.flop.result import rounded

LEVELS = (50, 80, 90)
LEAST_ROWS = 20
LEAST_DEX = 0.02  # an interval is never narrower than rounding to two digits
ALL = ""  # what a line for the whole method has as its assumptions
# Errors with and without a stated number format are alike: 86 % of 81 and 89 % of 215 published values are within a
# factor of 3
NO_MATTER = "usual number format of the chip"
DIGITS = 3
COLUMNS = [f"half_width_{level}" for level in LEVELS]


def make_intervals(scored: pd.DataFrame) -> pd.DataFrame:
    """method, assumptions, rows and half_width_50, _80, _90 in dex, sorted: what `scored` (method, assumptions, error_dex,
    weight) says about estimates made the same way."""
    alike = scored.assign(assumptions=assumptions_that_matter(scored["assumptions"]))
    groups = pd.concat([alike, scored.assign(assumptions=ALL)]).drop_duplicates(["method", "assumptions", "model_id"])
    lines = [
        {"method": method, "assumptions": assumptions, "rows": len(group), **half_widths(group)}
        for (method, assumptions), group in groups.groupby(["method", "assumptions"], sort=True)
        if assumptions == ALL or len(group) >= LEAST_ROWS
    ]
    return pd.DataFrame(lines)


def assumptions_that_matter(assumptions: pd.Series) -> pd.Series:
    """The ;-joined assumptions without the one that makes no difference; `none` where nothing is assumed."""
    kept = assumptions.fillna("").str.replace(NO_MATTER, "", regex=False).str.replace(";;", ";", regex=False)
    return kept.str.strip(";").replace("", "none")


def half_widths(group: pd.DataFrame) -> dict[str, float]:
    """half_width_50, _80, _90: how far in dex an interval goes on either side of an estimate to hold that share."""
    distance, weight = group["error_dex"].abs().to_numpy(), group["weight"].to_numpy()
    shares = zip(COLUMNS, LEVELS, strict=True)
    return {
        name: round(max(weighted_quantile(distance, weight, level / 100), LEAST_DEX), DIGITS) for name, level in shares
    }


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """The smallest value with at least `share` of the weight, corrected for a finite sample, at or below it."""
    order = np.argsort(values, kind="stable")
    total = weights.sum()
    wanted = min(share * (total + weights.max()), total) * (1 - 1e-12)  # sums of weights are exact to this tolerance
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), wanted)])


def half_width(made: pd.DataFrame, intervals: pd.DataFrame, level: int = 90) -> pd.Series:
    """The half-width in dex of the interval of each row of `made` (method, assumptions, inputs_dex); null for unknown
    methods. An estimate is no more certain than what it is made from."""
    known = pd.Series(
        intervals[f"half_width_{level}"].to_numpy(),
        index=intervals["method"] + "|" + intervals["assumptions"].fillna(ALL),
    )
    alike = made["method"] + "|" + assumptions_that_matter(made["assumptions"])
    measured = alike.map(known).fillna((made["method"] + "|" + ALL).map(known))
    if "inputs_dex" not in made:  # none of these methods uses other estimates
        return measured
    return measured.clip(lower=made["inputs_dex"].where(measured.notna()))


def with_intervals(made: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """The estimates with low and high replaced where a calibrated method has a value; bounds stay."""
    known = made[made["value"].notna()]
    half = half_width(known, intervals).dropna()
    value = known["value"].reindex(half.index)
    ends = {name: rounded(end) for name, end in formulas.interval(value, half).items()}
    replaced = {
        name: made[name].mask(made.index.isin(half.index), end.reindex(made.index)) for name, end in ends.items()
    }
    return made.assign(**replaced)


def empty() -> pd.DataFrame:
    """A table of intervals without lines: every method keeps its own."""
    texts = {name: pd.Series(dtype="str") for name in ("method", "assumptions")}
    return pd.DataFrame({**texts, **{name: pd.Series(dtype="float64") for name in COLUMNS}})
