"""Past estimates on the committed facts: made from the facts of their day, and said in the README as they are."""

from __future__ import annotations

import re
from datetime import date

import pandas as pd
import pytest

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.impute.calibration.calibrate import gather
from pipeline.impute.calibration.past_estimates import judge_day, methods_of, newest, printed_since
from pipeline.impute.flop.calibration_tables import as_csv, load_measured
from pipeline.normalize.stage import Read
from pipeline.present.figures.scored import last_estimates
from pipeline.registry.context import Context

DAY = date(2025, 5, 6)
PATHS = Paths(CHECKOUT)


@pytest.mark.thorough
def test_the_committed_lines_are_what_calibrate_writes(context: Context, read: Read) -> None:
    judged = judge_day(context, read, DAY, newest(context, read))
    for name, made in zip(("scores", "counts"), judged, strict=True):
        committed = load_measured(PATHS, name)
        lines = committed[pd.to_datetime(committed["vintage"]) == pd.Timestamp(DAY)]
        assert len(lines) >= 9
        assert as_csv(lines) == as_csv(made)


@pytest.mark.thorough
def test_an_estimate_rests_on_nothing_later_than_its_day(context: Context, read: Read) -> None:
    """Without what was printed about models after the day, and with what has gone since, it is the same. (The rates of
    chips are those known today.)"""
    known = read.ledger[(read.ledger["since"] <= pd.Timestamp(DAY)) | read.ledger["model_id"].isna()]
    then = Read(known.assign(until=known["until"].where(known["until"] <= pd.Timestamp(DAY))), read.readings)
    assert as_csv(methods_of(*gather(context, then, DAY, curated=False))[1]) == as_csv(
        methods_of(*gather(context, read, DAY, curated=False))[1]
    )


def test_the_later_value_is_the_last_one_printed(context: Context, read: Read) -> None:
    """GPT-4o was blank in July 2024, filled with 3.81e25 by April 2025, and has been blank again since November 2025."""
    later = printed_since(context, read, date(2024, 7, 16)).loc["gpt-4o"]
    assert (later["filled"].date(), round(later["later_flop"] / 1e25, 2)) == (date(2025, 4, 8), 3.81)
    assert "gpt-4o" not in printed_since(context, read, date(2025, 11, 1)).index


@pytest.mark.parametrize("page", ["README.md", "docs/method.md"])
def test_the_pages_say_what_the_scores_say(tables: dict[str, pd.DataFrame], page: str) -> None:
    text = " ".join((CHECKOUT / page).read_text(encoding="utf-8").split())
    (said,) = re.findall(
        r"[Oo]f (\d+) (?:models that had no value .*?|such models) (\d+) % had been .*? and (\d+) % within", text
    )
    last = last_estimates(tables["scores"])
    assert [int(number) for number in said] == [
        len(last),
        round(100 * last["near"].mean()),
        round(100 * last["is_inside"].mean()),
    ]
