"""The thresholds of training compute that charts draw."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pipeline.files import Number, list_of, load_yaml, mapping

FILE = Path(__file__).with_suffix(".yml")
SHAPE = list_of(mapping(flop=Number, label=str, source=str))


def load_thresholds() -> list[dict[str, Any]]:
    """flop, label and source of each, the lowest first."""
    found: list[dict[str, Any]] = load_yaml(FILE, "pipeline/present/thresholds.yml", SHAPE)
    return sorted(found, key=lambda entry: float(entry["flop"]))


def names_above(flop: float) -> dict[float, str]:
    """log10 of each threshold from that compute on, and what a chart writes beside it."""
    chosen = [entry for entry in load_thresholds() if entry["flop"] >= flop]
    return {math.log10(entry["flop"]): f"{entry['flop']:.0e}: {entry['label']}".replace("e+", "e") for entry in chosen}
