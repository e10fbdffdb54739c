"""The figures. Each is one file of figures/: a title, a query, a Vega-Lite specification and a text for those who do
not see the picture. They are drawn without a browser or a network, and equal data give equal bytes."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NotRequired
from unittest.mock import patch
from urllib.parse import quote

import duckdb
import pandas as pd

from pipeline.errors import DataError, Problem
from pipeline.files import list_of, load_yaml, mapping
from pipeline.site.site import Site
from traincompute.base.files import read_json
from traincompute.base.places import MANIFEST
from traincompute.citation import days_known

HERE = Path(__file__).resolve().parent / "figures"
SHOWN = "pipeline/site/figures"
SHAPE = mapping(title=str, subtitle=NotRequired[list_of(str)], alt=str, note=str, query=str, spec=dict[str, Any])
THEME = mapping(
    width=int, height=int, padding=int, background=str, config=dict[str, Any], title=dict[str, Any],
    caption=dict[str, Any], dark=dict[str, str],
)  # fmt: skip
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
VEGA_LITE = "5.21"  # the version that is drawn with, of those that vl-convert carries
PNG_SCALE = 72 / 96  # a pixel is 1/96 inch, and to the renderer 1/72
SITE_DPI = 144
ORDER = (
    "training-compute", "growth", "thresholds", "cost", "energy", "parameters", "tokens-per-parameter", "countries",
    "organisations", "whose-values", "chips", "compute-in-use", "scored-estimates", "revisions",
)  # fmt: skip
PNG = b"\x89PNG\r\n\x1a\n"
ENOUGH = 1000  # models, of which every figure can be drawn
LAST_MODEL = "SELECT max(publication_date) FROM models"
IDENTIFIER = re.compile(r"(?<=[\"#])(clip|gradient_)\d+")
SIZE = re.compile(rb'<svg[^>]* width="([0-9.]+)" height="([0-9.]+)"')
LONG_NUMBER = re.compile(r"\d+\.\d{3,}")


@dataclass(frozen=True)
class Figure:
    """A figure of one dataset: its rows, its texts with their numbers put in, and the whole Vega-Lite specification."""

    name: str
    title: str
    alt: str
    note: str
    query: str
    rows: pd.DataFrame
    spec: Mapping[str, Any]


class NoDataError(DataError):
    """The dataset, of few models or of an early day, lacks what a figure shows."""


def read_figure(name: str, connection: duckdb.DuckDBPyConnection, manifest: Mapping[str, Any]) -> Figure:
    """The figure of the dataset that the connection reads.

    A {column} in title, subtitle or alt is the first value of that column which is not null. Raises DataError for a
    malformed file and a query that fails, and NoDataError for a number that the dataset does not have."""
    where = f"{SHOWN}/{name}.yml"
    told = load_yaml(HERE / f"{name}.yml", where, SHAPE, is_typed=True)
    try:
        rows = connection.execute(told["query"]).df()
        numbers = {str(column): values.iloc[0] for column in rows if len(values := rows[column].dropna())}
        title, alt, *subtitle = (
            text.format(**numbers) for text in (told["title"], told["alt"], *told.get("subtitle", []))
        )
    except duckdb.Error as error:
        raise DataError.of(where, str(error).splitlines()[0], "correct the query") from error
    except KeyError as error:
        problem = Problem(where, "", "", "", f"no row has a value of {error}", "build from all facts, or name others")
        raise NoDataError([problem]) from error
    [until] = connection.execute(LAST_MODEL).fetchone() or (None,)
    spec = _specification(told["spec"], {"text": title, "subtitle": subtitle}, rows, until, manifest)
    return Figure(name, title, alt, told["note"], told["query"], rows, spec)


def _specification(
    spec: dict[str, Any], title: Mapping[str, Any], rows: pd.DataFrame, until: Any, manifest: Mapping[str, Any]
) -> dict[str, Any]:
    """The specification with its data, the look of all figures, the title above, and version and sources below. What a
    build calls itself changes with every commit, so only a release is named.

    The dataset `this_year` has one row, the year that is not over: `year`, and `start` and `end` for axes of dates."""
    theme: dict[str, Any] = load_yaml(HERE / "theme.yml", f"{SHOWN}/theme.yml", THEME, is_typed=True)
    this_year = [{"year": until.year, "start": f"{until.year}-01-01", "end": f"{until.year + 1}-01-01"}]
    release = manifest.get("release")
    edition = f"traincompute {release['version']}" if release else "traincompute"
    facts_until = days_known(manifest)["facts_until"]
    caption = [f"{edition}, data up to {facts_until}; source: Epoch AI (CC BY 4.0) and primary sources."]
    if "this_year" in json.dumps(spec):
        caption += [f"Shaded: {until.year} is incomplete; the last model is dated {until}."]
    # days as text, seven digits of a number, no keys for what is null
    plain = rows.astype(object)
    for name in rows.select_dtypes("datetime"):
        plain[name] = rows[name].dt.strftime("%Y-%m-%d")
    for name in rows.select_dtypes("float"):
        plain[name] = rows[name].map(lambda number: float(f"{number:.7g}"), na_action="ignore")
    records = plain.to_dict("records")
    values = [{str(key): value for key, value in record.items() if pd.notna(value)} for record in records]
    plot = {"width": theme["width"], "height": theme["height"], "title": {**theme["caption"], "text": caption}} | spec
    return {
        "$schema": SCHEMA,
        **{name: theme[name] for name in ("background", "padding", "config")},
        "title": {**theme["title"], **title},
        "data": {"name": "rows"},
        "datasets": {"rows": values, "this_year": this_year},
        "vconcat": [plot],  # so that there is a title above, and one below
    }


def draw(figure: Figure, folder: Path, dpi: int = 300, svg_only: bool = False) -> list[Path]:
    """Writes NAME.svg and, unless `svg_only`, NAME.png of 6.25 inches, NAME.csv and NAME.vl.json; gives their paths."""
    import vl_convert

    _read_fonts()
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{figure.name}.{kind}" for kind in ("svg", "png", "csv", "vl.json")]
    drawn = vl_convert.vegalite_to_svg(json.dumps(figure.spec), vl_version=VEGA_LITE)
    files[0].write_text(stable(drawn) + "\n", encoding="utf-8")
    if svg_only:
        return files[:1]
    files[1].write_bytes(packed_png(vl_convert.svg_to_png(drawn, scale=PNG_SCALE, ppi=dpi)))
    figure.rows.to_csv(files[2], index=False, lineterminator="\n", float_format="%.9g")
    files[3].write_text(json.dumps(figure.spec, ensure_ascii=False) + "\n", encoding="utf-8")
    return files


@cache
def _read_fonts() -> None:
    """Has the renderer read its own fonts, and none of this machine's, so that it draws the same everywhere."""
    import vl_convert

    with patch.dict(os.environ, FONTCONFIG_FILE=str(HERE / "fonts.conf")):
        vl_convert.svg_to_png('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')


def stable(svg: str) -> str:
    """The drawing with two decimals, identifiers counted from 0 (the renderer counts on between figures), and a style
    that changes its colours where the reader prefers dark pages."""
    names: dict[str, str] = {}
    renamed = IDENTIFIER.sub(lambda found: names.setdefault(found[0], f"{found[1]}{len(names)}"), svg)
    rounded = LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), renamed)
    colours = load_yaml(HERE / "theme.yml", f"{SHOWN}/theme.yml", THEME, is_typed=True)["dark"]
    rules = "".join(
        f'[{attribute}="{light}"]{{{attribute}:{dark}}}'
        for light, dark in colours.items()
        for attribute in ("fill", "stroke")
    )
    start = rounded.index(">") + 1
    return f"{rounded[:start]}<style>@media (prefers-color-scheme:dark){{{rules}}}</style>{rounded[start:]}"


def packed_png(drawn: bytes) -> bytes:
    """The same picture, which the renderer compresses little, in a third of the bytes."""
    place, chunks, pixels = len(PNG), [], b""
    while place < len(drawn):
        length = int.from_bytes(drawn[place : place + 4])
        kind, content = drawn[place + 4 : place + 8], drawn[place + 8 : place + 8 + length]
        if kind == b"IDAT":
            pixels += content
        elif kind != b"IEND":
            chunks.append((kind, content))
        place += length + 12
    chunks += [(b"IDAT", zlib.compress(zlib.decompress(pixels), 9)), (b"IEND", b"")]
    return PNG + b"".join(
        len(content).to_bytes(4) + kind + content + zlib.crc32(kind + content).to_bytes(4) for kind, content in chunks
    )


def size_of(picture: Path) -> tuple[str, str]:
    """Width and height of an SVG or PNG in pixels, so that a page keeps the room for it."""
    content = picture.read_bytes()
    if found := SIZE.search(content):
        return found[1].decode(), found[2].decode()
    return str(int.from_bytes(content[16:20])), str(int.from_bytes(content[20:24]))


def write_figures(site: Site) -> None:
    """Writes figures.html and, below figures/, SVG, PNG and CSV of each figure.

    Without the extra `site`, or of few models, there are no figures, and figures.html says so; a figure that a dataset
    of an early day has no numbers for is left out."""
    [models] = site.connection.execute("select count(*) from models").fetchone() or (0,)
    drawn: list[dict[str, Any]] = []
    manifest = read_json(site.folder / MANIFEST) if (site.folder / MANIFEST).is_file() else {}
    for name in ORDER if models >= ENOUGH and find_spec("vl_convert") else ():
        with suppress(NoDataError):
            figure = read_figure(name, site.connection, manifest)
            svg, _, _, spec = draw(figure, site.out / "figures", SITE_DPI)
            spec.unlink()  # most of it are the rows of the CSV
            drawn.append({"figure": figure, "size": size_of(svg), "query": quote(figure.query, safe="")})
    site.render("figures.html", "figures.html", drawn=drawn)
