"""The chart: axes, colours, areas, and what is taken along from it."""

from __future__ import annotations

import csv
import json
import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import pytest
from browser import Browser, ids, place, saved_by
from test_site import package_beside, wait_for

DOWNLOADS = "Browser.setDownloadBehavior"


@pytest.mark.thorough
def test_every_pair_of_axes_shows_the_models_that_have_both(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    axes = page.run("return [...document.querySelectorAll('#y option')].map((o) => o.value)")
    assert axes == page.run("return [...document.querySelectorAll('#x option')].map((o) => o.value)")
    assert {"publication_date", "training_compute_flop", "training_cost_usd", "capability_index"} <= set(axes)
    for across in ("publication_date", "training_compute_flop", "capability_index"):
        page.choose("#x", across)
        for up in axes:
            page.run(
                "const y = document.querySelector('#y'); y.value = arguments[0]; y.dispatchEvent(new Event('change'))",
                up,
            )
            both = f"select model_id from models where is_notable and {up} is not null and {across} is not null"
            shown = page.run("return traincompute.chart.points.length")
            assert shown == len(ids(database, both)), (across, up)
            assert page.run("return traincompute.chart.view.every(Number.isFinite)"), (across, up)
            if shown:
                assert page.run("return traincompute.chart.visible.length > 0"), (across, up)
    assert page.errors() == []


@pytest.mark.thorough
def test_linear_axes_and_sizes_keep_the_points(blank: Browser) -> None:
    blank.open("x=training_compute_flop&y=training_cost_usd&size=parameters")
    before = blank.run("return traincompute.chart.points.length")
    sizes = blank.run("return [...new Set(traincompute.chart.visible.map((p) => Math.round(10 * p.size)))].length")
    assert sizes > 5
    blank.click("#options summary")
    blank.click("#yscale")
    blank.click("#xscale")
    assert blank.run("return traincompute.chart.points.length") == before
    assert blank.state()["yscale"] == "linear"
    assert blank.run("return traincompute.chart.view[3]") > 1e8


@pytest.mark.thorough
def test_the_colours_of_an_axis_are_of_its_own_source(blank: Browser, database: duckdb.DuckDBPyConnection) -> None:
    blank.open("y=training_cost_usd&colour=training_compute_source")
    group = "const p = traincompute.chart.visible; return [...new Set(p.map((q) => traincompute.groupsOf('training_cost_source').names[q.group]))]"
    sources = database.execute(
        "select distinct training_cost_source from models where is_notable and training_cost_usd > 0"
    )
    words = blank.run("return traincompute.data.settings.words")
    assert set(blank.run(group)) == {words.get(row[0], row[0]) for row in sources.fetchall()}
    blank.open("y=parameters&colour=training_compute_source")
    assert "not recorded" in blank.text("#legend")


@pytest.mark.thorough
def test_a_colour_of_the_legend_is_shown_alone_in_chart_table_headline_and_export(
    page: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    whole = page.listed()
    for name, test in (("Biology", "domains = ['Biology']"), ("Several domains", "len(domains) > 1")):
        page.click(f"#legend button[value='{name}']")
        expected = ids(database, f"select model_id from models where is_notable and {test}")
        assert len(expected) > 20
        assert sorted(page.listed()) == sorted(expected)
        assert page.text("#story").startswith(f"Largest training run of {len(expected)} models: ")
        assert page.run(
            "return traincompute.chart.legend.filter((item) => !item.isWords).map((item) => item.text)"
        ) == [name]
        assert page.state()["group"] == name
        beside = json.loads(saved_by(page, "#describe-csv"))
        assert sorted(ids(database, beside["query"])) == sorted(expected)
        page.click(f"#legend button[value='{name}']")
        assert page.listed() == whole
    page.open("group=Biology&colour=countries")
    assert "a colour “Biology”" in page.text("#unknown")
    page.click("#legend button[value='China']")
    page.choose("#colour", "domains")
    assert page.listed() == whole


@pytest.mark.thorough
def test_an_area_is_zoomed_to(page: Browser) -> None:
    page.click("#area")
    x, y = place(page, "gpt-3-175b")
    page.mouse("mousePressed", x - 40, y - 30, button="left", clickCount=1)
    page.mouse("mouseMoved", x, y, button="left")
    page.mouse("mouseMoved", x + 60, y + 30, button="left")
    page.mouse("mouseReleased", x + 60, y + 30, button="left", clickCount=1)
    box = page.run("const b = document.querySelector('#surface').getBoundingClientRect(); return [b.left, b.top]")
    left, right = page.run("return [traincompute.chart.left, traincompute.chart.right]")
    assert place(page, "gpt-3-175b")[0] == pytest.approx(box[0] + left + 0.4 * (right - left), abs=3)
    page.wait("return location.hash.includes('view=')")
    view = page.run("return location.hash").split("view=")[1].split("&")[0].replace("%2C", ",")
    assert all(len(end) <= 8 for end in view.split(","))


@pytest.mark.thorough
def test_two_fingers_zoom(page: Browser) -> None:
    before = page.run("return traincompute.chart.view")
    x, y = place(page, "gpt-3-175b")
    for kind, apart in (("touchStart", 40), ("touchMove", 60), ("touchMove", 80), ("touchEnd", 0)):
        fingers = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}] if apart else []
        page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    after = page.wait(
        "const v = traincompute.chart.view; return v[1] - v[0] < arguments[0] && v", 0.7 * (before[1] - before[0])
    )
    assert after[1] - after[0] == pytest.approx((before[1] - before[0]) / 2, rel=0.05)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_names_of_thresholds_overlap_neither_each_other_nor_the_title(blank: Browser, width: int) -> None:
    blank.resize(width, 900)
    blank.open("view=14610,20600,0,40")
    boxes = blank.run("return traincompute.chart.reserved")
    assert len(boxes) > 1
    for i, a in enumerate(boxes):
        assert a[1] >= blank.run("return traincompute.chart.top")
        for b in boxes[:i]:
            assert a[0] >= b[0] + b[2] or b[0] >= a[0] + a[2] or a[1] >= b[1] + b[3] or b[1] >= a[1] + a[3]


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


@pytest.mark.thorough
def test_the_data_of_a_chart_do_not_depend_on_the_size_of_the_window(blank: Browser) -> None:
    rows = []
    for width, height in ((1440, 900), (1100, 600), (390, 844)):
        blank.resize(width, height)
        blank.open("view=18000,19000,21.2,24.1")
        rows.append(blank.run("return traincompute.chartData()[0]"))
    assert rows[0] == rows[1] == rows[2]
    assert len(rows[0]) > 50


@pytest.mark.thorough
def test_a_frame_holds_the_chart_alone(blank: Browser, tmp_path: Path) -> None:
    blank.open("y=parameters")
    code = blank.run("return traincompute.embedCode()")
    frame = tmp_path / "frame.html"
    frame.write_text(f"<!doctype html><title>frame</title>{code}", encoding="utf-8")
    blank.driver.get(frame.as_uri())
    blank.driver.switch_to.frame(0)
    blank.wait("return document.body?.dataset.ready === '1'")
    assert blank.find("#plot").is_displayed()
    assert not blank.find("#filters").is_displayed()
    assert not blank.find("#table").is_displayed()
    assert blank.run("return document.querySelector('#y').value") == "parameters"
    assert "embed" not in blank.find("#whole").get_attribute("href")
    blank.driver.switch_to.default_content()


@pytest.mark.thorough
def test_chips_are_drawn_on_the_day_they_came_out(blank: Browser, database: duckdb.DuckDBPyConnection) -> None:
    blank.open("chips=1")
    told = blank.run("return traincompute.data.chips.map((chip) => [chip.name, chip.released])")
    query = "select name, strftime(release_date, '%Y-%m-%d') from hardware where name in (select unnest(?)) order by 1"
    assert sorted(map(tuple, told)) == database.execute(query, [[name for name, _ in told]]).fetchall()
    assert len(told) > 5
    blank.open("chips=1&x=parameters")
    assert blank.run("return document.querySelector('#chips-field').hidden")


@pytest.mark.thorough
def test_every_key_of_a_picture_has_its_sign(page: Browser) -> None:
    page.wait("return traincompute.chart.bars.length > 0")
    page.type("#search", "google")
    page.wait("return document.querySelector('.key-context')")
    picture = ElementTree.fromstring(page.run("return traincompute.chartSvg()"))
    shapes = [element for element in picture.iter() if element.tag.endswith(("path", "text"))]
    keys = page.run("return traincompute.chart.words.filter((word) => word.className).map((word) => word.text)")
    assert len(keys) == 5
    for key in keys:
        at = next(i for i, shape in enumerate(shapes) if shape.text == key)
        sign, words = shapes[at - 1], shapes[at]
        x, y = map(float, re.findall(r"[\d.]+", sign.attrib["d"])[:2])
        assert sign.attrib["stroke"] not in ("none", "")
        assert 4 <= float(words.attrib["x"]) - x <= 16
        assert abs(float(words.attrib["y"]) - y) < 12


@pytest.mark.thorough
def test_a_published_value_lies_above_an_estimate_at_the_same_place(page: Browser) -> None:
    drawn = page.run("return traincompute.chart.visible.map((point) => [point.hollow, point.row])")
    assert sorted(drawn, key=lambda point: not point[0]) == drawn
    rows = page.run("return ['grok-4-heavy', 'grok-4'].map((id) => traincompute.data.rowOf.get(id))")
    below, above = ([row for _, row in drawn].index(row) for row in rows)
    assert below < above


def test_a_citation_names_the_version(page: Browser) -> None:
    about = page.run("return traincompute.data.about")
    assert about["version"] in about["citation"]
    assert about["version"] in page.text("#tagline")
    assert json.dumps(about).count("0.1.0") == 0
