"""docs/figures.md: every figure stands on it, and its query gives as many rows as the figure says it draws."""

from __future__ import annotations

import re
from typing import Any

import duckdb
import pandas as pd
import pytest

from pipeline.paths import CHECKOUT, Paths
from pipeline.present.docs.figures import declared_figures, figures_page

pytest.importorskip("vl_convert")

from pipeline.config import load_constants
from pipeline.present.figures import concentration, plain, supply, thresholds
from pipeline.present.figures.data import Data
from pipeline.present.figures.write import FIGURES

QUERY_OF = {figure.name: figure.query for figure in declared_figures()}


@pytest.fixture(scope="module")
def data(real: Paths) -> Data:
    return Data(real)


def rows(database: duckdb.DuckDBPyConnection, name: str) -> pd.DataFrame:
    return database.execute(QUERY_OF[name]).df()


def drawn_rows(part: Any) -> list[list[dict[str, Any]]]:
    """The rows of each layer of a specification."""
    if isinstance(part, list):
        return [rows for one in part for rows in drawn_rows(one)]
    held = [part["data"]["values"]] if "data" in part else []
    return held + [rows for name in ("layer", "vconcat") for rows in drawn_rows(part.get(name, []))]


def test_every_figure_stands_on_the_page_once() -> None:
    assert list(QUERY_OF) == list(FIGURES)
    assert figures_page(declared_figures()) == (CHECKOUT / "docs" / "figures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["training-compute", "parameters", "cost", "power"])
def test_the_query_gives_the_runs_that_are_drawn(database: duckdb.DuckDBPyConnection, data: Data, name: str) -> None:
    drawn = str(FIGURES[name](data))
    [runs] = set(re.findall(r"all (\d+) runs of notable models", drawn))
    [ten] = set(re.findall(r"(\d+) among the ten largest by FLOP", drawn))
    found = rows(database, name)
    among = found["among_ten"].fillna(False).astype(bool)  # of those without FLOP nobody knows it
    assert (len(found), among.sum()) == (int(runs), int(ten))


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("training-compute", "training_compute_flop"),
        ("parameters", "parameters"),
        ("cost", "training_cost_usd"),
        ("power", "training_power_w"),
    ],
)
def test_the_rates_in_a_key_are_those_of_the_table_trends(
    database: duckdb.DuckDBPyConnection, data: Data, name: str, quantity: str
) -> None:
    texts = " ".join(row.get("text", "") for held in drawn_rows(FIGURES[name](data)) for row in held)
    for group in ("notable", "running_top_ten"):
        query = "select growth_per_year, growth_low, growth_high from trends where trend_id = ?"
        found = database.execute(query, [f"{quantity}:{group}:2010"]).fetchone()
        assert found is not None
        assert "{:.1f}× a year [{:.1f}–{:.1f}]".format(*found) in texts


def test_the_query_gives_the_counts_above_thresholds(database: duckdb.DuckDBPyConnection, data: Data) -> None:
    found = rows(database, "thresholds").groupby("threshold_flop").last()
    said = str(thresholds.draw(data))
    for level in thresholds.LEVELS:
        row = found.loc[float(f"1e{level}")]
        assert f"1e{level} FLOP: {row['runs']:.0f} by value, {row['low_90']:.0f}–{row['high_90']:.0f} expected" in said


def test_the_query_gives_the_shares_that_are_drawn(database: duckdb.DuckDBPyConnection, data: Data) -> None:
    shares = concentration.compute_shares(data.prepared, data.table("organizations"))
    drawn = shares.pivot_table(index="year", columns="what", values="share")
    assert drawn[list(concentration.ORGANISATIONS)].sum(axis=1).to_list() == pytest.approx([1.0] * len(drawn))
    assert drawn[list(concentration.COUNTRIES)].sum(axis=1).to_list() == pytest.approx([1.0] * len(drawn))
    found = rows(database, "concentration").set_index("year")
    assert found["largest"].to_list() == pytest.approx(drawn["largest organisation"].to_list())
    three = drawn["largest organisation"] + drawn["second and third"]
    assert found["three_largest"].to_list() == pytest.approx(three.to_list())


def test_the_query_gives_the_compute_in_use(database: duckdb.DuckDBPyConnection, data: Data) -> None:
    peak = load_constants(data.paths)["equivalents"]["h100"]
    drawn = 10 ** supply.in_use(data.table("chip_stock"), peak)["value"]
    assert rows(database, "compute-in-use")["flop_a_year"].to_list() == pytest.approx(drawn.to_list())


@pytest.mark.parametrize("name", ["tokens-per-parameter", "predicted-published", "revisions", "scored-estimates"])
def test_the_query_gives_as_many_rows_as_the_key_counts(
    database: duckdb.DuckDBPyConnection, data: Data, name: str
) -> None:
    counts = {
        "tokens-per-parameter": r"(\d+) (?:notable models|others)",
        "predicted-published": r".*: (\d+) models, .*",
        "revisions": r".*: (\d+)",
        "scored-estimates": r"from .*: (\d+)",
    }
    texts = {row["text"] for held in drawn_rows(FIGURES[name](data)) for row in held if "text" in row}
    said = [int(found[1]) for text in texts if (found := re.fullmatch(counts[name], text))]
    assert len(said) >= 2
    assert len(rows(database, name)) == sum(said)


@pytest.mark.parametrize("name", list(plain.FIGURES))
def test_every_row_of_the_query_is_drawn_in_a_colour_of_the_key(
    database: duckdb.DuckDBPyConnection, data: Data, name: str
) -> None:
    found, specification = rows(database, name), FIGURES[name](data)
    [marks] = [held for held in drawn_rows(specification) if "part" in held[0]]
    column = found.iloc[:, 1 if "models" in found else -1]
    assert sorted(mark["part"] for mark in marks) == sorted(column)
    assert all(f"'{part}'" in str(specification["vconcat"]) for part in set(column))
    if "models" in found:
        assert sum(mark["models"] for mark in marks) == pytest.approx(found["models"].sum(), abs=0.05)
    else:
        assert all(len(mark) == 3 and None not in mark.values() for mark in marks)
