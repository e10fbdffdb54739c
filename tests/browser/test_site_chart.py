"""The chart: axes, colours, areas, and what is taken along from it."""

from __future__ import annotations

import csv
import json
import struct
from pathlib import Path
from xml.etree import ElementTree

import duckdb
from browser import Browser
from test_site import package_beside, wait_for

DOWNLOADS = "Browser.setDownloadBehavior"


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
