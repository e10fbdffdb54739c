"""What anybody could have had for one run by a day, from the clusters then running."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.flop import could_be_had
from pipeline.impute.flop.could_be_had import SLACK_DEX, _upper_end, most_flop

HALF_A_YEAR = 180 * 86400 * 0.4 * 10**SLACK_DEX


def clusters(*started: tuple[str, float]) -> pd.DataFrame:
    days, peaks = zip(*started, strict=True)
    about = {"status": "existing", "single_cluster": "yes", "possible_duplicate": False}
    return pd.DataFrame({"cluster_id": days, "name": days, "peak_16bit_ops": peaks}).assign(
        first_operational_date=pd.to_datetime(pd.Series(days)), **about
    )


def most(day: str | None, known: pd.DataFrame) -> float:
    return float(most_flop(pd.Series([pd.Timestamp(day) if day else pd.NaT]), known).iloc[0])


HALF = 10**0.5
SEVERAL = clusters(("2019-01-01", 1e17), ("2020-01-01", HALF * 1e17), ("2021-01-01", 1e18), ("2021-02-01", 5e17),
                   ("2022-01-01", HALF * 1e18), ("2023-01-01", 1e19))  # fmt: skip


def test_the_largest_cluster_on_the_day_gives_half_a_year() -> None:
    assert most("2019-06-01", SEVERAL) == pytest.approx(1e17 * HALF_A_YEAR)
    assert most("2021-06-01", SEVERAL) == pytest.approx(1e18 * HALF_A_YEAR), "a smaller one is no record"
    assert most("2023-01-01", SEVERAL) == pytest.approx(1e19 * HALF_A_YEAR), "from its first day on"


def test_after_the_last_record_it_grows_like_the_line_at_its_upper_end() -> None:
    later = [most(f"{year}-06-01", SEVERAL) for year in (2023, 2024, 2025)]
    assert later[0] > 1e19 * HALF_A_YEAR
    assert later[2] / later[1] == pytest.approx(HALF, rel=0.02), "the records grow tenfold every two years"
    assert later[0] < later[1] < later[2]


def test_nothing_is_known_before_the_first_or_without_a_day() -> None:
    assert np.isnan(most("2018-12-31", SEVERAL))
    assert np.isnan(most(None, SEVERAL))
    assert np.isnan(most("2024-01-01", SEVERAL[:0]))


def test_the_slack_is_four_tenths() -> None:
    assert pytest.approx(1.41, abs=0.005) == 10**SLACK_DEX


def test_the_upper_end_is_straight_between_the_years_of_the_line_and_beyond_them() -> None:
    line = pd.DataFrame(
        {"date": pd.to_datetime(["2020-01-01", "2021-01-01", "2023-01-01"]), "flop_high": [1e24, 1e25, 1e26]}
    )
    days = np.array(["2019-01-01", "2020-01-01", "2020-07-02", "2021-01-01", "2022-01-01", "2023-01-01", "2024-01-01"])
    found = _upper_end(line, days.astype("datetime64[D]"))
    assert found == pytest.approx([24 - 365 / 366, 24, 24.5, 25, 25.5, 26, 26.5], abs=0.0015)


def test_the_line_holds_only_after_the_last_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(could_be_had, "_upper_end", lambda line, day: np.full(len(day), 30.0))
    assert most("2022-06-01", SEVERAL) == pytest.approx(HALF * 1e18 * HALF_A_YEAR)
    assert most("2023-01-01", SEVERAL) == pytest.approx(1e19 * HALF_A_YEAR)
    assert most("2023-01-02", SEVERAL) == pytest.approx(1e30 * 10**SLACK_DEX)
