"""One quantity, one number: what tables, views, commands, figures, comparisons and pages say of the same thing is
equal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipeline.paths import CHECKOUT, Paths
from pipeline.site.explorer import EXPECTED
from traincompute.base.places import DUCKDB_NAME
from traincompute.cli import group
from traincompute.comparison import GROWTH, compare
from traincompute.database import connect_sealed as open_sealed

DOCS = CHECKOUT / "docs"
Printed = dict[str, Any]
FRONTIER = "training_compute_flop:running_top_ten"
FIGURE = DOCS / "figures" / "training-compute.svg"  # which the README shows

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def root(real: Paths, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The real dataset as the one that commands use."""
    monkeypatch.delenv("TRAINCOMPUTE_DATA", raising=False)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(real.root))
    return real.root


def printed(*words: str) -> Printed:
    result = CliRunner().invoke(group, [*words, "--json"])
    assert result.exit_code == 0, result.output
    found: Printed = json.loads(result.stdout)
    return found


def rows_of_page(name: str, pattern: str) -> list[list[str]]:
    """The cells of the lines of a page that fit the pattern."""
    lines = re.findall(rf"^{pattern}.*$", (DOCS / name).read_text(encoding="utf-8"), re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def ask(folder: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with open_sealed(folder / DUCKDB_NAME) as connection:
        return connection.execute(query, list(values)).fetchall()


def value(folder: Path, trend: str) -> float:
    [(found,)] = ask(folder, "select growth_per_year from trends where trend_id = ?", trend)
    return float(found)


def test_growth_since_2010(published: Path, root: Path) -> None:
    growth = value(published, GROWTH)
    trends = printed("trends", "--quantity", "training_compute_flop", "--group", "notable")
    assert isinstance(trends, list)
    assert [row["growth_per_year"] for row in trends if row["trend_id"] == GROWTH] == [growth]
    headline = compare(published, published).headlines[-1]
    assert (headline["old"], headline["new"]) == (growth, growth)
    [page] = rows_of_page("questions.md", r"\| notable \| 2010 \|")
    assert float(page[3]) == float(f"{growth:.4g}")
    [drawn] = set(re.findall(r"of their day and ([0-9.]+)× a year \[", FIGURE.read_text(encoding="utf-8")))
    assert drawn == f"{growth:.1f}"


def test_growth_of_the_ten_largest(published: Path) -> None:
    growth = value(published, "training_compute_flop:running_top_ten:2010")
    [page] = rows_of_page("questions.md", r"\| running_top_ten \| 2010 \|")
    [drawn] = set(re.findall(r"largest training runs has grown ([0-9.]+)× a year", FIGURE.read_text(encoding="utf-8")))
    assert (float(page[3]), drawn) == (float(f"{growth:.4g}"), f"{growth:.1f}")


@pytest.mark.parametrize("since", ["2010-01-01", "2018-01-01"])
def test_the_frontier_of_models_is_the_running_top_ten_of_trends(published: Path, since: str) -> None:
    query = """WITH first AS (FROM models WHERE frontier_rank <= 10 AND publication_date >= ?::DATE
        QUALIFY row_number() OVER (PARTITION BY training_run_id ORDER BY publication_date, model_id) = 1)
      SELECT count(*), 10 ^ regr_slope(log10(training_compute_flop), epoch(publication_date) / 86400 / 365.2425) \
FROM first"""
    [(runs, growth)] = ask(published, query, since)
    [(n,)] = ask(published, "select n from trends where trend_id = ?", trend := f"{FRONTIER}:{since[:4]}")
    assert runs == n
    assert growth == pytest.approx(value(published, trend), rel=1e-4)
    page = (DOCS / "fit-growth.md").read_text(encoding="utf-8")
    if since == "2018-01-01":
        assert re.search(rf"top ten when new +{runs} runs  × {growth:.2f} a year", page)


def test_eras_of_models_are_those_of_trends(published: Path) -> None:
    query = """SELECT era_compute, count(DISTINCT training_run_id) FROM models
      WHERE is_notable AND training_compute_source <> 'imputed' AND publication_date IS NOT NULL GROUP BY ALL"""
    trends = """SELECT trend_id.split(':')[3], n FROM trends WHERE "group" = 'era_compute'
      AND quantity = 'training_compute_flop'"""
    assert sorted(ask(published, query)) == sorted(ask(published, trends))


def test_growth_within_eras(published: Path) -> None:
    query = """SELECT replace("group", 'era_', ''), member, growth_per_year, doubling_months FROM trends
      WHERE quantity = 'training_compute_flop' AND "group" IN ('era_compute', 'era_economic')"""
    found = ask(published, query)
    assert len(found) == 6
    for kind, era, growth, months in found:
        assert growth == value(published, f"training_compute_flop:era_{kind}:{era}")
        [page] = rows_of_page("questions.md", rf"\| {kind} \| {era} \|")
        assert [float(cell) for cell in page[-2:]] == [float(f"{number:.4g}") for number in (growth, months)]


def test_runs_above_1e25_today(published: Path, root: Path) -> None:
    query = """SELECT strftime(published_until, '%Y-%m-%d'), runs, models, low_90, high_90, expected_runs FROM \
thresholds
      WHERE threshold_flop = 1e25 AND scope = 'notable' ORDER BY published_until DESC LIMIT 1"""
    [view] = ask(published, query)
    [(reach,)] = ask(
        published,
        """select strftime(max(publication_date), '%Y-%m-%d')
        from models""",
    )
    assert view[0] == reach
    told = printed("thresholds", "1e25")
    years = told["by_year"]
    assert isinstance(years, list)
    assert told["data_reach_to"] == reach
    keys = ("published_until", "runs", "models", "low_90", "high_90")
    assert tuple(years[-1][key] for key in keys) == view[:5]
    assert years[-1]["expected_runs"] == pytest.approx(view[5], abs=1e-3)
    [(counted,)] = ask(
        published,
        """select count(distinct training_run_id) from models
            where is_notable and training_compute_flop >= 1e25""",
    )
    assert counted == view[1]


@pytest.mark.parametrize("threshold", [1e25, 1e26])
def test_expected_runs_are_the_sum_of_the_probabilities_of_runs(published: Path, root: Path, threshold: float) -> None:
    """Of the view, of each run the likeliest of the models that are known best; and what `thresholds` and the explorer
    say."""
    query = """WITH best AS (FROM threshold_probabilities WHERE threshold_flop = ? AND is_notable
        QUALIFY tier = min(tier) OVER (PARTITION BY training_run_id))
      SELECT sum(likeliest) FROM (SELECT max(probability) AS likeliest FROM best GROUP BY training_run_id)"""
    [(added,)] = ask(published, query, threshold)
    counted = "threshold_flop = ? AND scope = 'notable' ORDER BY published_until DESC LIMIT 1"
    last = ask(published, f"SELECT runs, expected_runs, low_90, high_90 FROM thresholds WHERE {counted}", threshold)[0]
    assert last[1] == pytest.approx(added, abs=2e-3)
    row = printed("thresholds", f"{threshold:g}")["by_year"][-1]
    assert tuple(row[name] for name in ("runs", "low_90", "high_90")) == (last[0], last[2], last[3])
    assert row["expected_runs"] == pytest.approx(last[1], abs=1e-3)
    [shown] = [row[2:] for row in ask(published, EXPECTED) if row[:2] == (threshold, "notable")]
    assert shown == last


def test_the_share_of_notable_models_with_a_value(published: Path) -> None:
    query = """SELECT count(DISTINCT training_run_id) FILTER (training_compute_source <> 'imputed')
        / count(DISTINCT training_run_id) FROM models
      WHERE is_notable AND publication_date >= ?::DATE"""
    found = [ask(published, query, day)[0][0] for day in ("2018-01-01", "2024-01-01")]
    trend = """select valued_share, valued_share_since_2024
        from trends where trend_id = ?"""
    [told] = ask(published, trend, "training_compute_flop:notable:2018")
    assert list(told) == pytest.approx(found, abs=1e-4)
    page = (DOCS / "fit-growth.md").read_text(encoding="utf-8")
    assert f"with a value: {told[0]:.0%} of the runs, {told[1]:.0%} of those since 2024" in page
