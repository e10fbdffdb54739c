"""Figures: their texts, what is drawn, equal bytes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from pipeline.errors import DataError
from pipeline.site import figures
from pipeline.site.figures import ORDER, Figure, draw, read_figure, stable
from pipeline.site.site import Site

vl_convert = pytest.importorskip("vl_convert")
FILES = Path(figures.__file__).with_name("figures")
MANIFEST = {"release": {"version": "2026.11.0"}, "snapshots": {"epoch_notable": "2026-08-19"}}
TOLD = yaml.safe_load("""
title: The largest took {most:.0e} FLOP
subtitle: ["until {last:%Y-%m-%d}"]
alt: "{n:.0f} models"
note: ""
query: >-
  SELECT day, flop, CASE WHEN day > '2020-01-01' THEN max(flop) OVER () END AS most, max(day) OVER () AS last,
  count(*) OVER () AS n FROM runs ORDER BY day
spec:
  encoding: {x: {field: day, type: temporal, scale: {type: utc}}}
  layer:
    - {data: {name: this_year}, mark: rect, encoding: {x: {field: start}, x2: {field: end}}}
    - {mark: circle, encoding: {y: {field: flop, type: quantitative}}}
""")
Make = Callable[..., Figure]


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute("""CREATE TABLE runs AS
        FROM (VALUES (DATE '2019-05-01', 1e20), ('2026-03-01', 1e25)) t (day, flop)""")
    made.execute("""CREATE TABLE models AS SELECT day AS publication_date
        FROM runs""")
    return made


@pytest.fixture
def make(tmp_path: Path, connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Reads the figure of TOLD, with other entries."""
    for shared in ("theme.yml", "fonts.conf"):
        (tmp_path / shared).write_bytes((FILES / shared).read_bytes())
    monkeypatch.setattr(figures, "HERE", tmp_path)

    def made(**other: Any) -> Figure:
        (tmp_path / "one.yml").write_text(yaml.safe_dump(TOLD | other))
        return read_figure("one", connection, MANIFEST)

    return made


def test_a_text_has_the_first_number_of_a_column_that_is_not_null(make: Make) -> None:
    one = make()
    assert (one.title, one.alt) == ("The largest took 1e+25 FLOP", "2 models")
    assert one.spec["title"]["subtitle"] == ["until 2026-03-01"]
    assert one.spec["datasets"]["rows"][0] == {"day": "2019-05-01", "flop": 1e20, "last": "2026-03-01", "n": 2}


def test_the_year_that_is_not_over_is_marked(make: Make) -> None:
    spec = make().spec
    assert spec["datasets"]["this_year"] == [{"year": 2026, "start": "2026-01-01", "end": "2027-01-01"}]
    version, incomplete = spec["vconcat"][0]["title"]["text"]
    assert version.startswith("traincompute 2026.11.0, data up to 2026-08-19")
    assert incomplete == "Shaded: 2026 is incomplete; the last model is dated 2026-03-01."
    assert len(make(spec={"mark": "bar"}).spec["vconcat"][0]["title"]["text"]) == 1


def test_a_figure_is_written_in_four_forms_with_equal_bytes(make: Make, tmp_path: Path) -> None:
    one = make()
    files = draw(one, tmp_path / "a", dpi=300)
    assert [file.name for file in files] == ["one.svg", "one.png", "one.csv", "one.vl.json"]
    assert [file.read_bytes() for file in draw(one, tmp_path / "b", dpi=300)] == [file.read_bytes() for file in files]
    svg, png, csv, spec = files
    drawn = svg.read_text(encoding="utf-8")
    assert all(text in drawn for text in (one.title, "until 2026-03-01", "2026 is incomplete", "prefers-color-scheme"))
    assert not re.search(r'(href|src)="http', drawn)
    width = float(re.findall(r'<svg[^>]* width="([\d.]+)"', drawn)[0])
    assert int.from_bytes(png.read_bytes()[16:20]) == pytest.approx(width / 96 * 300, abs=1)
    assert csv.read_text().splitlines()[1] == "2019-05-01,1e+20,,2026-03-01,2"
    assert json.loads(spec.read_text(encoding="utf-8")) == one.spec
    assert [file.name for file in draw(one, tmp_path / "c", svg_only=True)] == ["one.svg"]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"query": "SELECT nothing FROM runs"}, r"nothing.* not found.*; correct the query"),
        ({"query": "SELECT day, flop, NULL AS most FROM runs"}, "no row has a value of 'most'"),
        ({"colour": "red"}, r"one\.yml:2: colour: unknown key"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_named(make: Make, other: Any, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        make(**other)


def test_a_drawing_has_numbers_of_its_own_and_dark_colours() -> None:
    drawn = stable('<svg><a id="clip12"/><b clip-path="url(#clip12)" d="M1.23456,10.0004L-3.999,2.5"/></svg>')
    assert drawn.endswith('<a id="clip0"/><b clip-path="url(#clip0)" d="M1.23,10L-4,2.5"/></svg>')
    assert '[fill="white"]{fill:#' in drawn


def test_the_fonts_of_the_machine_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setenv("FONTCONFIG_FILE", "/etc/fonts/fonts.conf")
    monkeypatch.setattr(vl_convert, "svg_to_png", lambda _: read.append(Path(os.environ["FONTCONFIG_FILE"])))
    figures._read_fonts.__wrapped__()
    assert "<dir>/nonexistent</dir>" in read[0].read_text()
    assert os.environ["FONTCONFIG_FILE"] == "/etc/fonts/fonts.conf"


def test_of_few_models_there_are_no_figures(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    assert {file.stem for file in FILES.glob("*.yml")} - {"theme"} == set(ORDER)
    figures.write_figures(Site(tmp_path, tmp_path / "out", connection))
    assert "too few models" in (tmp_path / "out" / "figures.html").read_text(encoding="utf-8")
