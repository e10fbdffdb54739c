"""How much of its day a database knows of an early work: the first of a month stands for the month, that of January for
the year.

Of the models that only a database dates, 62 % before 1990 have the first of a month, 40 % in the nineties and 22 % in
the ten years after; 3 % would have it if the days were known. So do journals print the date of an issue."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pandas as pd

from pipeline.config import Source
from pipeline.normalize.first_shown import FIELD
from traincompute.base.sources import OWN

ENTERED = date(2026, 11, 27)  # a vintage of an earlier day says what it said then
UNTIL = "2010"  # from then on most works are dated by a preprint or an announcement, to the day


def told_as_far_as_known(claims: pd.DataFrame, as_of: date | None, sources: Mapping[str, Source]) -> pd.DataFrame:
    """The claims, with the precision of each early date that a database gives as the first of a month."""
    if OWN not in sources or (as_of and as_of < ENTERED):
        return claims
    theirs = (claims["field"] == FIELD) & (claims["source_id"] != OWN) & (claims["note"] == "day")
    days = claims.loc[theirs, "code"].astype("str")
    rounded = days[(days < UNTIL) & days.str.endswith("-01")]
    claims.loc[rounded.index, "note"] = rounded.str.endswith("-01-01").map({True: "year", False: "month"})
    return claims
