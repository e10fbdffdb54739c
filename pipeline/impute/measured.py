"""What follows from a measured run: its FLOP, what each chip did per second, the share of its peak, power per chip.

FLOP = k · N · D, N and k those of the benchmark's model (data/constants.yml), without attention, which is at most a
tenth at 8,192 tokens per sequence. FLOP/s per chip = FLOP ÷ (chips · hours · 3,600 s/h) unless a source states it. The
peak is the dense one of the number format; a run that reaches more of the 16-bit peak than any in 16 bits used 8
bits."""

from __future__ import annotations

import pandas as pd

from pipeline.config import Config
from pipeline.frames import conform
from pipeline.impute.results import SECONDS_PER_HOUR
from pipeline.impute.rows import attribute

PEAKS = {16: "peak_tensor_fp16_flops", 8: "peak_fp8_flops", 4: "peak_fp4_flops"}  # by width of the number format
WATTS_PER_KILOWATT = 1000


def derive_measured(context: Config, runs: pd.DataFrame, hardware: pd.DataFrame) -> pd.DataFrame:
    """The runs with what their benchmark implies, products of what they state, and the share of the peak in its number
    format."""
    known = pd.DataFrame(dict(context.constants["benchmarks"])).T.infer_objects()
    about = known.reindex(runs["benchmark"]).set_axis(runs.index)
    chips = hardware.set_index("name").reindex(runs["chip"]).set_axis(runs.index)
    runs = runs.assign(**{name: runs[name].fillna(about[name])
                          for name in ("model", "stage", "parameters", "sequence_length")})  # fmt: skip
    tokens = runs["training_tokens"].fillna(runs["samples"] * runs["sequence_length"])
    quantity = runs["chip_quantity"].fillna(runs["nodes"] * runs["chips_per_node"])
    energy = runs["training_energy_kwh"] * WATTS_PER_KILOWATT
    hours = runs["training_hours"].fillna(energy / (runs["node_power_ac_w"] * runs["nodes"]))
    flop = about["k"] * runs["parameters"] * tokens
    achieved = runs["achieved_flops_per_chip"].fillna(flop / (quantity * hours * SECONDS_PER_HOUR))
    of_16bit, stated = achieved / chips[PEAKS[16]], runs["numerical_format"]
    inferred = stated.isna() & (of_16bit > context.constants["measured"]["most_of_16bit_peak"])
    integers = chips["peak_fp8_flops"].isna() & chips["peak_int8_ops"].notna()  # TPUs before the sixth
    used = stated.mask(inferred, "FP8").mask(inferred & integers, "INT8")
    bits = used.map(attribute(context.vocabularies["numerical_formats"], "bits"))
    peak = chips["peak_int8_ops"].where(used == "INT8")
    for width, column in PEAKS.items():
        peak = peak.mask((bits == width) & (used != "INT8"), chips[column])
    made = runs.assign(
        is_mixture_of_experts=runs["is_mixture_of_experts"].fillna(about["experts"].astype("boolean")),
        chip_quantity=quantity,
        training_tokens=tokens,
        training_hours=hours,
        hardware_id=chips["hardware_id"],
        training_compute_flop=flop,
        achieved_flops_per_chip=achieved,
        share_of_16bit_peak=of_16bit,
        power_per_chip_w=runs["node_power_ac_w"] / runs["chips_per_node"],
        format_in_use=used,
        format_basis=stated.notna().map({True: "stated", False: None}).mask(inferred, "inferred"),
        share_of_peak=achieved / peak,
    )
    return conform(made, context.schemas["measured_runs"])
