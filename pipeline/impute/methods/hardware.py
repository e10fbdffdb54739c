"""Hardware: chips × hours × peak rate × utilisation.

C = chips · hours · 3,600 s/h · peak · u in FLOP, or chip-hours in place of chips · hours. peak is the rate for the
number format in FLOP/s per chip (dense), u the share of it that model FLOP reach (MFU). Peak by format, and the shares
assumed where u is unknown: epoch.ai/data/ai-models-documentation/estimation;
epoch.ai/blog/estimating-training-compute."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.impute.results import SECONDS_PER_HOUR, first_reason, has_word, make_result, written

METHOD = "hardware"
# Half-width of the 90 % interval in dex, provisional until calibrated: it holds 94 % of 340 published values.
BAND_DEX = 0.67
MOST_HOURS = 3 * 8766  # no training run of three years has been reported
MOST_APART = 3.0  # chip-hours and chips × hours: beyond this, they are not one run
# Without a format: of 66 models on V100 (FP16 is 8 × FP32), 68 % are within a factor of 3; of 103 on A100 (2 ×), 98 %
MOST_BETWEEN_FORMATS = 3.0
MOST_BETWEEN_KINDS = 3.0  # of chip without the number of each: their geometric mean is at most a factor √3 off
RATES = {"tensor": "peak_tensor_fp16_flops"} | {
    form: f"peak_{form}_flops" for form in ("tf32", "fp16", "fp32", "fp8", "fp4", "fp64")
}


def estimate(rows: pd.DataFrame) -> pd.DataFrame:
    """The result (see make_result) of each row; of a model with a base model, that of the further training."""
    rows = rows.drop(columns="parameters", errors="ignore")  # chips and hours alone decide
    chip_hours, peak, usual = chip_hours_of(rows), peak_rate(rows), rows["usual_utilization"]
    printed, given = rows["chip_hours"].notna(), rows["hardware_utilization"].notna()
    share = rows["hardware_utilization"].fillna(usual)
    used = {
        "hardware": chip_hours.notna(),
        "chip_hours": printed,
        "hardware_quantity": ~printed,
        "training_hours": ~printed,
        "numerical_format": rows["numerical_format"].notna(),
        "hardware_utilization": given,
    }
    assumed = {
        **{f"utilisation {each:.2f}": ~given & (usual == each) for each in sorted(usual.unique())},
        "usual number format of the chip": rows["numerical_format"].isna(),
        "mean rate of several kinds of chip": rows["chips_known"] > 1,
    }
    product = written(rows["hardware_quantity"]) + " chips × " + written(rows["training_hours"]) + " h"
    time = (written(rows["chip_hours"]) + " chip-hours").where(printed, product)
    return make_result(
        peak_flop(rows) * share,
        BAND_DEX,
        _abstain(rows, chip_hours, peak),
        formula=time + " × 3600 s/h × " + written(peak) + " FLOP/s × " + written(share),
        assumptions=assumed,
        fields=used,
    )


def _abstain(rows: pd.DataFrame, chip_hours: pd.Series, peak: pd.Series) -> pd.Series:
    ratio = rows["chip_hours"] / (rows["hardware_quantity"] * rows["training_hours"])
    single = rows[RATES["tf32"]].fillna(rows[RATES["fp32"]])
    ambiguous = rows["numerical_format"].isna() & (rows[RATES["tensor"]] / single > MOST_BETWEEN_FORMATS)
    reasons = {
        "needs the kind of chip": rows["chips"] == 0,
        "needs a chip of the hardware table": rows["chips_known"] == 0,
        "needs chips per type": (rows["chips_known"] > 1) & ~(rows["rates_apart"] <= MOST_BETWEEN_KINDS),
        "needs chip-hours, or chips and hours": chip_hours.isna(),
        "needs the chip's peak rate in the number format": peak.isna(),
        # TPUs train in BF16
        "needs the number format: on this chip FP16 is more than 3 times as fast": ambiguous
        & (rows["hardware_type"] != "TPU"),
        "needs a utilisation of at most 1": rows["hardware_utilization"] > 1,
        "needs a second look: more than three years": rows["training_hours"] > MOST_HOURS,
        "differs: chip-hours are not chips × hours": (ratio > MOST_APART) | (ratio < 1 / MOST_APART),
    }
    return first_reason(reasons, rows.index)


def peak_rate(rows: pd.DataFrame) -> pd.Series:
    """Peak rate of the chip in FLOP/s for the model's number format; null where the chip's rate is not known.

    For an unknown format: FP16 or BF16 on tensor cores, else FP16 on TPUs, else FP32. FP16 without tensor cores counts
    only where it is faster than FP32, as on few consumer chips. TPUs multiply FP32 in one BF16 pass unless told
    otherwise (docs.jax.dev, jax.default_matmul_precision)."""
    rate = rows[[*RATES.values()]].set_axis([*RATES], axis=1)
    half = rate["tensor"].fillna(rate["fp16"].where(~(rate["fp16"] < rate["fp32"]), rate["fp32"])).fillna(rate["fp32"])
    unknown = rate["tensor"].fillna(rate["fp16"].where(rows["hardware_type"] == "TPU")).fillna(rate["fp32"])
    eighth = rate["fp8"].fillna(half)
    by_format = {
        ("FP4", "NVFP4", "MXFP4"): rate["fp4"].fillna(eighth),
        ("FP8", "MXFP8"): eighth,
        ("BF16", "FP16"): half,
        ("TF32",): rate["tf32"].fillna(rate["fp32"]),
        ("FP32",): rate["fp32"].mask(rows["hardware_type"] == "TPU", half),
        ("FP64",): rate["fp64"],
    }
    peak = unknown.where(rows["numerical_format"].isna())
    for formats, rates in by_format.items():
        peak = peak.mask(rows["numerical_format"].isin(formats), rates)
    return peak


def chip_hours_of(rows: pd.DataFrame) -> pd.Series:
    """Chip-hours as printed, else chips × hours; null where neither is known."""
    return rows["chip_hours"].fillna(rows["hardware_quantity"] * rows["training_hours"])


def peak_flop(rows: pd.DataFrame) -> pd.Series:
    """What the chips could do in these hours at their peak rate, in FLOP."""
    return chip_hours_of(rows) * SECONDS_PER_HOUR * peak_rate(rows)


def usual_utilization(domains: pd.Series, shares: Mapping[str, float]) -> pd.Series:
    """The share of the first domain in the table that a model has, else that of `default`."""
    named = [name for name in shares if name != "default"]
    found = np.select([has_word(domains, name) for name in named], [shares[name] for name in named], shares["default"])
    return pd.Series(found, index=domains.index)
