"""Turns specifications into SVG and PNG files. Needs no browser or network; equal specifications give equal bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import vl_convert

from pipeline.base.errors import DataError
from pipeline.present.figures import (
    concentration,
    economic_eras,
    growth,
    predicted,
    revisions,
    scored,
    supply,
    thresholds,
    tokens,
)
from pipeline.present.figures.data import Data

FIGURES: dict[str, Callable[[Data], dict[str, Any]]] = {
    "training-compute": partial(growth.draw, plan=growth.FLOP),
    "parameters": partial(growth.draw, plan=growth.PARAMETERS),
    "cost": partial(growth.draw, plan=growth.COST),
    "power": partial(growth.draw, plan=growth.POWER),
    "thresholds": thresholds.draw,
    "concentration": concentration.draw,
    "tokens-per-parameter": tokens.draw,
    "compute-in-use": supply.draw,
    "predicted-published": predicted.draw,
    "revisions": revisions.draw,
    "scored-estimates": scored.draw,
    "economic-eras-flop": economic_eras.FLOP,
    "economic-eras-parameters": economic_eras.PARAMETERS,
}
# 600 pixels of 1/96 inch at 300 dots an inch: the renderer takes pixels of 1/72 inch
PNG_DPI, PNG_SCALE = 300, 72 / 96
IDENTIFIER = re.compile(r"(?<=[\"#])(clip|gradient_)\d+")
ENOUGH = 1000  # models, of which every figure can be drawn
LONG_NUMBER = re.compile(r"\d+\.\d{3,}")


def write_figure(data: Data, name: str, folder: Path, with_png: bool = True) -> list[Path]:
    """Writes NAME.svg and NAME.png, 6.25 inches wide at 300 dpi, and returns their paths. Raises DataError where the
    dataset has too few models for the figure."""
    drawn = vl_convert.vegalite_to_svg(json.dumps(_specification(data, name), sort_keys=True))
    folder.mkdir(parents=True, exist_ok=True)
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    svg.write_text(stable(drawn) + "\n", encoding="utf-8")
    if not with_png:
        return [svg]
    png.write_bytes(vl_convert.svg_to_png(drawn, scale=PNG_SCALE, ppi=PNG_DPI))
    return [svg, png]


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
