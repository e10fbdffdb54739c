"""The largest run by date and the runs of each organisation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from test_thresholds import model

from traincompute.base.quantiles import Z
from traincompute.frontier import by_organization, draw, largest
from traincompute.thresholds import by_year, year_ends


def published(name: str, flop: float, day: str, factor: float = 3, **more: object) -> dict[str, object]:
    about = {"model_id": name, "publication_date": pd.Timestamp(day), "least_flop": np.nan, "most_flop": 1e27}
    return model(flop, flop / factor, flop * factor, **about) | more


def unknown(name: str, flop: float, day: str, **more: object) -> dict[str, object]:
    return published(name, flop, day, 2, tier=4) | {"training_compute_flop": np.nan} | more


def test_alone_the_largest_run_has_the_interval_of_its_model() -> None:
    models = pd.DataFrame([published("a", 1e25, "2024-05-01")])
    (line,) = [row for row in largest(models, year_ends(models)) if row["median"]]
    assert (line["model_id"], line["training_compute_flop"], line["most_flop"]) == ("a", 1e25, 1e27)
    assert [line["low_90"], line["median"], line["high_90"]] == pytest.approx([1e25 / 3, 1e25, 3e25], rel=0.15)


def test_it_never_shrinks_and_what_is_unknown_raises_it_up_to_what_could_be_had() -> None:
    known = [published("a", 1e25, "2022-05-01"), published("b", 1e24, "2024-05-01")]
    models = pd.DataFrame([*known, *(unknown(f"u{i}", 1e26, "2023-05-01", most_flop=2e26) for i in range(20))])
    lines = pd.DataFrame(largest(models, year_ends(models))).set_index("published_until")
    for name in ("low_90", "median", "high_90"):
        assert (lines[name].diff().dropna() >= 0).all()
    assert lines.loc["2022-12-31", "median"] == pytest.approx(1e25, rel=0.15)
    assert lines.loc["2024-05-01", "model_id"] == "a"
    assert 9e25 < lines.loc["2023-12-31", "low_90"] <= lines.loc["2023-12-31", "high_90"] == 2e26


def test_organisations_add_up_to_all_runs() -> None:
    rows = [published(f"m{i}", 2e25, "2024-05-01", organization="AB"[i % 2]) for i in range(10)]
    models = pd.DataFrame([*rows, published("small", 1e20, "2024-05-01", organization="C")])
    end = models["publication_date"].max()
    found, (whole, _) = by_organization(models, [end]), by_year(models, (1e25, 1e26), [end])
    assert [line["organization"] for line in found] == ["A", "B"]
    assert sum(line["runs"][0]["expected_runs"] for line in found) == pytest.approx(whole["expected_runs"], abs=1e-5)
    assert [line["largest"][0]["training_compute_flop"] for line in found] == [2e25, 2e25]


def test_what_the_largest_run_rests_on_is_a_share_of_the_draws() -> None:
    rows = [published("a", 1e25, "2022-05-01"), unknown("b", 1e25, "2023-05-01")]
    rows.append(unknown("c", 1e28, "2024-05-01", tier=3, method="capability_index", most_flop=1e30))
    models = pd.DataFrame(rows)
    shares = {line["published_until"]: line["rests_on"] for line in largest(models, year_ends(models))}
    assert shares["2022-12-31"]["published"] == 1
    assert 0.3 < shares["2023-12-31"]["published"] < 0.7, "two alike"
    assert shares["2023-12-31"]["published"] + shares["2023-12-31"]["kind"] == 1
    assert shares["2024-05-01"] == {name: float(name == "index") for name in shares["2024-05-01"]}
    assert sum(shares["2021-12-31"].values()) == 0, "no run yet"
    alike = pd.DataFrame([row | {"least_flop": 1e26} for row in rows[:2]])
    assert largest(alike, year_ends(alike))[-1]["rests_on"]["published"] == 1, "of equals the first"


def test_a_draw_lies_within_what_is_possible() -> None:
    error = np.array([[Z[0], 0.0, Z[-1], 5.0]])
    free, at_least, at_most, early = (
        draw(pd.DataFrame([published("a", 1e25, "2024-05-01", **bounds)]), error)[0]
        for bounds in ({"most_flop": np.nan}, {"least_flop": 8e24}, {"most_flop": 4e25}, {"most_flop": 1e24})
    )
    assert free[:3] == pytest.approx([1e25 / 3, 1e25, 3e25])
    assert free[3] == pytest.approx(1e25 * 3 ** (5 / Z[-1]))
    assert at_least[:2] == pytest.approx([8e24, 1e25])
    assert at_most[2:] == pytest.approx([3e25, 4e25])
    assert early[2:] == pytest.approx([3e25, 3e25]), "what could be had is at least the end of the interval"


def test_organisations_stand_in_the_order_of_their_runs_above_the_lower_threshold() -> None:
    rows = [published(f"b{i}", 2e25, "2024-05-01", organization="B") for i in range(3)]
    rows += [published(f"{name}{i}", 5e26, "2024-05-01", organization=name) for name in "DA" for i in range(2)]
    rows += [published(f"w{i}", 5e24, "2024-05-01", organization="W") for i in range(6)]  # 0.15 of each is above
    rows.append(published("n", 4e24, "2024-05-01", organization="N"))  # less than half a run
    ends = [pd.Timestamp(2024, 12, 31)]
    found = by_organization(pd.DataFrame(rows), ends[-1:])
    assert [line["organization"] for line in found] == ["B", "A", "D", "W"]
    assert {len(line["runs"]) for line in found} == {2}, "a line for each threshold"
    assert by_organization(pd.DataFrame(rows), []) == []
