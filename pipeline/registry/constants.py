"""Reads data/constants.yml: the constants behind the estimates and the derived columns, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from pipeline.base.paths import Paths
from pipeline.base.yamlfile import load_yaml

Constants = Mapping[str, Mapping[str, Any]]
BY_WORD = {"default": float, ...: float}  # by the first word that occurs in a name
POINT = {"flop": float, "tokens": float, "exponent": float}
BENCHMARK = {
    "model": str,
    "parameters": float,
    "k": float,
    "sequence_length": float,
    "experts": bool,
    "stage": str,
}
COST = {
    "orders_of_magnitude_per_year": float,
    "interconnect_share": float,
    "server_price": BY_WORD,
    "days_before_publication": float,
    "days_after_release": float,
    "days_before_release": float,
    "usual_training_hours": float,
    "dollars_of": float,
    "price_index": str,
    "families": [str],
    "band_dex": BY_WORD,
    "server_power": BY_WORD,
    "pue": float,
    "electricity_usd_per_kwh": {...: float},
}
SHAPE = {
    "utilization": BY_WORD,
    "power": {
        "server_overhead": float,
        "pue": {"year": float, "value": float, "change_per_year": float},
        "band_dex": float,
        "one_chip_band_dex": float,
    },
    "energy": {"load": BY_WORD, "load_band_dex": BY_WORD},
    "carbon": {"band_dex": float},
    "chip_hours": {"utilization": float, "most_utilization": float, "band_dex": float},
    "cost": COST,
    "cloud": {
        "days_before_training": float,
        "days_after_publication": float,
        "to_three_years": {...: BY_WORD},
        "vendors": [str],
        "vendor_of": {...: str},
        "band_dex": float,
    },
    "equivalents": {...: float},
    "eras": {
        "deep_learning": date,
        "large_scale": date,
        "window_days": float,
        "large_scale_z": float,
        "bespoke_days": float,
    },
    "scaling": {
        "tokens_per_parameter": float,
        "approach_1": POINT,
        "approach_2": POINT,
        "approach_3": {"A": float, "B": float, "alpha": float, "beta": float},
    },
    "benchmarks": {...: BENCHMARK},
    "measured": {
        "most_of_16bit_peak": float,
        "generations": {"default": str, ...: str},
        "scales": [float],
    },
}


def load_constants(paths: Paths) -> Constants:
    """Subject → name → value. Raises DataError if the file is missing or has not this shape."""
    constants: Constants = load_yaml(paths.constants, paths.short(paths.constants), SHAPE)
    return constants
