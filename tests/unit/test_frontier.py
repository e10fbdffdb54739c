"""The largest run by date and the runs of each organisation."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from test_thresholds import model

from pipeline.paths import Paths
from traincompute.base.quantiles import Z
from traincompute.commands.frontier import frontier as command
from traincompute.frontier import by_organization, draw, largest
from traincompute.frontier import frontier as everything
from traincompute.thresholds import DRAWS, by_year, errors, parts_of, standing, year_ends


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


def test_the_models_of_a_run_are_one() -> None:
    twice = pd.DataFrame([published(name, 1e25, "2024-05-01", training_run_id="a") for name in "ab"])
    once = twice[:1]
    assert largest(twice, year_ends(twice))[-1]["high_90"] == largest(once, year_ends(once))[-1]["high_90"]


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


def test_what_is_trained_further_leads_from_its_own_day_on() -> None:
    again = published("b", 9e25, "2024-05-01", training_run_id="a")
    models = pd.DataFrame([published("a", 1e24, "2022-05-01"), again])
    lines = {line["published_until"]: line for line in largest(models, year_ends(models))}
    assert lines["2023-12-31"]["high_90"] < 1e25 < lines["2024-05-01"]["low_90"]


def test_the_smaller_ones_count_as_far_as_one_of_them_may_be_the_largest() -> None:
    """Forty of which each has a twentieth of its distribution above 8e24, beside one that is hardly ever below that:
    the ends are those of the largest of all draws."""
    rows = [published(f"m{i}", 8e24 / 3, "2024-05-01", organization=f"O{i}") for i in range(40)]
    models = pd.DataFrame([*rows, published("large", 1e25, "2024-05-01", 1.5), published("tiny", 1e20, "2024-05-01")])
    known = standing(models)
    of_all = draw(known, errors(known)).max(axis=0)
    ends = [float(f"{np.quantile(of_all, share, method='inverted_cdf'):.3g}") for share in (0.05, 0.5, 0.95)]
    (line,) = largest(models, [pd.Timestamp("2024-12-31")])
    assert [line["low_90"], line["median"], line["high_90"]] == ends
    assert of_all.shape == (DRAWS,)


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
    ends = [pd.Timestamp(year, 12, 31) for year in (2022, 2023, 2024)]
    found = everything(pd.DataFrame(rows), ends)
    assert [line["organization"] for line in found["by_organization"]] == ["B", "A", "D", "W"]
    assert {len(line["runs"]) for line in found["by_organization"]} == {2}, "a line for each threshold, of the last day"
    assert {line["largest"][0]["published_until"] for line in found["by_organization"]} == {"2024-12-31"}
    assert [line["published_until"][:4] for line in found["largest"]] == ["2022", "2023", "2024"]
    assert [row["threshold_flop"] for row in found["runs"]] == [1e25] * 3 + [1e26] * 3
    assert by_organization(pd.DataFrame(rows), []) == []


def test_of_equal_values_the_earlier_one_is_the_largest_and_before_any_there_is_none() -> None:
    rows = [published("late", 1e25, "2024-05-01"), published("early", 1e25, "2023-05-01")]
    none, first, _ = largest(pd.DataFrame(rows), [pd.Timestamp(year, 12, 31) for year in (2022, 2023, 2024)])
    assert (first["model_id"], first["training_compute_flop"]) == ("early", 1e25)
    assert (none["model_id"], none["training_compute_flop"], none["most_flop"]) == (None, None, None)
    last = largest(pd.DataFrame(rows), [pd.Timestamp("2024-12-31")])[0]
    assert last["model_id"] == "early"
    assert last["median"] == float(f"{last['median']:.3g}"), "three digits"


@pytest.fixture(scope="module")
def told(built: Paths) -> dict[str, Any]:
    """What the command says of the small dataset."""
    result = CliRunner().invoke(command, ["--data", str(built.processed), "--json"])
    return dict(json.loads(result.stdout))


def test_the_command_prints_what_json_says(built: Paths, told: dict[str, Any]) -> None:
    shown = CliRunner().invoke(command, ["--data", str(built.processed)]).stdout
    found, last = told, told["largest"][-1]
    assert f"{last['published_until']}  " in shown
    assert last["model_id"] in shown
    counts = [f"{row['expected_runs']:.1f} ({row['low_90']}–{row['high_90']})" for row in found["runs"]]
    counts += [f"{row['expected_runs']:.1f} (" for line in found["by_organization"] for row in line["runs"]]
    assert all(count in shown for count in counts)
    shares = [part / found["runs"][-1]["expected_runs"] for part in parts_of(found["runs"][-1]).values()]
    assert sum(shares) == pytest.approx(1, abs=1e-4)


def test_one_organisation_by_date(built: Paths, told: dict[str, Any]) -> None:
    data = ["--data", str(built.processed)]
    alone = json.loads(CliRunner().invoke(command, [*data, "--json", "--organization", "OpenAI"]).stdout)
    (line,) = [line for line in told["by_organization"] if line["organization"] == "OpenAI"]
    last = alone["largest"][-1]["published_until"]
    until_then = [row for row in alone["runs"] if row["published_until"] == last]
    assert (alone["largest"][-1], until_then) == (line["largest"][0], line["runs"])
    unknown_name = CliRunner().invoke(command, [*data, "--organization", "OpenAi"])
    assert unknown_name.exit_code == 1
    assert "no model of 'OpenAi'; did you mean OpenAI?" in unknown_name.output
