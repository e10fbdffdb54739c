"""Small tables: two chips, GPT-3, prices."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.config import load_constants
from pipeline.frames import empty_frame
from pipeline.impute.cost import training_runs
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

CONSTANTS = load_constants(Paths(CHECKOUT))
SCHEMAS = load_schemas(Paths(CHECKOUT))
NAN = float("nan")


def frame(table: str, *rows: dict[str, object]) -> pd.DataFrame:
    """A table with the rows, in the types of its schema."""
    made = pd.DataFrame(list(rows))
    empty = empty_frame(SCHEMAS[table])
    return made.reindex(columns=empty.columns).astype(empty.dtypes.to_dict())


# peak, power and release as Epoch AI lists them
V100 = {
    "hardware_id": "v100",
    "name": "NVIDIA V100",
    "type": "GPU",
    "tdp_w": 300.0,
    "release_date": "2017-06-21",
    "peak_tensor_fp16_flops": 1.25e14,
    "peak_fp32_flops": 1.57e13,
}
TPU = {
    "hardware_id": "tpu",
    "name": "Google TPU v3",
    "type": "TPU",
    "tdp_w": 450.0,
    "release_date": "2018-05-18",
    "peak_tensor_fp16_flops": 1.23e14,
}
HARDWARE = frame("hardware", V100, TPU)
GPT3 = {
    "model_id": "gpt-3",
    "publication_date": "2020-05-28",
    "hardware_quantity": 10000.0,
    "training_hours": 355.2,
    "training_compute_flop": 3.14e23,
    "numerical_format": "FP16",
    "organizations": "OpenAI",
}
PRICES = frame(
    "hardware_prices",
    # what Epoch AI lists of the DGX-1 and of Azure
    {"hardware": "NVIDIA V100", "kind": "purchase", "price_date": "2017-07-01", "price_usd": 18625.0, "chips": 8.0},
    {
        "hardware": "NVIDIA V100",
        "kind": "committed_3_years",
        "price_date": "2019-11-18",
        "vendor": "Microsoft Azure",
        "price_usd_per_chip_hour": 1.16,
    },
)
INDEX = frame(
    "price_index",
    *(
        {"series": "PCU518210518210", "date": f"{year}-{month:02}-01", "value": value}
        for year, value in ((2020, 113.3), (2023, 117.9))
        for month in (1, 7)
    ),
)


def runs_of(*models: dict[str, object], has_base: bool = False) -> pd.DataFrame:
    """What is known of the training of models on V100."""
    rows = frame("models", *({"model_id": str(n)} | cells for n, cells in enumerate(models)))
    chips = pd.concat([HARDWARE.iloc[:1]] * len(rows), ignore_index=True)
    return training_runs(rows, chips, np.full(len(rows), has_base), CONSTANTS)
