"""Some thirty models, with machines, estimates and counts beside them, from which figures and pages are made."""

from __future__ import annotations

import pandas as pd
from kept import GOLDEN

ROWS = GOLDEN / "figures" / "rows"
DAYS = ("publication_date", "list_date", "last_date", "release_date", "published_until", "from_snapshot", "to_snapshot")


def table(name: str) -> pd.DataFrame:
    """The columns of a table that something is made from."""
    read = pd.read_csv(ROWS / f"{name}.csv")
    return read.assign(**{day: read[day].astype("datetime64[s]") for day in DAYS if day in read})
