"""What the published tables say of chips, prices and grids: the defaults of an estimate, as medians with the 5 % and
95 % quantiles of what was measured or printed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from math import inf, isnan, log, log10, nan
from typing import NamedTuple

import duckdb

from traincompute.base.errors import InputError
from traincompute.query.rows import rows

LEAST = 5  # values of a sample; where there are fewer, a wider one is taken
# The first word with a digit: what holds for one variant of a chip stands for all (Cottier et al. 2024, section 2.2)
FAMILY = r"coalesce(nullif(regexp_extract({0}, '\S*\d\S*'), ''), {0})"
HALF = "coalesce(peak_tensor_fp16_flops, greatest(peak_fp16_flops, peak_fp32_flops))"
# number format: its dense peak rate, and the formats in which runs are measured alike
FORMATS = {
    "BF16": (HALF, ["BF16", "FP16"]),
    "FP16": (HALF, ["BF16", "FP16"]),
    "FP8": ("peak_fp8_flops", ["FP8", "MXFP8"]),
    "FP4": ("peak_fp4_flops", ["FP4", "MXFP4", "NVFP4"]),
    "TF32": ("peak_tf32_flops", ["TF32"]),
    "FP32": ("peak_fp32_flops", ["FP32"]),
}
MEASURED = f"""
select {FAMILY.format("chip")} as family, coalesce(format_in_use, numerical_format) as format, share_of_peak as value
from measured_runs where share_of_peak is not null and stage = 'pre-training'
"""
# Whole language models trained on one kind of chip, as their sources print them
PRINTED = f"""
with one_chip as (
  select model_id, any_value(hardware_id) as hardware_id from model_hardware group by model_id having count(*) = 1
)
select {FAMILY.format("hardware.name")} as family, type, tdp_w, {HALF} as peak, numerical_format as format,
  coalesce(chip_hours, hardware_quantity * training_hours) as hours, training_compute_flop as flop,
  6 * coalesce(parameters_active, parameters) * training_tokens as counted,
  if(training_energy_source <> 'imputed', training_energy_kwh, null) as energy,
  if(training_cost_source <> 'imputed', training_cost_usd, null) as cost
from models join one_chip using (model_id) join hardware using (hardware_id)
where run_scope = 'whole' and list_contains(domains, 'Language') and organization is distinct from $without
"""
# What such runs in 16 bits reach of what is measured on their chips, as their hours include restarts, tests and waits.
# Those whose published compute is not 6ND are left out
REACHED = f"""
with measured as (from ({MEASURED}) where format in ('BF16', 'FP16')),
usual as (select family, median(value) as usual from measured group by family having count(*) >= {LEAST})
select counted / (peak * 3600 * hours) / coalesce(usual, (select median(value) from measured)) as value
from ({PRINTED}) left join usual using (family)
where counted between flop / 1.25 and flop * 1.25 and counted < peak * 3600 * hours
  and coalesce(format, 'BF16') in ('BF16', 'FP16')
"""
# Mean W of a chip and its share of the server per W of its rated power; printed energies are those of the data centre
DRAW = f"""
select type, power_per_chip_w / tdp_w as value from measured_runs join hardware using (hardware_id)
union all
select type, 1000 * energy / (hours * tdp_w * (select median(pue) from grid_regions)) from ({PRINTED})
"""
# An hour of a chip with its share of server and network, at the prices of the newest year: of machines with several
# chips, else 1.64 times that of a chip. It loses 0.14 orders of magnitude of its value a year, and the network is 19 %
# of a cluster (Cottier et al. 2024, section 2.2)
OWNED = f"""
with offers as (
  select {FAMILY.format("hardware")} as family, year(price_date) as year, coalesce(chips, 1) < 4 as is_bare,
    price_usd * if(is_bare, 1.64, 1) * {0.14 * log(10) / 8766 / (1 - 0.19)} as value
  from hardware_prices where kind = 'purchase' qualify is_bare = min(is_bare) over (partition by family)
)
from offers qualify year = max(year) over (partition by family)
"""
RENTED = f"""
select {FAMILY.format("hardware")} as family, year(price_date) as year, price_usd_per_chip_hour as value
from hardware_prices where kind <> 'purchase' qualify year = max(year) over (partition by family)
"""
# Printed cost of such runs (hardware and energy) per chip-hour, over that price
PAID = f"""
with usual as (select family, median(value) as usual from ({OWNED}) group by family)
select type, cost / hours / usual as value from ({PRINTED}) join usual using (family)
"""
REGIONS = "[lower(region_id), lower(region), lower(state), lower(country)]"


class Figure(NamedTuple):
    """A value, the ends of its 90 % interval and what it rests on: the median, the 5 % and the 95 % quantile of a
    sample, or what follows from such. False, with nan, where nothing is known."""

    value: float = nan
    low: float = nan
    high: float = nan
    basis: str = ""

    def __bool__(self) -> bool:
        return not isnan(self.value)

    @property
    def spread(self) -> tuple[float, float]:
        """How far the low and the high end are from the value, in log10."""
        return (log10(self.value / self.low), log10(self.high / self.value)) if self else (0.0, 0.0)

    def times(self, share: Figure, most: float = inf) -> Figure:
        """A share of the median; false where that is not known."""
        value, low, high = (self.value * end for end in share[:3])
        return Figure(value, low, min(high, most), f"{self.basis}; {share.basis}") if self else self


class Chip(NamedTuple):
    """A chip of the table hardware; `peak` is its dense rate in FLOP/s in the number format `precision`."""

    name: str
    family: str
    type: str
    tdp_w: float
    precision: str
    peak: float


class Evidence:
    """The chips and samples of an open dataset; each is asked for once. `without` leaves out the runs of one
    organisation, which can then be judged by the others."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, without: str | None = None) -> None:
        self.connection, self.without = connection, without
        self.taken: dict[tuple[object, ...], Figure] = {}
        rates = ", ".join(f"{rate} as {name}" for name, (rate, _) in FORMATS.items())
        self.hardware = rows(
            connection,
            f"""select name, {FAMILY.format("name")} as family, type, ifnull(tdp_w, 'nan') as tdp_w, models, {rates}
            from hardware left join (select hardware_id, count(*) as models from model_hardware group by hardware_id)
            using (hardware_id) order by models desc nulls last, length(name), name""",
        )
        listed = rows(connection, f"select distinct unnest({REGIONS}) as name from grid_regions")
        self.region_names = [row["name"] for row in listed if row["name"]]

    def chip(self, text: str, precision: str) -> Chip:
        """The chip of that name; of several whose names have all its words, the one that most models use. Raises
        InputError with the nearest names, and for a number format that is unknown or whose rate is."""
        if precision not in FORMATS:
            raise InputError(f'no number format "{precision}"; there are {", ".join(FORMATS)}')
        asked = _words(text)
        fits = [row for row in self.hardware if asked and set(asked) <= set(_words(row["name"]))]
        if not fits:
            names = {word.lower(): row["name"] for row in self.hardware[::-1] for word in (row["name"], row["family"])}
            raise _unknown("chip", text, names, "hardware")
        if len(fits) > 1 and not any(word.isdigit() for word in asked):  # a GPU is no chip
            near = ", ".join(row["name"] for row in fits[:3])
            raise InputError(f'"{text}" fits {len(fits)} chips; name one, such as {near}')
        row = next((row for row in fits if _words(row["name"])[-len(asked) :] == asked), fits[0])
        if not row[precision]:
            others = ", ".join(name for name in FORMATS if row[name]) or "none"
            raise InputError(f"{row['name']} has no {precision} rate in the table hardware; known are: {others}")
        return Chip(row["name"], row["family"], row["type"], row["tdp_w"], precision, row[precision])

    def utilization(self, chip: Chip) -> Figure:
        """Of the peak, over all hours of a run: what is measured on the chip in the number format, else on all in the
        format, else in all formats; times what whole runs reach of that."""
        text = "{value:.0%} of peak ({low:.0%} to {high:.0%}) in {count} benchmarks on "
        alike, measured = FORMATS[chip.precision][1], f"from ({MEASURED}) where list_contains($alike, format)"
        own = f"{text}{chip.family} in {chip.precision}"
        benchmarks = (
            self._take(f"{measured} and family = $family", own, LEAST, alike=alike, family=chip.family)
            or self._take(measured, f"{text}other chips in {chip.precision}", LEAST, alike=alike)
            or self._take(MEASURED, f"{text}all chips")
        )
        reached = "whole runs reach {value:.2f} of that ({low:.2f} to {high:.2f}), by the chip-hours of {count}"
        return benchmarks.times(self._take(REACHED, reached), 1.0)

    def price_per_hour(self, chip: Chip) -> Figure:
        """USD for an hour of a chip of one's own at prices of the newest year, times what whole runs pay of that."""
        text = "{value:.2f} USD for an hour of a chip of one's own, by {count} prices of {year}"
        paid = "whole runs pay {value:.2f} of that ({low:.2f} to {high:.2f}), by the cost of {count}"
        owned = self._take(f"from ({OWNED}) where family = $family", text, family=chip.family)
        return owned.times(self._of_type(chip, PAID, paid))

    def rent(self, chip: Chip) -> Figure:
        """USD for an hour of a rented chip, at offers of the newest year."""
        text = "rented at {value:.2f} USD an hour ({low:.2f} to {high:.2f}), by {count} offers of {year}"
        return self._take(f"from ({RENTED}) where family = $family", text, family=chip.family)

    def draw(self, chip: Chip) -> Figure:
        """Mean power of a chip with its share of the server over the rated power of the chip."""
        text = "{value:.2f} W per W of the rating ({low:.2f} to {high:.2f}), by the power of {count} runs"
        return self._of_type(chip, DRAW, text)

    def pue(self, region: str | None) -> Figure:
        """Energy of a data centre over that of its computers."""
        return self._regions("pue", "PUE {value:.3g} ({low:.3g} to {high:.3g}), by {count} regions of ", region)

    def grid(self, region: str | None) -> Figure:
        """Grams of CO2 equivalent per kWh."""
        text = "{value:.3g} g/kWh ({low:.3g} to {high:.3g}), by {count} regions of "
        return self._regions("carbon_intensity_g_per_kwh", text, region)

    def _regions(self, column: str, text: str, region: str | None) -> Figure:
        """A column of the regions of that name, state or country, else of all. Raises InputError for an unknown one."""
        query, here = f"select {column} as value from grid_regions", Figure()
        if region:
            if region.lower() not in self.region_names:
                raise _unknown("region", region, {name: name for name in self.region_names}, "grid_regions")
            where = f"{query} where list_contains({REGIONS}, lower($region))"
            here = self._take(where, text + region, region=region)
        return here or self._take(query, f"{text}all clouds")

    def _of_type(self, chip: Chip, query: str, text: str) -> Figure:
        """Of GPUs or TPUs; of all chips where that leaves few."""
        return self._take(f"from ({query}) where type = $type", text, LEAST, type=chip.type) or self._take(query, text)

    def _take(self, query: str, text: str, least: int = 1, **values: object) -> Figure:
        """Of the column `value` of a query; the text may name {value}, {low}, {high}, {count} and {year}."""
        key = (query, text, *map(str, values.values()))
        if key not in self.taken:
            values |= {"without": self.without} if "$without" in query else {}
            columns = "median(value) as value, quantile_cont(value, 0.05) as low, quantile_cont(value, 0.95) as high"
            year = ", any_value(year) as year" if "{year}" in text else ""
            counted = f"select {columns}, count(value) as count{year} from ({query})"
            [row] = rows(self.connection, counted, **values)
            enough = row["count"] >= least
            made = Figure(row["value"], row["low"], row["high"], text.format(**row)) if enough else Figure()
            self.taken[key] = made
        return self.taken[key]


def _words(name: str) -> list[str]:
    """Its runs of letters and of digits: "H100 SXM" has words of "NVIDIA H100 SXM5 80GB" alone."""
    return re.findall("[a-z]+|[0-9]+", name.lower())


def _unknown(what: str, text: str, names: Mapping[str, str], table: str) -> InputError:
    """The error that names the nearest of the names."""
    near = dict.fromkeys(names[word] for word in get_close_matches(text.lower(), names, 4, 0.5))
    remedy = f"did you mean {', '.join(near)}?" if near else f"the table {table} has their names"
    return InputError(f'no {what} "{text}"; {remedy}')
