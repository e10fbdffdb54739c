"""`traincompute.estimate`: what one training run takes. The formulas have + − × ÷ alone: the same lines work on numbers
and on columns of ibis, with the same bits."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import hypot, inf, isnan, log10, nan
from pathlib import Path
from typing import Any

import duckdb

from traincompute.base.errors import InputError, did_you_mean
from traincompute.database import Row, open_database, rows
from traincompute.names.resolve import find_model
from traincompute.releases import resolve_version
from traincompute.show.rows import exact, human_text
from traincompute.units import UnitError, parse_quantity

# what a user can give: its unit, the least and the most that it can be, and the suffix that a number outside has lost
NUMBERS = {
    "flop": ("FLOP", 1e6, 1e32, "e24"), "parameters": ("parameter", 1e3, 1e17, "B"),
    "active_parameters": ("parameter", 1e3, 1e17, "B"), "tokens": ("token", 1e6, 1e17, "T"),
    "epochs": ("epoch", 1e-9, 1e9, ""), "training_factor": ("1", 1e-9, 1e9, ""), "chips": ("chip", 1e-9, 1e9, ""),
    "hours": ("hour", 1e-9, 1e9, ""), "days": ("1", 1e-9, 1e9, ""), "utilization": ("1", 1e-6, 1, "%"),
    "price_per_hour": ("USD", 1e-9, 1e9, ""), "pue": ("1", 1, 5, ""),
}  # fmt: skip
# what comes out: the factors whose spreads are those of the quantity, and the samples that it is said to rest on
QUANTITIES = {
    "flop": (["flop"], []), "chip_hours": (["hours"], ["utilization"]), "days": (["hours"], []),
    "cost_usd": (["hours", "price_per_hour"], ["price_per_hour", "rent"]),
    "energy_kwh": (["hours", "draw", "pue"], ["draw", "pue"]),
    "carbon_kg": (["hours", "draw", "pue", "grams_per_kwh"], ["grams_per_kwh"]),
}  # fmt: skip
# what is taken for numbers that are not given, what follows from the chip, and the ends of intervals over the value
DEFAULTS = ("epochs", "training_factor", "utilization", "price_per_hour", "pue", "draw", "grams_per_kwh", "peak",
            "tdp_w", *(f"{name}_{end}" for name in QUANTITIES for end in ("low", "high")))  # fmt: skip
# the rules that name a threshold of training compute, in FLOP
THRESHOLDS = {1e23: "general-purpose AI, EU guidelines", 1e25: "systemic risk, EU AI Act", 1e26: "California SB 53"}
# The published runs with printed chip-hours whose compute is nearest
COMPARED = """
select model_id, name, training_compute_flop as flop, chip_hours, hardware, training_cost_usd as cost_usd from models
where run_scope = 'whole' and chip_hours is not null and hardware is not null and training_compute_flop > 0
order by abs(log10(training_compute_flop / $flop)), model_id limit 3"""
BASE = """
select model_id, name, coalesce(training_compute_flop, flop_50) as flop,
    coalesce(training_compute_source <> 'imputed', false) as is_known,
    if(is_known, [flop, flop], [coalesce(flop_05, 0), coalesce(flop_95, 'inf')]) as ends
from models left join predictions using (model_id) where model_id = ?"""
FAMILY = r"coalesce(nullif(regexp_extract({0}, '\S*\d\S*'), ''), {0})"
HALF = "coalesce(peak_tensor_fp16_flops, greatest(peak_fp16_flops, peak_fp32_flops))"
# number format: its dense peak rate
FORMATS = {"BF16": HALF, "FP16": HALF, "FP8": "peak_fp8_flops", "FP4": "peak_fp4_flops", "TF32": "peak_tf32_flops",
           "FP32": "peak_fp32_flops"}  # fmt: skip
# price of a server over that of its chips, power of ten by which their value falls in a year, the network's share of a
# cluster (Cottier et al. 2024, arXiv:2405.21015, section 2.2)
OWNING = {"server": 1.64, "decline": 0.14, "network": 0.19}
HARDWARE = f"""
select name, {FAMILY.format("name")} as family, type, ifnull(tdp_w, 'nan') as tdp_w, models,
  {", ".join(f"{rate} as {name}" for name, rate in FORMATS.items())}
from hardware left join (select hardware_id, count(*) as models from model_hardware group by hardware_id)
using (hardware_id) order by models desc nulls last, length(name), name"""
# what a figure rests on, by quantity
BASIS = {
    "utilization": "{value:.0%} of peak ({low:.0%} to {high:.0%}) in {count} benchmarks on ",
    "reached": "whole runs reach {value:.2f} of that ({low:.2f} to {high:.2f}), from the chip-hours of {count}",
    "draw": "{value:.2f} W per W of the rating ({low:.2f} to {high:.2f}), from the power of {count} runs",
    "price_per_hour": "{value:.2f} USD an hour for an owned chip, from {count} prices of {year}",
    "paid": "whole runs cost {value:.2f} of that ({low:.2f} to {high:.2f}), from the cost of {count}",
    "rent": "rented at {value:.2f} USD an hour ({low:.2f} to {high:.2f}), from {count} offers of {year}",
    "pue": "PUE {value:.3g} ({low:.3g} to {high:.3g}), from {count} regions of ",
    "grams_per_kwh": "{value:.3g} g/kWh in 2018 to 2022 ({low:.3g} to {high:.3g}), from {count} regions of ",
}


@dataclass(frozen=True)
class Figure:
    """A value with its 90 % interval, of quantiles of what was measured or printed, and what it rests on. False, with
    nan, where nothing is known."""

    value: float = nan
    low: float = nan
    high: float = nan
    basis: str = ""

    def __bool__(self) -> bool:
        return not isnan(self.value)

    def times(self, share: Figure, most: float = inf) -> Figure:
        """A share of the median; false where that is not known."""
        value, low, high = (self.value * end for end in (share.value, share.low, share.high))
        return Figure(value, low, min(high, most), f"{self.basis}; {share.basis}") if self else self


@dataclass(frozen=True)
class Chip:
    """A chip of the table hardware; `peak` is its dense rate in FLOP/s in the number format `precision`."""

    name: str
    family: str
    type: str
    tdp_w: float
    precision: str
    peak: float


@dataclass(frozen=True)
class Estimate:
    """What a training run takes: FLOP, chip-hours, days, US dollars, kWh of the data centre and kg of CO2 equivalent.

    `utilization` is the share of the chip's peak over all chip-hours, `assumptions` what was taken for numbers that
    are not given, `tokens_per_parameter` the tokens seen in all epochs. `compared` has the three published runs of
    nearest compute; `thresholds` whether the compute, with that of the base, is "above", "below" or "possibly above"
    each; `base` its model_id, name, flop, whether that `is_known` or the median of an estimate, and the share of it."""

    flop: Figure
    chip_hours: Figure
    days: Figure
    cost_usd: Figure
    energy_kwh: Figure
    carbon_kg: Figure
    utilization: float | None
    tokens_per_parameter: float | None
    given: dict[str, float]
    chip: Chip | None
    assumptions: dict[str, Figure]
    compared: list[Row]
    thresholds: dict[float, str]
    base: Row | None


def estimate(
    *,
    chip: str | None = None,
    precision: str | None = None,
    region: str | None = None,
    base: str | None = None,
    version: str | None = None,
    **numbers: float | str | None,
) -> Estimate:
    """What a training run takes, by its `parameters` (or `active_parameters` of a mixture of experts), `tokens`,
    `epochs` and `training_factor` (6 FLOP unless given), by its `flop`, or by its `chips` and `hours` or `days`. A
    `chip` adds time, cost, energy and carbon. Numbers may be texts with units, such as "70B".

    `utilization`, `price_per_hour` (USD per chip-hour), `pue` and `region` (of a cloud, or a country) replace what the
    dataset measured; `precision` is BF16 unless given; `base` names the model that the run starts from; `version` is
    that of `load`.

    Raises InputError for what cannot be used, NotFoundError for an unknown base, ReleaseError for a release that cannot
    be had.

    >>> run = t.estimate(parameters="70B", tokens="15T", chip="H100", chips=1024)
    >>> run.flop.value, run.chip.name
    (6.3e+24, 'NVIDIA H100 SXM5 80GB')
    """
    with open_database(resolve_version(version).folder) as connection:
        return estimate_run(connection, None, chip=chip, precision=precision, region=region, base=base, **numbers)


def estimate_run(connection: duckdb.DuckDBPyConnection, without: str | None = None, **asked: Any) -> Estimate:
    """The same in an open dataset; `without` as in Evidence."""
    chip, precision, region, base = (asked.pop(name, None) for name in ("chip", "precision", "region", "base"))
    given = read_numbers(asked)
    _check(given, chip, [name for name in (precision, region) if name])
    evidence = Evidence(connection, without)
    found = evidence.chip(chip, precision) if chip else None
    assumed, used = assume(evidence, given, found, region)
    made = compute(dict.fromkeys(NUMBERS, nan) | assumed | given, lambda a, b: b if isnan(a) else a)
    flop, low, high = made["flop"]
    share = flop / (made["chip_hours"][0] * 3600 * assumed["peak"])
    if share > 1 + 1e-9:
        raise InputError(
            f"{human_text(flop)} FLOP are {share:.3g} times the most that these chips can do: check hours and sizes"
        )
    [started] = rows(connection, BASE, find_model(connection, base)[0]) if base else [None]
    before, (least, most) = (started["flop"] or 0.0, started["ends"]) if started else (0.0, (0.0, 0.0))
    size = given.get("active_parameters", given.get("parameters", nan))
    ratio = given.get("tokens", nan) * given.get("epochs", 1) / size
    figures = {
        name: Figure(*ends, "; ".join(used[each].basis for each in QUANTITIES[name][1] if each in used))
        for name, ends in made.items()
    }
    return Estimate(
        **figures,
        utilization=None if isnan(share) else share,
        tokens_per_parameter=None if isnan(ratio) else ratio,
        given=given,
        chip=found,
        assumptions=used,
        compared=rows(connection, COMPARED, flop=flop),
        thresholds={
            each: "above" if least + low >= each else "below" if most + high < each else "possibly above"
            for each in THRESHOLDS
        },
        base=started and started | {"share": flop / before if before else None},
    )


def compute(row: Mapping[str, Any], first: Callable[[Any, Any], Any]) -> dict[str, tuple[Any, Any, Any]]:
    """value, low and high of each of QUANTITIES. `row` has NUMBERS and DEFAULTS: counts, hours, FLOP/s, W, USD per
    chip-hour, g of CO2 per kWh, and ratios. first(a, b) is a, or b where a is missing.

    FLOP = 6 × N × D × epochs, N being the active parameters of a mixture of experts (Kaplan et al. 2020,
    arXiv:2001.08361, section 2.1), or chips × seconds × peak rate × utilisation
    (epoch.ai/blog/estimating-training-compute); the second also gives chip-hours from FLOP. Energy is that of the data
    centre: rated power × draw, the mean power of a chip with its share of the server over that, × PUE (Cottier et al.
    2024, arXiv:2405.21015, section 2.3). Carbon is that of the grid (Patterson et al. 2021, arXiv:2104.10350)."""
    parameters = first(row["active_parameters"], row["parameters"])
    flop = first(row["flop"], row["training_factor"] * parameters * row["tokens"] * row["epochs"])
    hourly = row["peak"] * 3600.0 * row["utilization"]  # FLOP of a chip
    worked = row["chips"] * first(row["hours"], row["days"] * 24.0)
    chip_hours = first(worked, flop / hourly)
    energy = chip_hours * row["tdp_w"] * row["draw"] * row["pue"] / 1000.0
    values = {
        "flop": first(flop, worked * hourly),
        "chip_hours": chip_hours,
        "days": chip_hours / row["chips"] / 24.0,
        "cost_usd": chip_hours * row["price_per_hour"],
        "energy_kwh": energy,
        "carbon_kg": energy * row["grams_per_kwh"] / 1000.0,
    }
    return {name: (value, value * row[f"{name}_low"], value * row[f"{name}_high"]) for name, value in values.items()}


def assume(
    evidence: Evidence, given: Collection[str], chip: Chip | None, region: str | None = None
) -> tuple[dict[str, float], dict[str, Figure]]:
    """DEFAULTS of a run with these numbers given, and the samples behind them; "rent" is another price.
    The spreads of factors, in log10, add in quadrature. Raises InputError for an unknown region."""
    values, used, is_timed = {"epochs": 1.0, "training_factor": 6.0}, dict[str, Figure](), _is_timed(given)
    if chip:
        samples = evidence.of_chip(chip) | evidence.of_region(region)
        known = {"rent"} if "price_per_hour" in given else set()
        known |= {"utilization"} if _is_counted(given) and is_timed else set()
        used = {name: each for name, each in samples.items() if each and name not in known.union(given)}
        values |= {name: each.value for name, each in used.items()} | {"peak": chip.peak, "tdp_w": chip.tdp_w}
    spread = {name: (log10(each.value / each.low), log10(each.high / each.value)) for name, each in used.items()}
    rate, none = spread.get("utilization", (0.0, 0.0)), (0.0, 0.0)
    spread |= {"hours": none if is_timed else rate[::-1], "flop": none if _is_counted(given) else rate}
    for name, (factors, _) in QUANTITIES.items():
        down, up = (hypot(*(spread[each][end] for each in factors if each in spread)) for end in (0, 1))
        values |= {f"{name}_low": 10**-down, f"{name}_high": 10**up}
    return {name: values.get(name, nan) for name in DEFAULTS}, used


def _is_counted(given: Collection[str]) -> bool:
    return "flop" in given or ("tokens" in given and ("parameters" in given or "active_parameters" in given))


def _is_timed(given: Collection[str]) -> bool:
    return "chips" in given and ("hours" in given or "days" in given)


def read_numbers(numbers: Mapping[str, float | str | None]) -> dict[str, float]:
    """The numbers that are given. Raises InputError for one that is none, is out of range or has lost its suffix."""
    read = {}
    for name, text in ((name, exact(number)) for name, number in numbers.items() if number is not None):
        if name not in NUMBERS:
            raise InputError(f'no number "{name}"; there are {", ".join(NUMBERS)}')
        unit, least, most, suffix = NUMBERS[name]
        try:
            value = parse_quantity(text, unit).value
        except UnitError as error:
            raise InputError(f'{name} "{text}": {error}') from error
        if value is None or not least <= value <= most:
            limits = f"give one from {human_text(least)} to {human_text(most)}"
            is_short = value and suffix and "e" not in text
            raise InputError(f'{name} "{text}": ' + (f"did you mean {text}{suffix}?" if is_short else limits))
        read[name] = value
    return read


def _check(given: Mapping[str, float], chip: str | None, of_chip: Collection[str] = ()) -> None:
    """Raises InputError for numbers that contradict each other, or from which nothing can be computed."""
    sizes = {"parameters", "active_parameters", "tokens", "epochs", "training_factor"}.intersection(given)
    if "flop" in given and sizes:
        raise InputError(f"flop and {', '.join(sorted(sizes))} both say what the compute is: give one")
    if "hours" in given and "days" in given:
        raise InputError("hours and days both say how long it takes: give one")
    if given.get("active_parameters", 0) > given.get("parameters", inf):
        raise InputError("active_parameters are more than parameters: exchange the two")
    if not chip and (of_chip or {"chips", "hours", "days", "utilization", "price_per_hour", "pue"}.intersection(given)):
        raise InputError("name the chip, such as H100")
    if "chips" not in given and ("hours" in given or "days" in given):
        raise InputError("say how many chips train that long")
    if "tokens" not in given and "parameters" in given:
        raise InputError(f"tokens are missing; 20 per parameter would be {human_text(20 * given['parameters'])}")
    if sizes and not _is_counted(given):
        raise InputError(f"give parameters and tokens, or leave out {', '.join(sorted(sizes))}")
    if not _is_counted(given) and not _is_timed(given):
        raise InputError("give parameters and tokens, or flop, or chips and hours or days")


class Evidence:
    """The chips and samples of an open dataset, `without` the runs of an organisation that is judged by the others."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, without: str | None = None) -> None:
        columns = {"family": "name", "chip_family": "chip", "offer_family": "hardware"}
        families = {name: FAMILY.format(column) for name, column in columns.items()}
        text = Path(__file__).with_name("samples.sql").read_text(encoding="utf-8")
        query = text.format(half=HALF, **families, **OWNING)
        self.samples = {(row["quantity"], row["key"]): row for row in rows(connection, query, without=without)}
        self.hardware = rows(connection, HARDWARE)

    def chip(self, text: str, precision: str | None = None) -> Chip:
        """The chip of that name; of several whose names have all its words, the one that most models use. Raises
        InputError with the nearest names, and for a number format that is unknown or whose rate is."""
        asked, precision = _words(text), precision or "BF16"

        def fitting(*parts: str) -> list[Row]:
            """The chips with all parts in their names as whole words: A10 is not A100 or A10G, but SXM is SXM5."""
            joined = [r"[\s_-]*".join(_words(part)) for part in parts if _words(part)]
            whole = [rf"(?i)(?<![a-z0-9]){part}(?![a-z]|(?<=[0-9])[0-9])" for part in joined]
            return [row for row in self.hardware if whole and all(re.search(part, row["name"]) for part in whole)]

        fits = [row for row in self.hardware if row["name"].casefold() == text.casefold()]
        fits = fits or fitting(text) or fitting(*re.split(r"[\s_-]+", text))
        if precision not in FORMATS:
            raise InputError(f'no number format "{precision}"; there are {", ".join(FORMATS)}')
        if not fits:
            names = [word for row in self.hardware for word in (row["family"], row["name"])]
            raise InputError(f'no chip "{text}" in the table hardware{did_you_mean(text, names)}')
        if len(fits) > 1 and not any(word.isdigit() for word in asked):  # a GPU is no chip
            near = ", ".join(row["name"] for row in fits[:3])
            raise InputError(f'"{text}" fits {len(fits)} chips; name one, such as {near}')
        row = next((row for row in fits if _words(row["name"])[-len(asked) :] == asked), fits[0])
        if not row[precision]:
            others = ", ".join(name for name in FORMATS if row[name]) or "none"
            raise InputError(f"{row['name']} has no {precision} rate in the table hardware; known are: {others}")
        return Chip(row["name"], row["family"], row["type"], row["tdp_w"], precision, row[precision])

    def of_chip(self, chip: Chip) -> dict[str, Figure]:
        """`utilization` of the peak over all hours of a run; `price_per_hour` in USD of an owned chip and `rent`,
        both of the newest year; `draw`, the mean power of a chip with its share of the server over the rated power."""
        precision, of_type = chip.precision.replace("BF", "FP"), {chip.type: "", "": ""}
        measured_on = {f"{chip.family} {precision}": f"{chip.family} in {chip.precision}",
                       precision: f"other chips in {chip.precision}", "": "all chips"}  # fmt: skip
        bought = self._first("price_per_hour", {chip.family: ""})
        return {
            "utilization": self._first("utilization", measured_on).times(self._first("reached", {"": ""}), 1.0),
            "price_per_hour": bought.times(self._first("paid", of_type)),
            "rent": self._first("rent", {chip.family: ""}),
            "draw": self._first("draw", of_type),
        }

    def of_region(self, region: str | None) -> dict[str, Figure]:
        """`pue`, the energy of a data centre over that of its computers, and `grams_per_kwh` of CO2 equivalent of the
        regions of that name, state or country, or of all. Raises InputError for an unknown one."""
        if region and ("pue", region.lower()) not in self.samples:
            names = [key for quantity, key in self.samples if quantity == "pue" and key]
            raise InputError(f'no region "{region}" in the table grid_regions{did_you_mean(region, names)}')
        keys = {(region or "").lower(): region or "", "": "all clouds"}
        return {name: self._first(name, keys, least=1) for name in ("pue", "grams_per_kwh")}

    def _first(self, quantity: str, keys: Mapping[str, str], least: int = 5) -> Figure:
        """The figure of the first of these keys whose sample has `least` values, or of the last that has any."""
        for key, called in keys.items():
            row = self.samples.get((quantity, key))
            if row and row["count"] >= (1 if key == list(keys)[-1] else least):
                return Figure(row["value"], row["low"], row["high"], BASIS[quantity].format(**row) + called)
        return Figure()


def _words(name: str) -> list[str]:
    """Its runs of letters and of digits: "H100 SXM" has words of "NVIDIA H100 SXM5 80GB" alone."""
    return re.findall("[a-z]+|[0-9]+", name.lower())
