"""All methods on synthetic rows against the same formulas row by row in pandas, and how memory grows.

    python -m bench.estimates 1000000    # prints the seconds and the memory of one size as JSON

The rows are those of the dataset, drawn repeatedly with different numbers. The row-by-row version gives value, interval
and formula as ours does, but no reasons, and runs on some of the rows only: it takes the same time for each.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from datetime import date
from typing import TYPE_CHECKING

from bench.measure import ROOT, measure, module
from bench.row import Row

if TYPE_CHECKING:
    import pandas as pd

ROWS, FEW = 1_000_000, 40_000
TARGET = 0.5
NAIVE_ROWS = 20_000
SCALED = ["parameters", "parameters_active", "training_tokens", "dataset_size", "training_hours", "chip_hours"]
DAY = date(2026, 8, 23)
Result = tuple[float, float, float, str]


def synthetic(rows: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """That many rows as the methods read them, and the edges to base models for a fifth of them."""
    import numpy as np
    import pandas as pd

    from pipeline.base.paths import Paths
    from pipeline.impute.calibration.calibrate import gather
    from pipeline.normalize.stage import load_ledger, read_ledger
    from pipeline.registry.context import load_context

    context = load_context(Paths(ROOT))
    real, _ = gather(context, read_ledger(context, load_ledger(context)), DAY, curated=False)
    draw = np.random.default_rng(11)
    made = real.iloc[draw.integers(0, len(real), rows)].reset_index(drop=True)
    factor = 10 ** draw.normal(0, 0.5, rows)
    made = made.assign(**{name: made[name] * factor for name in SCALED})
    ids = pd.Series(np.char.add("model-", np.arange(rows).astype("U9")), dtype="str")
    made = made.assign(model_id=ids)
    has_base = np.flatnonzero(made["base_model"].notna())
    bases = ids.iloc[(has_base // 2)].to_numpy()  # an earlier row: no cycles
    edges = pd.DataFrame({"model_id": ids.iloc[has_base].to_numpy(), "base_id": bases})
    return made, edges[edges["model_id"] != edges["base_id"]].reset_index(drop=True)


def ours(rows: pd.DataFrame, edges: pd.DataFrame) -> float:
    """Seconds for all methods with intervals."""
    from pipeline.base.paths import Paths
    from pipeline.impute.flop.calibration_tables import load_calibrated
    from pipeline.impute.flop.cascade import estimates_of

    calibrated = load_calibrated(Paths(ROOT))
    start = time.perf_counter()
    estimates_of(rows, edges, calibrated)
    return time.perf_counter() - start


def naive(rows: pd.DataFrame, edges: pd.DataFrame) -> float:
    """Seconds for value, low, high and formula of each method, one row at a time."""
    import pandas as pd

    from pipeline.base.paths import Paths
    from pipeline.impute.flop.calibration_tables import load_calibrated

    known = rows.set_index("model_id")["training_compute_flop"].to_dict()
    bases = dict(zip(edges["model_id"], edges["base_id"], strict=True))
    table = load_calibrated(Paths(ROOT)).coefficients["0"]
    near, free = table["near"].to_dict(), table["free"].to_dict()
    start = time.perf_counter()
    made = [
        rows.apply(_count, axis=1),
        rows.apply(_clock, axis=1),
        rows.apply(_add, axis=1, known=known, bases=bases),
        rows.apply(_regress, axis=1, near=near, free=free),
    ]
    pd.DataFrame(pd.concat(made).tolist(), columns=["value", "low", "high", "formula"])
    return time.perf_counter() - start


def _result(value: float, formula: str, half: float) -> Result:
    return value, value / 10**half, value * 10**half, formula


def _add(row: pd.Series, known: dict[str, float], bases: dict[str, str]) -> Result:
    base, own = known.get(bases.get(row["model_id"], ""), float("nan")), row["finetune_compute_flop"]
    return _result(base + own, f"{base:.4g} + {own:.4g}", 0.8)


def _count(row: pd.Series) -> Result:
    import pandas as pd

    language = "Language" in str(row["domains"]).split(";")
    n = row["parameters"] if pd.isna(row["parameters_active"]) else row["parameters_active"]
    tokens = row["training_tokens"]
    if pd.isna(tokens) and row["dataset_unit"] == "token":
        once = pd.isna(row["epochs"]) and row["dataset_size"] >= 1e11
        tokens = row["dataset_size"] * (1 if once else row["epochs"])
    value = 6 * n * tokens if language and pd.isna(row["base_model"]) else float("nan")
    return _result(value, f"6 × {n:.4g} parameters × {tokens:.4g} tokens", 0.6)


def _clock(row: pd.Series) -> Result:
    import pandas as pd

    hours = row["chip_hours"] if pd.notna(row["chip_hours"]) else row["hardware_quantity"] * row["training_hours"]
    peak = row["peak_tensor_fp16_flops"]
    if pd.isna(peak) or row["numerical_format"] == "FP32":
        peak = row["peak_fp32_flops"]
    share = row["hardware_utilization"]
    if pd.isna(share):
        share = 0.3 if "Language" in str(row["domains"]) else 0.4
    return _result(hours * 3600 * peak * share, f"{hours:.4g} chip-hours × {peak:.4g} FLOP/s × {share:.2f}", 0.5)


def _regress(row: pd.Series, near: dict[str, float], free: dict[str, float]) -> Result:
    from math import log10

    import pandas as pd

    from pipeline.impute.flop.methods.features import NUMBERS

    total = near[""] + free[""]
    names = {"parameters": "parameters", "dataset": "dataset_size", "epochs": "epochs", "chips": "hardware_quantity",
             "hours": "training_hours", "batch": "batch_size"}  # fmt: skip
    for name, column in names.items():
        if pd.notna(row[column]):
            number = (log10(row[column]) - NUMBERS[name]) / 2
            total += near[name] * number + near[f"{name} known"] + free[name] * number + free[f"{name} known"]
    for word in str(row["domains"]).split(";"):
        total += near.get(f"domains:{word}", 0) + free.get(f"domains:{word}", 0)
    return _result(10 ** min(total + 21, 300), f"regression {total:.3f}", 1.5)


def run(count: int) -> dict[str, float]:
    """Seconds of all methods on that many rows, and the memory that they take beyond that of the rows, in MB."""
    rows, edges = synthetic(count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = ours(rows, edges)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    made = {"rows": count, "seconds": seconds, "added_mb": (peak - before) / 1e3}
    if count >= NAIVE_ROWS:
        made["naive_s_per_row"] = naive(rows.iloc[:NAIVE_ROWS], edges) / NAIVE_ROWS
    return made


def rows(quick: bool, runs: int) -> list[Row]:
    """Time of all methods ÷ time of the row-by-row version at three sizes, and the memory per row."""
    made = []
    for size in (FEW,) if quick else (ROWS // 4, ROWS // 2, ROWS):
        found = measure(module("bench.estimates", size), answers=True).answer
        by_row = found["naive_s_per_row"] * size
        note = f"{found['seconds']:.1f} s ÷ {by_row:.1f} s, {1e6 * found['added_mb'] / size:.0f} bytes a row"
        made.append(
            Row(f"{size:,} rows, all methods ÷ row by row", found["seconds"] / by_row, target=TARGET, note=note)
        )
    return made


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]))))
