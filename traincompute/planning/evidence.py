"""What the published tables say of chips, prices and grids: the defaults of an estimate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf, isnan, log10, nan
from pathlib import Path

import duckdb

from traincompute.base.errors import InputError
from traincompute.query.rows import rows

SAMPLES = Path(__file__).with_name("samples.sql")
LEAST = 5  # values of a sample; where there are fewer, a wider one is taken
FAMILY = r"coalesce(nullif(regexp_extract({0}, '\S*\d\S*'), ''), {0})"
HALF = "coalesce(peak_tensor_fp16_flops, greatest(peak_fp16_flops, peak_fp32_flops))"
# number format: its dense peak rate
FORMATS = {"BF16": HALF, "FP16": HALF, "FP8": "peak_fp8_flops", "FP4": "peak_fp4_flops", "TF32": "peak_tf32_flops",
           "FP32": "peak_fp32_flops"}  # fmt: skip
# price of a server over that of its chips, by which power of ten their value falls in a year, and the network's share
# of a cluster (Cottier et al. 2024, arXiv:2405.21015, section 2.2)
OWNING = {"server": 1.64, "decline": 0.14, "network": 0.19}
HARDWARE = f"""
select name, {FAMILY.format("name")} as family, type, ifnull(tdp_w, 'nan') as tdp_w, models,
  {", ".join(f"{rate} as {name}" for name, rate in FORMATS.items())}
from hardware left join (select hardware_id, count(*) as models from model_hardware group by hardware_id)
using (hardware_id) order by models desc nulls last, length(name), name"""
# what a figure rests on, by quantity
BASIS = {
    "utilization": "{value:.0%} of peak ({low:.0%} to {high:.0%}) in {count} benchmarks on ",
    "reached": "whole runs reach {value:.2f} of that ({low:.2f} to {high:.2f}), by the chip-hours of {count}",
    "draw": "{value:.2f} W per W of the rating ({low:.2f} to {high:.2f}), by the power of {count} runs",
    "price_per_hour": "{value:.2f} USD for an hour of a chip of one's own, by {count} prices of {year}",
    "paid": "whole runs pay {value:.2f} of that ({low:.2f} to {high:.2f}), by the cost of {count}",
    "rent": "rented at {value:.2f} USD an hour ({low:.2f} to {high:.2f}), by {count} offers of {year}",
    "pue": "PUE {value:.3g} ({low:.3g} to {high:.3g}), by {count} regions of ",
    "grams_per_kwh": "{value:.3g} g/kWh ({low:.3g} to {high:.3g}), by {count} regions of ",
}


@dataclass(frozen=True)
class Figure:
    """A value, the ends of its 90 % interval and what it rests on: median, 5 % and 95 % quantile of what was measured
    or printed, or what follows from such. False, with nan, where nothing is known."""

    value: float = nan
    low: float = nan
    high: float = nan
    basis: str = ""

    def __bool__(self) -> bool:
        return not isnan(self.value)

    @property
    def spread(self) -> tuple[float, float]:
        return log10(self.value / self.low), log10(self.high / self.value)

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


class Evidence:
    """The chips and samples of an open dataset, `without` the runs of an organisation that is judged by the others."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, without: str | None = None) -> None:
        columns = {"family": "name", "chip_family": "chip", "offer_family": "hardware"}
        families = {name: FAMILY.format(column) for name, column in columns.items()}
        query = SAMPLES.read_text(encoding="utf-8").format(half=HALF, **families, **OWNING)
        self.samples = {(row["quantity"], row["key"]): row for row in rows(connection, query, without=without)}
        self.hardware = rows(connection, HARDWARE)

    def chip(self, text: str, precision: str | None = None) -> Chip:
        """The chip of that name; of several whose names have all its words, the one that most models use. Raises
        InputError with the nearest names, and for a number format that is unknown or whose rate is."""
        precision = precision or "BF16"
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

    def of_chip(self, chip: Chip) -> dict[str, Figure]:
        """`utilization` of the peak over all hours of a run: what is measured on the chip in the number format, else on
        all chips in it, else in all formats, times what whole runs reach of that. `price_per_hour` in USD of a chip of
        one's own at prices of the newest year, times what whole runs pay of that. `rent` in USD per hour at offers of
        the newest year. `draw`, the mean power of a chip with its share of the server over the rated power."""
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
            names = {key: key for quantity, key in self.samples if quantity == "pue" and key}
            raise _unknown("region", region, names, "grid_regions")
        keys = {(region or "").lower(): region or "", "": "all clouds"}
        return {name: self._first(name, keys, least=1) for name in ("pue", "grams_per_kwh")}

    def _first(self, quantity: str, keys: Mapping[str, str], least: int = LEAST) -> Figure:
        """The figure of the first of these keys, the narrowest first, whose sample has enough values; for the last one
        is enough."""
        for key, called in keys.items():
            row = self.samples.get((quantity, key))
            if row and row["count"] >= (1 if key == list(keys)[-1] else least):
                return Figure(row["value"], row["low"], row["high"], BASIS[quantity].format(**row) + called)
        return Figure()


def _words(name: str) -> list[str]:
    """Its runs of letters and of digits: "H100 SXM" has words of "NVIDIA H100 SXM5 80GB" alone."""
    return re.findall("[a-z]+|[0-9]+", name.lower())


def _unknown(what: str, text: str, names: Mapping[str, str], table: str) -> InputError:
    """The error that names the nearest of the names."""
    near = dict.fromkeys(names[word] for word in get_close_matches(text.lower(), names, 4, 0.5))
    remedy = f"did you mean {', '.join(near)}?" if near else f"the table {table} has their names"
    return InputError(f'no {what} "{text}"; {remedy}')
