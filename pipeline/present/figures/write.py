"""Turns specifications into SVG and PNG files. Needs no browser or network; equal specifications give equal bytes."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import vl_convert

from pipeline.errors import DataError
from pipeline.present.figures import (
    concentration,
    growth,
    plain,
    predicted,
    revisions,
    scored,
    supply,
    thresholds,
    tokens,
)
from pipeline.present.figures.data import ENOUGH, Data

FIGURES: dict[str, Callable[[Data], dict[str, Any]]] = {
    "training-compute": partial(growth.draw, plan=growth.FLOP),
    "parameters": partial(growth.draw, plan=growth.PARAMETERS),
    "cost": partial(growth.draw, plan=growth.COST),
    "power": partial(growth.draw, plan=growth.POWER),
    "energy": plain.FIGURES["energy"],
    "thresholds": thresholds.draw,
    "concentration": concentration.draw,
    **{name: plain.FIGURES[name] for name in ("countries", "organisations", "whose-values", "parameters-tokens")},
    "tokens-per-parameter": tokens.draw,
    "chips": plain.FIGURES["chips"],
    "compute-in-use": supply.draw,
    "predicted-published": predicted.draw,
    "revisions": revisions.draw,
    "scored-estimates": scored.draw,
}
PNG_SCALE = 72 / 96  # a pixel is 1/96 inch, and to the renderer 1/72
IDENTIFIER = re.compile(r"(?<=[\"#])(clip|gradient_)\d+")
SIGNATURE = b"\x89PNG\r\n\x1a\n"
FONTS = "FONTCONFIG_FILE", str(Path(__file__).with_name("fonts.conf"))
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
LONG_NUMBER = re.compile(r"\d+\.\d{3,}")


def write_figure(data: Data, name: str, folder: Path, dpi: int = 300) -> list[Path]:
    """Writes NAME.svg and, unless `dpi` is 0, NAME.png, 6.25 inches wide, and returns their paths. Raises DataError
    where the dataset has too few models for the figure."""

    _read_fonts()
    drawn = vl_convert.vegalite_to_svg(json.dumps(_specification(data, name), sort_keys=True))
    folder.mkdir(parents=True, exist_ok=True)
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    svg.write_text(stable(drawn) + "\n", encoding="utf-8")
    if not dpi:
        return [svg]
    png.write_bytes(smaller(vl_convert.svg_to_png(drawn, scale=PNG_SCALE, ppi=dpi)))
    return [svg, png]


@cache
def _read_fonts() -> None:
    """Has the renderer read its own fonts, and none of this machine's: it draws the same everywhere, and opens no file
    of a font for every word that it measures."""
    name, file = FONTS
    before = os.environ.get(name)
    os.environ[name] = file
    try:
        vl_convert.svg_to_png(EMPTY)
    finally:
        os.environ.pop(name)
        os.environ |= {name: before} if before else {}


def _specification(data: Data, name: str) -> dict[str, Any]:
    """The figure in Vega-Lite. Of a few models some groups are empty, and lines, ranks or dates are missing."""
    try:
        return FIGURES[name](data)
    except (ArithmeticError, LookupError, ValueError) as error:
        where, models = data.paths.short(data.paths.processed / "models.parquet"), len(data.models)
        if models >= ENOUGH:
            raise
        reason, remedy = f"{models} models are too few for this figure", "build from all facts, or name other figures"
        raise DataError.of(where, reason, remedy, record=name) from error


def stable(svg: str) -> str:
    """The drawing with rounded numbers and renumbered identifiers (the renderer keeps counting between figures)."""
    names: dict[str, str] = {}
    renamed = IDENTIFIER.sub(lambda found: names.setdefault(found[0], f"{found[1]}{len(names)}"), svg)
    return round_numbers(renamed)


def round_numbers(svg: str) -> str:
    """The drawing with two decimals: less than a hundredth of a pixel is invisible, and may differ between machines."""
    return LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), svg)


def smaller(png: bytes) -> bytes:
    """The same picture in about a third of the bytes: the renderer hardly compresses. Level 9 takes three times as
    long, for 3 %."""
    chunks, at, packed = [], len(SIGNATURE), b""
    while at < len(png):
        end = at + 12 + int.from_bytes(png[at : at + 4])  # length, kind, content, checksum
        kind, content = png[at + 4 : at + 8], png[at + 8 : end - 4]
        packed += content if kind == b"IDAT" else b""
        chunks += [] if kind == b"IDAT" else [(kind, content)]
        at = end
    chunks.insert(-1, (b"IDAT", zlib.compress(zlib.decompress(packed), 8)))
    written = [
        len(content).to_bytes(4) + kind + content + zlib.crc32(kind + content).to_bytes(4) for kind, content in chunks
    ]
    return SIGNATURE + b"".join(written)
