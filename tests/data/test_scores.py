"""Past estimates are made from the facts of their day."""

from __future__ import annotations

from datetime import date

from pipeline.config import Config
from pipeline.impute.calibrate import printed_since
from pipeline.normalize.stage import Read


def test_the_later_value_is_the_last_one_printed(context: Config, read: Read) -> None:
    """GPT-4o was blank in July 2024, filled with 3.81e25 by April 2025, and has been blank again since November
    2025."""
    later = printed_since(context, read, date(2024, 7, 16)).loc["gpt-4o"]
    assert (later["filled"].date(), round(later["later_flop"] / 1e25, 2)) == (date(2025, 4, 8), 3.81)
    assert "gpt-4o" not in printed_since(context, read, date(2025, 11, 1)).index
