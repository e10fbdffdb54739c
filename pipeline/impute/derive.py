"""The columns of `models` that follow from the selected values: those that may be estimated, then all the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Config, Constants
from pipeline.frames import Tables, conform, empty_frame, is_in, significant
from pipeline.impute import cost, eras
from pipeline.impute.choose import PUBLISHED, TAKEN
from pipeline.impute.cost import FROM_FLOP, day_numbers, training_runs
from pipeline.impute.methods.hardware import chip_hours_of
from pipeline.impute.results import SECONDS_PER_HOUR, has_word, log10
from pipeline.impute.rows import attribute, input_ids
from pipeline.normalize.select import who_says
from pipeline.schema import TableSchema

OPTIONAL = frozenset({"hardware_prices", "price_index", "grid_regions", "supercomputers"})
# In this order. Field: the column that says whose value it is, the method and its unit, and what estimates it
FIELDS = {
    "training_power_w": ("training_power_source", "chip_power", "W", cost.estimate_power),
    "training_energy_kwh": ("training_energy_source", "chip_energy", "kWh", cost.estimate_energy),
    "training_carbon_kg": ("training_carbon_source", "grid_intensity", "kg", cost.estimate_carbon),
    "training_cost_usd": ("training_cost_source", "amortized_hardware", "USD", cost.estimate_amortized),
    "training_cost_cloud_usd": ("training_cost_cloud_source", "cloud_rental", "USD", cost.estimate_rental),
}
INPUTS = ("hardware", "hardware_quantity", "training_hours", "chip_hours", "training_compute_flop", "training_region",
          "hardware_utilization", "numerical_format", "base_model")  # fmt: skip
PEAKS = {16: "peak_tensor_fp16_flops", 8: "peak_fp8_flops", 4: "peak_fp4_flops"}  # by width of the number format
WATTS_PER_KILOWATT = 1000
OF_CLAIMS = ["model_id", "field", "status", "claim_id", "reference", "evidence", "correction"]


def derive(made: Tables, schemas: Mapping[str, TableSchema], constants: Constants) -> Tables:
    """The tables with the derived columns in models, and with the rows that these add to estimates. A table of
    reference that a small checkout lacks counts as empty."""
    tables = {name: empty_frame(schemas[name]) for name in OPTIONAL - made.keys()} | made
    models, claims = tables["models"], tables["claims"]
    claims = claims.loc[is_in(claims["field"], pd.Series([*INPUTS, *FIELDS])), OF_CLAIMS]
    claims = claims[(claims["status"] == "selected").to_numpy()]
    has_base = is_in(models["model_id"], claims.loc[(claims["field"] == "base_model").to_numpy(), "model_id"])
    known = tables["hardware"].set_index("hardware_id")
    pairs = tables["model_hardware"][["model_id", "hardware_id"]].drop_duplicates()
    single = pairs[pairs["hardware_id"].isin(known.index)].drop_duplicates("model_id", keep=False)
    chip = models["model_id"].map(single.set_index("model_id")["hardware_id"])  # where one kind alone is known
    chips = known.reindex(chip).set_axis(models.index)
    runs = training_runs(models, chips, has_base, constants)
    read = dict(zip(cost.TABLES, map(tables.__getitem__, cost.TABLES), strict=True))
    filled, estimates = fill(models, runs, claims, read, constants)
    days = pd.Series(day_numbers(models["publication_date"]), models.index)
    deflator = cost.deflators(days, tables["price_index"], constants["cost"])
    models = models.assign(
        **filled.drop(columns=["model_id", "reference_url", "training_region"]),
        a100_hours=chip_hours_of(models) * chips["a100_equivalents"],
        h100_hours=chip_hours_of(models) * chips["h100_equivalents"],
        hardware_tdp_w=models["hardware_quantity"] * chips["tdp_w"],
        run_scope=np.where(has_base, "further", "whole"),
        training_cost_nominal_usd=filled["training_cost_usd"] / deflator,
    )
    models = models.assign(**_ratios(models, runs, has_base, constants["scaling"]))
    models = eras.with_eras(models, tables["supercomputers"], constants["eras"])
    estimates = pd.concat([tables["estimates"], conform(estimates, schemas["estimates"])])
    joined = estimates.sort_values("estimate_id", kind="stable", ignore_index=True)
    return {**made, "models": conform(models, schemas["models"]), "estimates": joined}


def fill(
    models: pd.DataFrame, runs: pd.DataFrame, claims: pd.DataFrame, tables: Tables, constants: Constants
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The columns FIELDS with their gaps filled by estimates, the intervals of these, and whose value it is (imputed,
    or as `who_says`); and the rows of `estimates`, in which `published` is the value before any gaps were filled."""
    filled, parts = models[["model_id", "reference_url", "training_region", *FIELDS]], []
    links = models.set_index("model_id")["reference_url"]
    for field, (whose, method, unit, estimate) in FIELDS.items():
        result = estimate(runs, filled, tables, constants).dropna(subset="value")
        value, spread = result["value"].to_numpy(), 10 ** result["band"].to_numpy()
        ends = {"value": value, "low": value / spread, "high": value * spread}
        result = result.assign(**{name: significant(end) for name, end in ends.items()}, unit=unit, method=method)
        result = result.assign(field=field, published=filled.loc[result.index, field])
        parts.append(result.assign(model_id=filled.loc[result.index, "model_id"]))
        missing, taken = filled[field].isna(), result[["value", "low", "high"]].reindex(filled.index)
        who = filled["model_id"].map(who_says(claims[claims["field"] == field], links)).mask(missing, "imputed")
        filled = filled.assign(
            **{
                field: filled[field].fillna(taken["value"]),
                f"{field}_low": taken["low"].where(missing),
                f"{field}_high": taken["high"].where(missing),
                whose: who.where(filled[field].fillna(taken["value"]).notna()),
            }
        )
    rows = pd.concat(parts, ignore_index=True)
    rows = rows.assign(
        is_selected=rows["published"].isna().to_numpy(),
        estimate_id=rows["model_id"] + ":" + rows["field"] + ":" + rows["method"],
        reason=rows["published"].isna().map({True: TAKEN, False: PUBLISHED}),
        disagreement_dex=log10(rows["value"] / rows["published"]),
    )
    own = rows[rows["is_selected"]].assign(status="selected", claim_id=rows["estimate_id"])
    return filled, rows.assign(inputs=input_ids(rows, pd.concat([claims, own])).fillna(""))


def _ratios(models: pd.DataFrame, runs: pd.DataFrame, has_base: np.ndarray, about: Any) -> dict[str, pd.Series]:
    """For language models that were not made from another, whose tokens are those of the further training alone:
    tokens_per_parameter (active), and that over the optimum of Hoffmann et al. 2022 (arXiv:2203.15556).

    FLOP per dollar and per watt-hour, where compute, cost and energy are about the same training: for a model made from
    another, compute includes the base model and the others do not. Given only where a source states the chip-hours, and
    no more FLOP than these chips can do: cost that follows from FLOP says nothing about FLOP per dollar."""
    tokens = models["training_tokens"].where(has_word(models["domains"], "Language") & ~has_base)
    active = models["parameters_active"].fillna(models["parameters"])
    own = models["finetune_compute_flop"].where(has_base, models["training_compute_flop"])
    stated = runs[runs["basis"] != FROM_FLOP]
    most = (stated["chip_hours"] * SECONDS_PER_HOUR * stated["peak"]).reindex(models.index)
    own = own.where(own <= most)
    return {
        "tokens_per_parameter": tokens / active,
        "tokens_over_optimal": tokens / active / about["tokens_per_parameter"],
        "flop_per_usd": own / models["training_cost_usd"],
        "flop_per_wh": own / (models["training_energy_kwh"] * 1000),
    }


def derive_measured(context: Config, runs: pd.DataFrame, hardware: pd.DataFrame) -> pd.DataFrame:
    """The measured runs with what their benchmark implies, products of what they state, and the share of the peak.

    FLOP = k · N · D, N and k those of the benchmark's model (data/constants.yml), without attention, which is at most a
    tenth at 8,192 tokens per sequence. FLOP/s per chip = FLOP ÷ (chips · hours · 3,600 s/h) unless a source states it.
    The peak is the dense one of the number format; a run above any in 16 bits used 8 bits."""
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
