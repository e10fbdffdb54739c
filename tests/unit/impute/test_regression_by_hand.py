"""What the regression looks at and what it makes of it, worked out by hand for a few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from regression_rows import rows as regression_rows

from pipeline.impute.flop.methods import features, statistical
from pipeline.impute.flop.rows import FIELD

CHIPS = {
    "peak_tensor_fp16_flops": 3.12e14,  # of the A100 in BF16, says NVIDIA's data sheet
    "peak_fp32_flops": 1.95e13,
    "hardware_type": "GPU",
    "numerical_format": "BF16",
    "hardware_quantity": 100,
    "training_hours": 10,
}
PRODUCT = 100 * 10 * 3600 * 3.12e14 * 0.35  # at 35 % of the peak rate of the A100
SIZED = {"parameters": 1e8, "dataset_size": 1e10, "dataset_unit": "token"}


def rows(*cells: dict[str, Any]) -> pd.DataFrame:
    """A language model of 2023 per argument unless its cells say otherwise."""
    return regression_rows(*({"domains": "Language", "publication_date": "2023-06-01"} | cell for cell in cells))


def logs_of(made: pd.DataFrame, *base: float) -> pd.DataFrame:
    return features.log_numbers(made, pd.Series(base or np.nan, index=made.index, dtype="float64"))


def test_numbers_are_taken_from_what_says_most() -> None:
    full = SIZED | CHIPS | {"parameters": 1e9, "parameters_active": 1e8, "epochs": 2, "batch_size": 1e5}
    full |= {"finetune_compute_flop": 1e19}
    found = 10 ** logs_of(rows(full), 1e22).iloc[0]
    assert found.to_dict() == pytest.approx(
        {
            "parameters": 1e8,
            "dataset": 1e10,
            "epochs": 2,
            "count": 6 * 1e8 * 2e10,
            "product": PRODUCT,
            "rate": 100 * 3.12e14,
            "chips": 100,
            "hours": 10,
            "peak": 3.12e14,
            "batch": 1e5,
            "base": 1e22,
            "further": 1e19,
        },
        rel=1e-6,
    )
    seen, once, hours = (
        10 ** logs_of(rows(SIZED | cell)).iloc[0]
        for cell in ({"training_tokens": 3e10, "epochs": 9}, {}, {"dataset_unit": "hour_of_audio"})
    )
    assert seen[["dataset", "count"]].tolist() == pytest.approx([3e10, 6 * 1e8 * 3e10]), "tokens seen count epochs"
    assert once["count"] == pytest.approx(6 * 1e8 * 1e10), "an unknown number of epochs is one"
    assert hours[["dataset", "count"]].isna().all(), "hours of sound are no examples"


def test_a_row_starts_from_the_first_that_is_known() -> None:
    vision = {**SIZED, "domains": "Vision"}
    cells = [SIZED | CHIPS, SIZED | CHIPS, SIZED | {"epochs": 2}, SIZED, vision | {"epochs": 2}, vision]
    cells += [{"parameters": 1e8}, {"domains": "Vision", "epochs": 2}, {"parameters": 1e8, "training_tokens": 1e10}]
    made = rows(*cells)
    logs = logs_of(made, 1e22, *[np.nan] * 8)
    start = features.starts(made, logs)
    assert start.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 2]
    counted = np.log10(6 * 1e18)
    assert features.anchors(logs, start).tolist() == pytest.approx(
        [22, np.log10(PRODUCT), np.log10(2) + counted, counted, 21, 21, 21, 21, counted]
    )


def nonzero(columns: features.Columns, row: int = 0) -> dict[str, float]:
    return {name: float(values[row]) for name, values in columns.items() if values[row]}


def designed(cell: dict[str, Any], words: list[str] | None = None) -> dict[str, dict[str, float]]:
    """The columns of both regressions that are not 0 for a row."""
    made = rows(cell)
    logs = logs_of(made)
    both = features.designs(made, logs, features.starts(made, logs), words or [])
    return {part: nonzero(columns) for part, columns in both.items()}


def test_the_columns_of_a_row_that_starts_near() -> None:
    cell = CHIPS | {"domains": "Vision", "parameters": 1e9, "parameters_active": 1e8, "open_weights": True}
    year = 1826 / 365.25  # 2023 began 1,826 days after 2018
    found = designed(cell | {"publication_date": "2023-01-01"}, ["domains:Vision", "domains:Language"])
    common = {
        "": 1,
        "year": year / 3,
        "year after 2018": year / 3,
        "experts": 1,
        "open weights": 1,
        "domains:Vision": 1,
    }
    number = {
        "parameters": (8 - 8.5) / 2,
        "product": (np.log10(PRODUCT) - 20.5) / 2,
        "rate": (np.log10(3.12e16) - 16) / 2,
        "chips": (2 - 1.5) / 2,
        "hours": (1 - 2) / 2,
        "peak": (np.log10(3.12e14) - 14) / 2,
    }
    known = {f"{name} known": 1 for name in number}
    inside = {
        f"from chips and hours: {name}": ({"": 1, "year": year / 3} | number)[name]
        for name in ("", "year", "parameters", "product", "rate")
    }
    assert found["near"] == pytest.approx({**common, **number, **known, **inside})
    free = {name: value for name, value in number.items() if name != "product"}
    free |= {f"{name} known": 1 for name in free}
    free |= {"year after 2022": (year - 4) / 3, "parameters²": 0.25**2, "parameters × year": -0.25 * year / 3}
    free |= {"rate × year": number["rate"] * year / 3, "Vision × parameters": -0.25}
    assert found["free"] == pytest.approx({**common, **free})


def test_numbers_are_counted_from_their_centres_in_steps_of_two_dex() -> None:
    centres = {
        "parameters": 8.5,
        "dataset": 9.0,
        "epochs": 1.0,
        "count": 20.0,
        "product": 20.5,
        "rate": 16.0,
        "chips": 1.5,
        "hours": 2.0,
        "peak": 14.0,
        "batch": 4.5,
        "base": 22.5,
        "further": 20.0,
    }
    logs = pd.DataFrame({name: [centre + 2] for name, centre in centres.items()})
    near = features.designs(rows({}), logs, np.array([7]), [])["near"]
    assert {name: near[name][0] for name in centres} == dict.fromkeys(centres, 1.0)


@pytest.mark.parametrize(("weights", "category"), [(False, "industry"), (False, "academia"), (True, "industry")])
def test_what_closed_language_models_do_not_disclose_has_columns_of_its_own(weights: bool, category: str) -> None:
    day = {"publication_date": "2020-01-01", "open_weights": weights, "organization_category": category}
    found = designed(day)["free"]
    year = 730 / 365.25 / 3
    always = {"": 1, "year": year, "year after 2018": year, "unknown parameters × year": year}
    closed = {"closed language": 1, "closed language × year": year} if not weights else {"open weights": 1}
    industry = {"industry × year": year} if category == "industry" else {}
    secret = {"secret size": 1, "secret size × year": year} if (weights, category) == (False, "industry") else {}
    assert found == pytest.approx(always | closed | industry | secret)
    assert "closed language" not in designed(day | {"domains": "Language;Medicine"})["free"], (
        "made for something special"
    )
    assert not {"secret size", "secret size × year", "unknown parameters × year"} & set(
        designed(day | {"parameters": 1e9})["free"]
    )


def test_years_count_from_2018_and_bend_twice() -> None:
    made = rows(*({"publication_date": day} for day in ("2008-01-01", "2013-01-01", None)))
    assert features.years(made).tolist() == pytest.approx([-3653 / 365.25, -1826 / 365.25, 2.0])
    logs = logs_of(made)
    columns = features.designs(made, logs, features.starts(made, logs), [])["free"]
    assert columns["year before 2012"].tolist() == pytest.approx([(6 - 3653 / 365.25) / 3, 0, 0])
    assert columns["year after 2018"].tolist() == pytest.approx([0, 0, 2 / 3])
    assert columns["experts"].tolist() == columns["open weights"].tolist() == [0, 0, 0], "nobody says so"
    assert columns["closed language"].tolist() == [0, 0, 0], "weights of which nobody says anything are not closed"


def test_words_that_enough_rows_have_get_a_column_but_not_what_is_computed_from_the_compute() -> None:
    cells = [
        {"domains": domains, "notability_criteria": "training_cost;highly_cited"} for domains in ("B;A", "A", "C;B")
    ]
    made = rows(*cells, {"domains": "A", "dataset_unit": "token", "organization_category": "industry"})
    assert features.common_words(made, 3) == ["domains:A", "notability_criteria:highly_cited"]
    assert features.common_words(made, 2)[:2] == ["domains:A", "domains:B"]
    assert features.common_words(made, 1)[2:-1] == [
        "domains:C",
        "dataset_unit:token",
        "organization_category:industry",
    ]


@pytest.mark.parametrize("scale", [None, 0.5])
def test_a_robust_fit_is_where_the_penalised_likelihood_is_flat(scale: float | None) -> None:
    draw = np.random.default_rng(1)
    matrix = np.column_stack([np.ones(40), draw.normal(size=40)])
    target = matrix @ np.array([2.0, -1.0]) + 0.1 * draw.normal(size=40) + 9 * (np.arange(40) % 8 == 0)
    own, ridge = draw.uniform(0.5, 2, 40), np.diag([0.5, 3.0])
    found = features.fit_robust(matrix, target, own, ridge, *([] if scale is None else [scale]))
    rest = target - matrix @ found
    assert matrix.T @ (own * rest / (1 + (rest / (scale or 1)) ** 2)) == pytest.approx(ridge @ found, abs=1e-3)


def test_the_fold_of_an_owner_is_the_same_for_good() -> None:
    """The stored coefficients and trees were fitted without the owners of a fold: the digest of their names decides
    it."""
    made = rows(*({"owner": name} for name in ("Google", "OpenAI", "Meta AI", "DeepSeek", "xAI", "Alibaba")))
    assert features.folds(made).tolist() == [0, 3, 1, 0, 3, 2]


@pytest.mark.parametrize(
    ("domains", "group"),
    [
        ("Language", "language"),
        ("Language;Vision", "multimodal"),
        ("Vision;Video", "vision"),
        ("Image generation", "image generation"),
        ("Games", "games"),
        ("Biology", "biology"),
        ("Speech", "speech"),
        ("Robotics", "other"),
        (None, "other"),
    ],
)
def test_models_are_scored_by_groups_of_domains(domains: str | None, group: str) -> None:
    made = rows({"domains": domains})
    assert features.domain_groups(made).tolist() == [group]


def coefficients(**tables: dict[str, list[float]]) -> pd.DataFrame:
    parts = {part: pd.DataFrame(table, index=list("01234")).T for part, table in tables.items()}
    return pd.concat(parts, names=["part", "name"])


def test_an_estimate_is_its_start_times_what_the_coefficients_of_its_fold_say() -> None:
    table = coefficients(
        near={"": [0.1, 0.2, 0.3, 0.4, 0.5], "domains:Language": [1.0] * 5, "cost:high": [99.0] * 5},
        free={"": [2.2, 2.4, 2.6, 2.8, 3.0], "domains:Vision": [-2.0] * 5},
    )
    made = rows(SIZED | {"owner": "OpenAI"}, SIZED | {"domains": "Vision", "epochs": 1, "owner": "Google"})
    first, second = features.folds(made)
    found = statistical.predict(made, pd.Series(np.nan, index=made.index), table)
    near, free = 1 + table.loc[("near", ""), str(first)], table.loc[("free", ""), str(second)] - 2
    assert found["value"].tolist() == pytest.approx([6e18 * 10**near, 1e21 * 10**free], rel=1e-3)
    assert found["formula"].tolist() == [f"6e+18 FLOP × {10**near:.4g}", f"1e+21 FLOP × {10**free:.4g}"]
    assert found["assumptions"].tolist() == ["from parameters and tokens", "from parameters, dataset and epochs"]
    assert found["fields"].tolist() == [
        "publication_date;parameters;dataset_size",
        "publication_date;parameters;dataset_size;epochs",
    ]
    assert (found["high"] / found["value"]).tolist() == pytest.approx([10**1.5] * 2)
    assert (found["reason"] == "").all()
    for wild, end in ((99.0, 1e30), (-99.0, 1e-30)):
        far = statistical.predict(made, pd.Series(np.nan, index=made.index), table.assign(**{str(second): wild}))
        assert far["value"].iloc[1] == end, "nothing is beyond 30 dex"


def sample(n: int = 90) -> pd.DataFrame:
    """Models of thirty organisations; of two in three 6 · N · D is known, and one in nine is far off it."""
    draw = np.random.default_rng(3)
    dex, place = draw.uniform(8, 11, (2, n)), np.arange(n)
    off = 0.1 * draw.normal(size=n) + 0.5 * (place % 2)  # those with open weights take more
    flop = 6 * 10 ** (dex.sum(axis=0) + off) * np.where(place % 9, 1, 1e3)
    cells = [
        {"owner": f"Lab {i % 30}", "parameters": 10 ** dex[0, i], FIELD: flop[i], "open_weights": bool(i % 2)}
        | ({"dataset_size": 10 ** dex[1, i], "dataset_unit": "token"} if i % 3 else {"domains": "Vision"})
        | ({"dataset_size": 1e9, "epochs": 2.0} if i % 6 == 3 else {})
        for i in place
    ]
    return rows(*cells, {"owner": "Nobody", "parameters": 1e9})


def test_the_fit_is_where_its_own_likelihood_is_flat() -> None:
    """Near with s = 0.2 dex and a penalty of 2.4; free with 1.5, 1.0, and half of the weight of what starts near."""
    made = sample()
    none, share = pd.Series(np.nan, index=made.index), pd.Series(np.arange(91) % 4 / 2, index=made.index)
    table = statistical.fit(made, none, share)
    assert list(table) == list("01234")
    assert (table == table.round(4)).all(axis=None)
    assert (table != table.round(3)).any(axis=None)
    known = made[made[FIELD].notna() & (share > 0)]
    logs = features.log_numbers(known, none[known.index])
    start, fold, dex = features.starts(known, logs), features.folds(known), np.log10(known[FIELD].to_numpy())
    both = features.designs(known, logs, start, ["domains:Language", "domains:Vision", "dataset_unit:token"])
    is_near, counts = start < 4, share[known.index].to_numpy()
    weights = {"near": is_near * 1.0, "free": np.where(is_near, 0.5, 1.0) * counts}
    targets = {"near": dex - features.anchors(logs, start), "free": dex - 21}
    for part, scale, penalty in (("near", 0.2, 2.4), ("free", 1.5, 1.0)):
        assert table.loc[part].index.tolist() == list(both[part])
        use = fold != 1
        matrix, found = np.column_stack(list(both[part].values()))[use], table.loc[part]["1"].to_numpy()
        rest = targets[part][use] - matrix @ found
        pull = matrix.T @ (weights[part][use] * rest / (1 + (rest / scale) ** 2))
        assert pull == pytest.approx(np.array([0.01, *[penalty] * (len(found) - 1)]) * found, abs=0.01)
