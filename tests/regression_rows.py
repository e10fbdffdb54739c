"""Rows as the regression reads them, made from a few cells."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pipeline.impute.flop.methods.hardware import RATES
from pipeline.impute.flop.rows import FIELD

NUMBERS = [
    *(
        "parameters",
        "parameters_active",
        "training_tokens",
        "dataset_size",
        "epochs",
        "batch_size",
        "hardware_quantity",
    ),
    *("training_hours", "chip_hours", "finetune_compute_flop", *RATES.values(), FIELD),
]
TEXTS = [
    *(
        "model_id",
        "name",
        "owner",
        "organization_category",
        "domains",
        "tasks",
        "dataset_unit",
        "architecture",
        "notability_criteria",
    ),
    *("numerical_format", "hardware_type", "base_model"),
]


def rows(*cells: dict[str, Any]) -> pd.DataFrame:
    """Rows with the columns that the regression reads; cells that are not given are missing."""
    made = pd.DataFrame([{"name": f"M {place}"} | cell for place, cell in enumerate(cells)])
    made = made.reindex(columns=[*TEXTS, *NUMBERS, "publication_date", "open_weights"])
    typed = {name: made[name].astype("str") for name in TEXTS} | {
        name: made[name].astype("float64") for name in NUMBERS
    }
    dates = pd.to_datetime(made["publication_date"])
    return made.assign(**typed, publication_date=dates, open_weights=made["open_weights"].astype("boolean"))
