"""What follows from a measured run: its FLOP, what each chip did per second, the share of its peak, power per chip.

FLOP = k · N · D, N and k those of the benchmark's model (data/constants.yml), without attention, which is at most a
tenth at 8,192 tokens per sequence. FLOP/s per chip = FLOP ÷ (chips · hours · 3,600 s/h) unless a source states it. The
peak is the dense one of the number format; a run that reaches more of the 16-bit peak than any run in 16 bits must
have used 8 bits.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pipeline.config import Config
from pipeline.frames import conform
from pipeline.impute.results import SECONDS_PER_HOUR
from pipeline.impute.rows import attribute

PEAK_16BIT = "peak_tensor_fp16_flops"
PEAKS = {16: PEAK_16BIT, 8: "peak_fp8_flops", 4: "peak_fp4_flops"}  # by width of the number format
WATTS_PER_KILOWATT = 1000


def derive_measured(context: Config, runs: pd.DataFrame, hardware: pd.DataFrame) -> pd.DataFrame:
    """The runs with all their derived columns."""
    constants = context.constants
    known = pd.DataFrame(list(constants["benchmarks"].values()), index=list(constants["benchmarks"]))
    about = known.reindex(runs["benchmark"]).set_axis(runs.index)
    filled = _filled(runs, about)
    chips = hardware.set_index("name").reindex(runs["chip"]).set_axis(runs.index)
    flop = about["k"] * filled["parameters"] * filled["training_tokens"]
    achieved = runs["achieved_flops_per_chip"].fillna(
        flop / (filled["chip_quantity"] * filled["training_hours"] * SECONDS_PER_HOUR)
    )
    made = filled.assign(
        hardware_id=chips["hardware_id"],
        training_compute_flop=flop,
        achieved_flops_per_chip=achieved,
        share_of_16bit_peak=achieved / chips[PEAK_16BIT],
        power_per_chip_w=runs["node_power_ac_w"] / runs["chips_per_node"],
    )
    most = constants["measured"]["most_of_16bit_peak"]
    formats = attribute(context.vocabularies["numerical_formats"], "bits")
    return conform(_with_format(made, chips, formats, most), context.schemas["measured_runs"])


def _filled(runs: pd.DataFrame, about: pd.DataFrame) -> pd.DataFrame:
    """The runs with what their benchmark implies, and products of what they state."""
    length = runs["sequence_length"].fillna(about["sequence_length"])
    energy = runs["training_energy_kwh"] * WATTS_PER_KILOWATT
    return runs.assign(
        model=runs["model"].fillna(about["model"]),
        stage=runs["stage"].fillna(about["stage"]),
        is_mixture_of_experts=runs["is_mixture_of_experts"].fillna(about["experts"].astype("boolean")),
        parameters=runs["parameters"].fillna(about["parameters"]),
        sequence_length=length,
        chip_quantity=runs["chip_quantity"].fillna(runs["nodes"] * runs["chips_per_node"]),
        training_tokens=runs["training_tokens"].fillna(runs["samples"] * length),
        training_hours=runs["training_hours"].fillna(energy / (runs["node_power_ac_w"] * runs["nodes"])),
    )


def _with_format(runs: pd.DataFrame, chips: pd.DataFrame, formats: Mapping[str, int], most: float) -> pd.DataFrame:
    """The runs with the number format in use, where it comes from, and the share of its peak."""
    stated = runs["numerical_format"]
    inferred = stated.isna() & (runs["share_of_16bit_peak"] > most)
    integers = chips["peak_fp8_flops"].isna() & chips["peak_int8_ops"].notna()  # TPUs before the sixth
    used = stated.mask(inferred, "FP8").mask(inferred & integers, "INT8")
    bits = used.map(formats)
    peak = chips["peak_int8_ops"].where(used == "INT8")
    for width, column in PEAKS.items():
        peak = peak.mask((bits == width) & (used != "INT8"), chips[column])
    basis = stated.notna().map({True: "stated", False: None}).mask(inferred, "inferred")
    share = runs["achieved_flops_per_chip"] / peak
    return runs.assign(format_in_use=used, format_basis=basis, share_of_peak=share)
