"""Past estimates on the committed facts: made from the facts of their day, and said in the README as they are."""

from __future__ import annotations

import re
from datetime import date

import duckdb

from pipeline.config import Config
from pipeline.impute.calibrate import printed_since
from pipeline.normalize.stage import Read
from pipeline.paths import CHECKOUT, Paths
from pipeline.site.figures import declared

DAY = date(2025, 5, 6)
PATHS = Paths(CHECKOUT)


def test_the_later_value_is_the_last_one_printed(context: Config, read: Read) -> None:
    """GPT-4o was blank in July 2024, filled with 3.81e25 by April 2025, and has been blank again since November
    2025."""
    later = printed_since(context, read, date(2024, 7, 16)).loc["gpt-4o"]
    assert (later["filled"].date(), round(later["later_flop"] / 1e25, 2)) == (date(2025, 4, 8), 3.81)
    assert "gpt-4o" not in printed_since(context, read, date(2025, 11, 1)).index


def test_the_page_says_what_the_scores_say(database: duckdb.DuckDBPyConnection) -> None:
    text = " ".join((CHECKOUT / "README.md").read_text(encoding="utf-8").split())
    (said,) = re.findall(
        r"[Oo]f (\d+) (?:models that had no value .*?|such models) (\d+) % had been .*? and (\d+) % within", text
    )
    last = database.execute(declared("scored-estimates")["query"]).df()
    assert [int(number) for number in said] == [
        len(last),
        round(100 * last["is_near"].mean()),
        round(100 * last["is_inside"].mean()),
    ]
