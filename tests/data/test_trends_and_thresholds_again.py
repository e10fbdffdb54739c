"""The published trends, thresholds and estimates, worked out again from the other published tables with plain pandas
and numpy: nothing of the pipeline's arithmetic is used."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

Row = Any  # a named tuple of `itertuples`
Fitted = dict[str, pd.DataFrame]  # the models that each trend is fitted to, by the identifier of the trend
EPOCH = pd.Timestamp("1970-01-01")
YEAR = 365.2425
PUBLISHED = ["reported", "third_party", "corrected"]
SOURCES = {
    "training_compute_flop": "training_compute_source",
    "training_cost_usd": "training_cost_source",
    "training_cost_cloud_usd": "training_cost_cloud_source",
    "training_power_w": "training_power_source",
    "training_energy_kwh": "training_energy_source",
    "training_carbon_kg": "training_carbon_source",
}
UNITS = {
    "parameters": "parameter",
    "training_compute_flop": "FLOP",
    "hardware_quantity": "chip",
    "training_cost_usd": "USD",
    "training_power_w": "W",
    "training_tokens": "token",
}
ERAS = ("era_compute", "era_economic")
LISTS = {"country": "countries", "organization": "organizations"}
SHARED_ERROR, GROUP_ERROR, OWN_ERROR = 0.1, 0.4, 0.5  # variance of all runs, of an organization's half-year, of one run
MODEL_COLUMNS = [
    *("model_id", "training_run_id", "publication_date", "is_notable", "is_frontier_upstream", "frontier_rank"),
    *("organization", "domains", "countries", "organizations", *ERAS),
    *("training_compute_low", "training_compute_high", "training_compute_confidence"),
    *dict.fromkeys((*UNITS, *SOURCES, *SOURCES.values())),
]
OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
QUANTILES = ["low", "quantile_25", "quantile_50", "quantile_75", "high"]


def table(published: Path, name: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
    return pd.read_csv(published / f"{name}.csv", low_memory=False, usecols=columns)


@pytest.fixture(scope="module")
def models(published: Path) -> pd.DataFrame:
    frame = table(published, "models", MODEL_COLUMNS)
    frame["publication_date"] = pd.to_datetime(frame["publication_date"])
    return frame.sort_values(["publication_date", "model_id"])


@pytest.fixture(scope="module")
def trends(published: Path) -> pd.DataFrame:
    return table(published, "trends")


@pytest.fixture(scope="module")
def thresholds(published: Path) -> pd.DataFrame:
    return table(published, "thresholds").assign(published_until=lambda t: pd.to_datetime(t["published_until"]))


@pytest.fixture(scope="module")
def estimates(published: Path) -> pd.DataFrame:
    return table(published, "estimates")


# --- trends


def names(column: pd.Series, wanted: str) -> pd.Series:
    return (";" + column.fillna("") + ";").str.contains(f";{wanted};", regex=False)


def is_member(row: Row, models: pd.DataFrame) -> pd.Series:
    """Which models are of the group of a trend."""
    if row.group == "frontier_flag":
        return models["is_frontier_upstream"].eq(True) & models["is_notable"]
    if row.group == "running_top_ten":
        return models["frontier_rank"] <= 10
    if row.group in ERAS:
        known = models["training_compute_flop"].notna() & models["training_compute_source"].isin(PUBLISHED)
        return models["is_notable"] & (models[row.group] == row.member) & known
    if row.group in LISTS:
        return names(models[LISTS[row.group]], row.member)
    notable = models["is_notable"] if row.group.startswith("notable") else pd.Series(True, index=models.index)
    return notable & names(models["domains"], "Language") if row.group.endswith("language") else notable


def since(row: Row, models: pd.DataFrame) -> pd.DataFrame:
    dated = models[models["publication_date"].notna()]
    return dated if pd.isna(row.since) else dated[dated["publication_date"] >= row.since]


def with_value(row: Row, models: pd.DataFrame) -> pd.DataFrame:
    """The models of which the quantity is published."""
    positive = models[models[row.quantity] > 0]
    source = SOURCES.get(row.quantity)
    return positive[positive[source].isin(PUBLISHED)] if source else positive


def fitted_models(row: Row, models: pd.DataFrame) -> pd.DataFrame:
    return with_value(row, since(row, models[is_member(row, models)]))


@pytest.fixture(scope="module")
def fitted(trends: pd.DataFrame, models: pd.DataFrame) -> Fitted:
    return {str(row.trend_id): fitted_models(row, models) for row in trends.itertuples()}


def runs_of(row: Row, fitted: Fitted) -> pd.DataFrame:
    """The first model of each run that a trend is fitted to."""
    return fitted[row.trend_id].drop_duplicates("training_run_id")


def years(dates: pd.Series) -> np.ndarray:
    """Years since the start of 2020."""
    return ((dates - EPOCH).dt.days / YEAR - 50).to_numpy()


def points(row: Row, fitted: Fitted) -> tuple[np.ndarray, np.ndarray]:
    runs = runs_of(row, fitted)
    return years(runs["publication_date"]), np.log10(runs[row.quantity].to_numpy(float))


def months_to_double(growth: float) -> float:
    return 12 * np.log(2) / np.log(growth) if growth > 1 else np.nan


def line(row: Row, fitted: Fitted) -> dict[str, float]:
    """The straight line through the logarithms, by least squares."""
    at, value = points(row, fitted)
    slope, level = np.polyfit(at, value, 1)
    return {
        "growth_per_year": 10**slope,
        "doubling_months": months_to_double(10**slope),
        "level_2020": 10**level,
    }


def differing(rows: list[Row], worked_out: list[dict[str, float]], relative: float, absolute: float = 0) -> list[str]:
    """The values that are not those worked out."""
    return [
        f"{row[1]} {name}: {getattr(row, name)}, worked out {value}"
        for row, values in zip(rows, worked_out, strict=True)
        for name, value in values.items()
        if not np.isclose(getattr(row, name), value, rtol=relative, atol=absolute, equal_nan=True)
    ]


def test_the_line_of_a_trend_is_the_least_squares_line_through_the_runs(trends: pd.DataFrame, fitted: Fitted) -> None:
    """Growth, doubling time, level of 2020, R² and residual, from the first model of each run with a published
    value."""
    rows = list(trends.itertuples())
    assert differing(rows, [line(row, fitted) for row in rows], 6e-6) == []


def test_a_trend_counts_its_runs_models_and_days(trends: pd.DataFrame, fitted: Fitted) -> None:
    wrong = []
    for row in trends.itertuples():
        days = runs_of(row, fitted)["publication_date"].dt.strftime("%Y-%m-%d")
        counted = (len(days), len(fitted[row.trend_id]), days.min(), days.max(), UNITS[str(row.quantity)])
        if counted != (row.n, row.models, row.first_date, row.last_date, row.unit):
            wrong.append((row.trend_id, counted))
    assert wrong == []


def test_the_ends_of_the_doubling_time_are_those_of_the_growth(trends: pd.DataFrame) -> None:
    wrong = []
    for row in trends.itertuples():
        for months, growth in ((row.doubling_low, row.growth_high), (row.doubling_high, row.growth_low)):
            allowed = 6e-6 + (5e-6 / np.log(growth) if growth > 1 else 0)
            if not np.isclose(months, months_to_double(growth), rtol=allowed, atol=0, equal_nan=True):
                wrong.append((row.trend_id, months, growth))
    assert wrong == []


# --- thresholds


def in_scope(row: Row, frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["is_notable"]] if row.scope == "notable" else frame


def test_the_runs_above_a_threshold_are_counted(thresholds: pd.DataFrame, models: pd.DataFrame) -> None:
    wrong = []
    for row in thresholds.itertuples():
        out = in_scope(row, models[models["publication_date"] <= row.published_until])
        above = out[out["training_compute_flop"] >= row.threshold_flop]
        stated = above[above["training_compute_source"].isin(PUBLISHED)]
        counted = (above["training_run_id"].nunique(), len(above), stated["training_run_id"].nunique())
        if counted != (row.runs, row.models, row.published_values):
            wrong.append((row.threshold_id, counted))
    assert wrong == []


# --- estimates


def arithmetic(node: ast.AST) -> float:
    """The value of a tree of arithmetic."""
    if isinstance(node, ast.Expression):
        return arithmetic(node.body)
    if isinstance(node, ast.BinOp):
        return float(OPERATIONS[type(node.op)](arithmetic(node.left), arithmetic(node.right)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -arithmetic(node.operand)
    assert isinstance(node, ast.Constant), ast.dump(node)
    return float(node.value)


def number(formula: str) -> float:
    """What the numbers of a printed formula make."""
    text = re.sub(r"\((?![^()]* [×÷+] )[^()]*\)", "", formula)
    text = re.sub(r" of [\d.e+]+ USD|W per chip|USD/h|FLOP/s|s/h|g/kWh", "", text)
    text = re.sub(r"(?<![\w.])[A-Za-z][A-Za-z/\-]*", "", text)
    signs = text.replace("×", "*").replace("÷", "/").replace("^", "**")
    return arithmetic(ast.parse(signs.strip(), mode="eval"))


def test_the_formula_of_an_estimate_gives_its_value(estimates: pd.DataFrame) -> None:
    """Its numbers are rounded."""
    wrong = []
    for row in estimates[estimates["value"].notna()].itertuples():
        found = number(str(row.formula))
        allowed = 0.025 if row.method == "capability_index" else 2e-3
        if abs(found / row.value - 1) > allowed:
            wrong.append((row.estimate_id, row.formula, found, row.value))
    assert wrong == []


def test_the_inputs_of_an_estimate_exist(estimates: pd.DataFrame, published: Path) -> None:
    inputs = estimates["inputs"].dropna().str.split(";").explode()
    known = {*table(published, "claims", ["claim_id"])["claim_id"], *estimates["estimate_id"]}
    assert len(inputs) > 20_000
    assert set(inputs) - known == set()


def products(estimates: pd.DataFrame, claims: dict[str, float]) -> Iterator[tuple[str, float, float]]:
    """Estimates of two claims: identifier, value, product."""
    for row in estimates[(estimates["method"] == "operation_counting") & estimates["value"].notna()].itertuples():
        factor = re.match(r"([\d.]+) × \S+ parameters × \S+ tokens$", str(row.formula))
        inputs = str(row.inputs).split(";")
        if factor and len(inputs) == 2 and set(inputs) <= claims.keys():
            yield str(row.estimate_id), float(row.value), float(factor[1]) * claims[inputs[0]] * claims[inputs[1]]


def test_parameters_times_tokens_are_those_of_the_claims_that_an_estimate_names(
    estimates: pd.DataFrame, published: Path
) -> None:
    claims = table(published, "claims", ["claim_id", "field", "value"]).set_index("claim_id")
    counts = claims[claims["field"].isin(["parameters", "parameters_active", "training_tokens"])]
    found = list(products(estimates, counts["value"].astype(float).to_dict()))
    assert len(found) > 300
    assert [one for one in found if abs(one[2] / one[1] - 1) > 1e-9] == []


def in_models(estimates: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """The estimates with the value in models and its source."""
    by_id, parts = models.set_index("model_id"), []
    for field, source in SOURCES.items():
        part = estimates[estimates["field"] == field]
        row = by_id.reindex(part["model_id"])
        parts.append(part.assign(stands=row[field].to_numpy(), source=row[source].to_numpy()))
    return pd.concat(parts)


def test_the_disagreement_of_an_estimate_is_its_distance_from_the_published_value(
    estimates: pd.DataFrame, models: pd.DataFrame
) -> None:
    rows = in_models(estimates[estimates["value"].notna()], models)
    away = np.log10(rows["value"] / rows["stands"]).where(rows["source"].isin(PUBLISHED))
    assert len(rows) == estimates["value"].notna().sum()
    assert np.allclose(away, rows["disagreement_dex"], rtol=0, atol=2e-9, equal_nan=True)


def test_the_selected_estimates_are_the_imputed_values_of_models(estimates: pd.DataFrame, models: pd.DataFrame) -> None:
    rows = in_models(estimates[estimates["value"].notna() & estimates["is_selected"]], models)
    assert (rows["source"] == "imputed").all()
    assert np.allclose(rows["value"], rows["stands"], rtol=1e-9, atol=0)
    assert len(rows) == sum((models[source] == "imputed").sum() for source in SOURCES.values())


def test_the_selected_bounds_stand_in_models(estimates: pd.DataFrame, models: pd.DataFrame) -> None:
    """A selected estimate without a value is a bound of compute in models, unless a source states a higher least, or
    the most while no least is known."""
    bounds = estimates[estimates["value"].isna() & estimates["is_selected"]]
    rows = models.set_index("model_id").loc[bounds["model_id"]]
    least, most = rows["training_compute_low"].to_numpy(), rows["training_compute_high"].to_numpy()
    stands = np.isclose(least, bounds["low"], rtol=1e-9) | np.isclose(most, bounds["high"], rtol=1e-9)
    higher = (least > bounds["low"]).to_numpy()
    by_a_source = bounds["low"].notna().to_numpy() & (higher | (np.isnan(least) & ~np.isnan(most)))
    assert len(bounds) > 200
    assert (stands | by_a_source).all()
    assert by_a_source[~stands].sum() <= 5


def test_the_quantiles_of_an_estimate_are_in_order(estimates: pd.DataFrame) -> None:
    fitted = estimates[estimates["quantile_25"].notna()]
    assert len(fitted) > 1000
    for lower, upper in pairwise(QUANTILES):
        assert (fitted[lower] <= fitted[upper]).all(), (lower, upper)


def test_the_quantiles_of_a_count_of_operations_are_those_of_its_prediction(
    estimates: pd.DataFrame, published: Path
) -> None:
    counted = estimates[estimates["method"] == "operation_counting"]
    both = counted.merge(table(published, "predictions"), on=["model_id", "estimate_id"])
    columns = ["model_id", "training_compute_low", "training_compute_high"]
    least, most = table(published, "models", columns).set_index("model_id").loc[both["model_id"]].to_numpy().T
    # of the others a source states the least or the most, which cuts them off
    both = both[(both["high"] <= most * 1.001) & (both["low"] >= least * 0.999)]
    assert len(both) > 100
    for mine, theirs in zip(QUANTILES, ("flop_05", "flop_25", "flop_50", "flop_75", "flop_95"), strict=True):
        assert np.allclose(both[mine], both[theirs], rtol=1e-3, atol=0), mine
