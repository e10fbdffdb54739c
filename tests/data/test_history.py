"""What upstream said on each day of a snapshot."""

from __future__ import annotations

import re
from datetime import date

import pandas as pd
import pytest

from pipeline.config import Config, locked_snapshots
from pipeline.normalize.stage import Read, normalize_tables
from pipeline.paths import CHECKOUT


@pytest.mark.parametrize(
    ("day", "notable", "with_flop", "above_1e25"),
    [
        # rows and filled FLOP cells of the upstream file of that day, minus records that are the same model twice, and
        # in 2026 plus Palmyra X 003, whose compute its developer gives in a transparency report
        (date(2024, 7, 16), 821, 384, 7),
        (date(2025, 5, 6), 951, 479, 12),
        (date(2026, 8, 19), 1049, 537, 7),  # and DeepSeek-V4-Pro-0813, from the large-scale file of that day
    ],
)
def test_vintages(context: Config, read: Read, day: date, notable: int, with_flop: int, above_1e25: int) -> None:
    models = normalize_tables(context, day, read)["models"].query("is_notable")
    assert len(models) == notable
    assert models["training_compute_flop"].notna().sum() == with_flop
    old = models[models["publication_date"] < "2024-07-01"]
    assert (old["training_compute_flop"] >= 1e25).sum() == above_1e25
    assert counts_of_the_page(context)[day] == above_1e25


def counts_of_the_page(context: Config) -> dict[date, int]:
    """The counts by snapshot; a row may stand for several."""
    text = (
        (CHECKOUT / "docs" / "thresholds.md").read_text(encoding="utf-8").partition("| as of |")[2].partition("\n\n")[0]
    )
    days, found = locked_snapshots(context.lock, "epoch_notable"), {}
    for line in text.splitlines()[2:]:
        span, number, count = re.split(r" *\| *", line.strip("| "))
        first, last = (date.fromisoformat(day) for day in (span.split(" to ") * 2)[:2])
        held = [day for day in days if first <= day <= last]
        assert len(held) == int(number)
        found |= dict.fromkeys(held, int(count))
    return found


def test_the_page_has_every_snapshot(context: Config) -> None:
    assert list(counts_of_the_page(context)) == locked_snapshots(context.lock, "epoch_notable")


@pytest.mark.parametrize(
    ("model_id", "kind", "low", "high", "day"),
    [
        ("gpt-4o", "blanked", None, None, "2025-11-01"),
        ("megatron-lm-1.2b", "value_changed", 0.09, 0.11, "2026-06-15"),
        ("alphago-zero", "value_changed", 0.0, 1 / 300, "2025-11-01"),
    ],
)
def test_known_revisions(
    tables: dict[str, pd.DataFrame], model_id: str, kind: str, low: float, high: float, day: str
) -> None:
    rows = tables["revisions"].query(
        "source_id == 'epoch_notable' and field == 'training_compute_flop' and model_id == @model_id"
    )
    row = rows[rows["to_snapshot"] == day].iloc[0]
    assert row["kind"] == kind
    assert high is None or low <= row["ratio"] <= high
