"""The formulas of a training run in + − × ÷ alone: the same lines work on numbers and on columns of ibis, and so give
the same bits on any engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# what a user can give for a run: its unit, the least and the most that it can be, and the suffix that a number outside
# has lost
NUMBERS = {
    "flop": ("FLOP", 1e6, 1e32, "e24"), "parameters": ("parameter", 1e3, 1e17, "B"),
    "active_parameters": ("parameter", 1e3, 1e17, "B"), "tokens": ("token", 1e6, 1e17, "T"),
    "epochs": ("epoch", 1e-9, 1e9, ""), "training_factor": ("1", 1e-9, 1e9, ""), "chips": ("chip", 1e-9, 1e9, ""),
    "hours": ("hour", 1e-9, 1e9, ""), "days": ("1", 1e-9, 1e9, ""), "utilization": ("1", 1e-6, 1, "%"),
    "price_per_hour": ("USD", 1e-9, 1e9, ""), "pue": ("1", 1, 5, ""),
}  # fmt: skip
QUANTITIES = ("flop", "chip_hours", "days", "cost_usd", "energy_kwh", "carbon_kg")  # what comes out
# what is taken for the numbers that are not given, what follows from the chip, and the ends of intervals over the value
DEFAULTS = ("peak", "tdp_w", "usual_utilization", "usual_pue", "usual_price_per_hour", "draw", "grams_per_kwh",
            *(f"{name}_{end}" for name in QUANTITIES for end in ("low", "high")))  # fmt: skip


def run(row: Mapping[str, Any], first: Callable[[Any, Any], Any]) -> dict[str, tuple[Any, Any, Any]]:
    """value, low and high of each of QUANTITIES. `row` has NUMBERS and DEFAULTS: counts, hours, FLOP/s, W, USD per
    chip-hour, g of CO2 per kWh, and ratios. first(a, b) is a, or b where a is missing.

    FLOP = 6 × N × D × epochs, N being the active parameters of a mixture of experts (Kaplan et al. 2020,
    arXiv:2001.08361, section 2.1), or chips × seconds × peak rate × utilisation
    (epoch.ai/blog/estimating-training-compute); the second also gives chip-hours from FLOP. Energy is that of the data
    centre: rated power × draw, the mean power of a chip with its share of the server over that, × PUE (Cottier et al.
    2024, arXiv:2405.21015, section 2.3). Carbon is that of the grid (Patterson et al. 2021, arXiv:2104.10350)."""
    parameters = first(row["active_parameters"], row["parameters"])
    counted = first(row["training_factor"], 6.0) * parameters * row["tokens"] * first(row["epochs"], 1.0)
    compute = first(row["flop"], counted)
    hourly = row["peak"] * 3600.0 * first(row["utilization"], row["usual_utilization"])  # FLOP of a chip
    worked = row["chips"] * first(row["hours"], row["days"] * 24.0)
    chip_hours = first(worked, compute / hourly)
    energy = chip_hours * row["tdp_w"] * row["draw"] * first(row["pue"], row["usual_pue"]) / 1000.0
    values = {
        "flop": first(compute, worked * hourly),
        "chip_hours": chip_hours,
        "days": chip_hours / row["chips"] / 24.0,
        "cost_usd": chip_hours * first(row["price_per_hour"], row["usual_price_per_hour"]),
        "energy_kwh": energy,
        "carbon_kg": energy * row["grams_per_kwh"] / 1000.0,
    }
    return {name: (value, value * row[f"{name}_low"], value * row[f"{name}_high"]) for name, value in values.items()}
