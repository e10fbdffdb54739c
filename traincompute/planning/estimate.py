"""`traincompute.estimate`: what one training run takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import hypot, inf, isnan, nan

import duckdb

from traincompute.base.errors import InputError
from traincompute.database import open_database
from traincompute.names.resolve import find_model
from traincompute.planning import formulas
from traincompute.planning.evidence import Chip, Evidence, Figure
from traincompute.query.rows import Row, rows
from traincompute.releases import resolve_version
from traincompute.show.values import exact, human_text
from traincompute.units.grammar import parse_quantity
from traincompute.units.table import UnitError

# the rules that name a threshold of training compute, in FLOP
THRESHOLDS = {1e23: "general-purpose AI, EU guidelines", 1e25: "systemic risk, EU AI Act", 1e26: "California SB 53"}
# The published runs with printed chip-hours whose compute is nearest
COMPARED = """
select model_id, name, training_compute_flop as flop, chip_hours, hardware, training_cost_usd as cost_usd from models
where run_scope = 'whole' and chip_hours is not null and training_compute_flop > 0
order by abs(log10(training_compute_flop / $flop)), model_id limit 3
"""
BASE = """
select model_id, name, coalesce(training_compute_flop, flop_50) as flop
from models left join predictions using (model_id) where model_id = ?
"""
# the samples behind each quantity
RESTS_ON = {"chip_hours": ["utilization"], "cost_usd": ["price_per_hour", "rent"], "energy_kwh": ["draw", "pue"],
            "carbon_kg": ["grams_per_kwh"]}  # fmt: skip


@dataclass(frozen=True)
class Estimate:
    """What a training run takes: FLOP, chip-hours, days, US dollars, kWh of the data centre and kg of CO2 equivalent.

    `utilization` is the share of the chip's peak over all chip-hours, `assumptions` what was taken for numbers that
    are not given, `tokens_per_parameter` the tokens seen in all epochs. `compared` has the three published runs of
    nearest compute; `thresholds` whether the compute, with that of the base, is "above", "below" or "possibly above"
    each; `base` its model_id, name, flop and the share of it."""

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
        return estimate_run(connection, read_numbers(numbers), chip, precision, region, base)


def estimate_run(
    connection: duckdb.DuckDBPyConnection,
    given: dict[str, float],
    chip: str | None = None,
    precision: str | None = None,
    region: str | None = None,
    base: str | None = None,
    without: str | None = None,
) -> Estimate:
    """The same in an open dataset; `without` as in Evidence."""
    check_given(given, chip)
    evidence = Evidence(connection, without)
    found = evidence.chip(chip, precision) if chip else None
    assumed, used = assume(evidence, given, found, region)
    made = formulas.run(dict.fromkeys(formulas.NUMBERS, nan) | assumed | given, lambda a, b: b if isnan(a) else a)
    basis = {name: "; ".join(used[each].basis for each in names if each in used) for name, names in RESTS_ON.items()}
    flop, low, high = made["flop"]
    share = flop / (made["chip_hours"][0] * 3600 * assumed["peak"])
    if share > 1:
        raise InputError(
            f"{human_text(flop)} FLOP are {share:.3g} times the most that these chips can do: check hours and sizes"
        )
    [started] = rows(connection, BASE, find_model(connection, base)[0]) if base else [None]
    before = (started["flop"] or 0.0) if started else 0.0
    seen = given.get("tokens", nan) * given.get("epochs", 1)
    ratio = seen / given.get("active_parameters", given.get("parameters", nan))
    return Estimate(
        **{name: Figure(*ends, basis.get(name, "")) for name, ends in made.items()},
        utilization=None if isnan(share) else share,
        tokens_per_parameter=None if isnan(ratio) else ratio,
        given=given,
        chip=found,
        assumptions=used,
        compared=rows(connection, COMPARED, flop=flop),
        thresholds={
            each: "above" if before + low >= each else "below" if before + high < each else "possibly above"
            for each in THRESHOLDS
        },
        base=started and started | {"share": flop / before if before else None},
    )


def assume(
    evidence: Evidence, given: Collection[str], chip: Chip | None, region: str | None = None
) -> tuple[dict[str, float], dict[str, Figure]]:
    """formulas.DEFAULTS of a run of which these numbers are given, and the samples that they rest on; "rent" is another
    price. Raises InputError for an unknown region."""
    if not chip:
        return dict.fromkeys(formulas.DEFAULTS, nan) | _factors({}, given), {}
    known = {"utilization"} if is_counted(given) and is_timed(given) else set()
    known |= {"rent"} if "price_per_hour" in given else set()
    samples = evidence.of_chip(chip) | evidence.of_region(region)
    used = {name: each for name, each in samples.items() if each and name not in known.union(given)}
    value = {name: each.value for name, each in used.items()} | {"peak": chip.peak, "tdp_w": chip.tdp_w}
    row = {name: value.get(name.removeprefix("usual_"), nan) for name in formulas.DEFAULTS}
    return row | _factors({name: each.spread for name, each in used.items()}, given), used


def _factors(spread: Mapping[str, tuple[float, float]], given: Collection[str]) -> dict[str, float]:
    """The ends of each quantity over its value. The spreads of factors, in log10, add in quadrature."""
    rate, exact = spread.get("utilization", (0.0, 0.0)), (0.0, 0.0)
    hours = exact if is_timed(given) else rate[::-1]  # the faster, the fewer
    spread = {**spread, "hours": hours, "flop": exact if is_counted(given) else rate}
    energy = ("hours", "draw", "pue")
    factors = {"flop": ("flop",), "chip_hours": ("hours",), "days": ("hours",), "cost_usd": ("hours", "price_per_hour"),
               "energy_kwh": energy, "carbon_kg": (*energy, "grams_per_kwh")}  # fmt: skip
    ends: dict[str, float] = {}
    for name, parts in factors.items():
        down, up = (hypot(*(spread[part][end] for part in parts if part in spread)) for end in (0, 1))
        ends |= {f"{name}_low": 10**-down, f"{name}_high": 10**up}
    return ends


def is_counted(given: Collection[str]) -> bool:
    return "flop" in given or ("tokens" in given and ("parameters" in given or "active_parameters" in given))


def is_timed(given: Collection[str]) -> bool:
    return "chips" in given and ("hours" in given or "days" in given)


def read_numbers(numbers: Mapping[str, float | str | None]) -> dict[str, float]:
    """The numbers that are given, by the names of formulas.NUMBERS. Raises InputError for one that is none, is out of
    range or has lost its suffix."""
    read = {}
    for name, number in numbers.items():
        if name not in formulas.NUMBERS:
            raise InputError(f'no number "{name}"; there are {", ".join(formulas.NUMBERS)}')
        if number is None:
            continue
        text, (unit, least, most, suffix) = exact(number), formulas.NUMBERS[name]
        try:
            value = parse_quantity(text, unit).value
        except UnitError as error:
            raise InputError(f'{name} "{text}": {error}') from error
        if value is None or not least <= value <= most:
            limits = f"give one from {human_text(least)} to {human_text(most)}"
            raise InputError(f'{name} "{text}": ' + (f"did you mean {text}{suffix}?" if value and suffix else limits))
        read[name] = value
    return read


def check_given(given: Mapping[str, float], chip: str | None) -> None:
    sizes = {"parameters", "active_parameters", "tokens", "epochs", "training_factor"}.intersection(given)
    if "flop" in given and sizes:
        raise InputError(f"flop and {', '.join(sorted(sizes))} both say what the compute is: give one")
    if "hours" in given and "days" in given:
        raise InputError("hours and days both say how long it takes: give one")
    if given.get("active_parameters", 0) > given.get("parameters", inf):
        raise InputError("active_parameters are more than parameters: exchange the two")
    if not chip and not {"chips", "hours", "days", "utilization"}.isdisjoint(given):
        raise InputError("name the chip, such as H100")
    if "chips" not in given and ("hours" in given or "days" in given):
        raise InputError("say how many chips train that long")
    if "tokens" not in given and "parameters" in given:
        raise InputError(f"tokens are missing; 20 per parameter would be {human_text(20 * given['parameters'])}")
    if not is_counted(given) and not is_timed(given):
        raise InputError("give parameters and tokens, or flop, or chips and hours or days")
