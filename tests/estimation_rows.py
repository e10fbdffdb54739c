"""Rows for the methods of estimation, from a few cells."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pipeline.config import load_config
from pipeline.impute.methods.hardware import RATES, usual_utilization
from pipeline.impute.results import FIELD
from pipeline.impute.rows import attribute
from pipeline.paths import CHECKOUT, Paths

CONTEXT = load_config(Paths(CHECKOUT))
TEXTS = ["name", "owner", "domains", "tasks", "base_model", "dataset_unit", "architecture", "flop_convention",
         "numerical_format", "model_id", "hardware_type", "recalled", "organization_category",
         "notability_criteria"]  # fmt: skip
NUMBERS = ["parameters", "parameters_active", "training_tokens", "dataset_size", "epochs", "batch_size",
           "finetune_compute_flop", "hardware_quantity", "training_hours", "chip_hours", "hardware_utilization",
           "chips", "chips_known", "rates_apart", "forward_flop", "training_examples", "training_factor",
           "noted_low", "noted_high", "at_least", "at_most", "published_dex",
           "capability_index", "capability_index_low", "capability_index_high", *RATES.values(), FIELD]  # fmt: skip
A100 = {  # NVIDIA's data sheet: 312 TFLOP/s in FP16 and BF16, 156 in TF32, 19.5 in FP32
    "peak_tensor_fp16_flops": 3.12e14,
    "peak_tf32_flops": 1.56e14,
    "peak_fp32_flops": 1.95e13,
    "hardware_type": "GPU",
}


def rows(*cells: dict[str, Any]) -> pd.DataFrame:
    """A language model of 2023 per argument."""
    usual = {"domains": "Language", "publication_date": "2023-06-01", "chips": 1, "chips_known": 1, "is_notable": False}
    made = pd.DataFrame([{"name": f"M {place}", **usual, **cell} for place, cell in enumerate(cells)])
    made = made.reindex(columns=list(dict.fromkeys([*made, *TEXTS, *NUMBERS, "open_weights"])))
    made = made.assign(
        **{name: made[name].astype("str") for name in TEXTS},
        **{name: made[name].astype("float64") for name in NUMBERS},
        publication_date=pd.to_datetime(made["publication_date"]),
        open_weights=made["open_weights"].astype("boolean"),
    )
    units = attribute(CONTEXT.vocabularies["dataset_units"], "tokens_per_unit")
    return made.assign(
        owner=made["owner"].fillna(made["name"]),
        usual_utilization=usual_utilization(made["domains"], CONTEXT.constants["utilization"]),
        tokens_per_unit=made["dataset_unit"].map(units).astype("float64"),
    )
