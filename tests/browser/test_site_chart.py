"""The chart: axes, colours, areas, and what is taken along from it."""

from __future__ import annotations

import csv
import io
import json
import struct
import time
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import pandas as pd
import pytest
from browser import Browser, place, saved_by
from test_site import package_beside, wait_for

DOWNLOADS = "Browser.setDownloadBehavior"


@pytest.mark.parametrize("model", ["gpt-3-175b", "grok-4"])
def test_a_tap_opens_a_model_and_leaves_it_open(blank: Browser, model: str) -> None:
    """A phone sends a click after the touch, which must not hit what the touch has opened there."""
    blank.resize(390, 844)
    blank.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        blank.open()
        x, y = place(blank, model)
        for kind, touches in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
            blank.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
        blank.wait("return document.querySelector('#model .sources')")
        time.sleep(0.5)  # longer than a browser waits for a second tap
        assert blank.run("return document.querySelector('#model').open")
    finally:
        blank.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_large_numbers_of_a_download_are_numbers_to_pandas(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    """It takes 65800000000000000000 for a text, and with it the column where no number above has a point or an
    exponent."""
    saved = csv.DictReader(io.StringIO(saved_by(page, "#download-csv")))
    cells = {row["model_id"]: row["training_compute_flop"] for row in saved}
    large = [cell for cell in cells.values() if cell and 2e19 < float(cell) < 1e21]
    assert pd.read_csv(io.StringIO("\n".join(["flop", *large])))["flop"].dtype == "float64"
    known = database.execute("select model_id, training_compute_flop from models where is_notable").fetchall()
    assert {key: float(cell) if cell else None for key, cell in cells.items()} == dict(known)


def test_the_chart_and_its_data_are_saved(blank: Browser, database: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    blank.driver.execute_cdp_cmd(DOWNLOADS, {"behavior": "allow", "downloadPath": str(tmp_path)})
    blank.open(
        "y=training_cost_usd&organizations=Google&from=2019-01-01&tiers=1&intervals=1&chips=1&view=17900,20000,3.5,8"
    )
    blank.click("#share summary")
    for form in ("svg", "png", "csv", "package"):
        blank.click(f"#save-{form}")
    forms = ("svg", "png", "csv", "datapackage.json")
    svg, png, data, _ = (wait_for(tmp_path / f"traincompute-training_cost_usd.{form}", blank) for form in forms)
    texts = " ".join(ElementTree.parse(svg).getroot().itertext())
    assert "Training cost [USD]" in texts
    assert "Google TPU v4" in texts  # a chip, on the day it came out
    assert "CC BY 4.0" in texts
    wide, tall = struct.unpack(">II", png.read_bytes()[16:24])
    assert wide == round(blank.run("return traincompute.chart.width") * 300 / 96)
    assert png.stat().st_size > 0.02 * wide * tall  # an empty picture packs far better
    beside = package_beside(data)
    assert beside["licenses"][0]["name"] == "CC-BY-4.0"
    assert beside["version"] == blank.run("return traincompute.data.about.version")
    rows = list(csv.DictReader(data.read_text(encoding="utf-8").splitlines()))
    told = database.execute(beside["query"])
    names = [column[0] for column in told.description or []]
    expected = {row[0]: dict(zip(names, row, strict=True)) for row in told.fetchall()}
    assert 20 < len(rows) == blank.run("return traincompute.chart.visible.length") == len(expected)
    for row in rows:
        assert float(row["training_cost_usd"]) == expected[row["model_id"]]["training_cost_usd"]


def test_a_citation_names_the_version(page: Browser) -> None:
    about = page.run("return traincompute.data.about")
    assert about["version"] in about["citation"]
    assert about["version"] in page.text("#tagline")
    assert json.dumps(about).count("0.1.0") == 0
