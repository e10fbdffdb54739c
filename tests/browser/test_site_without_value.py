"""Models without a value of training compute: what the pages say of them is what the table `predictions` holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from browser import Browser

MODEL = "claude-opus-5"
PREDICTED = """select flop_05, flop_25, flop_50, flop_75, flop_95 from predictions join models using (model_id)
    where training_compute_flop is null and model_id = ?"""
SHOWN = """const { data, likelyOf, likelyWords } = traincompute;
    return arguments[0].map((id) => likelyWords(likelyOf(data.rowOf.get(id))));"""
AT_BAR = """const bar = traincompute.chart.bars.find((one) => one.row === traincompute.data.rowOf.get(arguments[0]));
    const box = document.getElementById("surface").getBoundingClientRect();
    return bar && [box.left + bar.px, box.top + bar.py];"""


@pytest.fixture
def facts(chromium: Browser, folder: Path) -> Iterator[Browser]:
    chromium.home = (folder / "facts.html").as_uri()
    chromium.resize(1440, 900)
    yield chromium
    assert chromium.errors() == []


def quantiles(database: duckdb.DuckDBPyConnection, model: str) -> list[float]:
    return list(database.execute(PREDICTED, [model]).fetchone() or ())


def short(value: float, digits: int) -> str:
    return f"{value:.{digits}g}".replace("e+", "e")


def test_its_page_tells_the_quantiles_of_predictions_and_no_other(
    facts: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    facts.open(f"model={MODEL}")
    label = facts.wait("return document.querySelector('#content svg')?.getAttribute('aria-label')")
    low, _, middle, _, high = quantiles(database, MODEL)
    told = f"{short(middle, 4)} ({short(low, 3)} – {short(high, 3)})"
    assert label.endswith(f"half below {told}")
    assert short(middle, 4) in facts.text(".cards")
    assert "our " not in label
    assert facts.run("return document.querySelectorAll('#content svg circle').length") == 0


def test_its_bar_stands_in_the_first_view_and_tells_what_it_is(
    page: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    x, y = page.wait(AT_BAR, "gpipe-transformer")
    count = """select count(*) from predictions join models using (model_id) where is_notable and training_compute_flop
        is null and publication_date between ? and ?"""
    first, last = page.run(
        "return traincompute.chart.view.slice(0, 2).map((day) => new Date(day * 864e5).toISOString())"
    )
    drawn = page.run("return traincompute.chart.bars.length")
    assert (drawn,) == database.execute(count, [first[:10], last[:10]]).fetchone()
    assert drawn > 200
    assert page.text(".key-tiers").startswith(f"{drawn} models without a value")
    page.mouse("mouseMoved", x, y)
    tip = page.wait("const tip = document.getElementById('tooltip'); return !tip.hidden && tip.textContent")
    assert "half below" in tip
    page.press(x, y)
    page.wait("return document.querySelector('#model').open && document.querySelector('#model .cards')")
    assert page.text("#model-name") in tip
    assert "half below" in page.text("#model .cards")


def test_it_is_compared_with_others(facts: Browser, database: duckdb.DuckDBPyConnection) -> None:
    facts.open(f"compare={MODEL},gpt-4")
    label = facts.wait("return document.querySelector('#content svg')?.getAttribute('aria-label')")
    low, *_, high = quantiles(database, MODEL)
    assert "Claude Opus 5" in label
    assert f"no value; 90 %: {short(low, 3)} – {short(high, 3)} FLOP" in facts.text(".compared")
