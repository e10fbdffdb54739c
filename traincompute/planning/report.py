"""An estimate for people, each quantity with what it rests on, and for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Any

import click

from traincompute.planning.estimate import THRESHOLDS, Estimate, is_counted
from traincompute.planning.evidence import Chip, Figure
from traincompute.show.table import text_width
from traincompute.show.values import human, short_power

LABEL = 18  # columns of the screen before the text


def as_text(made: Estimate) -> str:
    """The lines, as wide as the terminal; a label stands before the first of its lines alone."""
    lines, last = [], ""
    for label, text in _lines(made):
        first = "" if label == last else label
        lines += [click.wrap_text(text, text_width(100), first.ljust(LABEL), " " * LABEL)] if text else []
        last = label
    return short_power("\n".join(lines))


def as_record(value: Any) -> Any:
    """The same for JSON: dictionaries of numbers and texts; what is not known is null."""
    named = vars(value) if isinstance(value, Estimate) else value
    if isinstance(named, Figure | Chip):
        named = named._asdict()
    if isinstance(named, dict):
        return {str(name): as_record(each) for name, each in named.items()}
    return None if isinstance(value, float) and isnan(value) else value


def _lines(made: Estimate) -> Iterator[tuple[str, str]]:
    yield "training compute", f"{_ends(made.flop, 'FLOP')} = {_formula(made)}"
    if made.chip:
        days = f", {_ends(made.days, 'day')}" if made.days else ""
        count = f"{made.given['chips']:,.0f} " if "chips" in made.given else ""
        chips = f"{count}{made.chip.name} at {made.utilization:.0%} of the {made.chip.precision} peak"
        yield "time", f"{_ends(made.chip_hours, 'chip-hour')}{days} on {chips}"
        yield "time", made.chip_hours.basis
        units = {"cost": "USD", "energy": "kWh", "carbon": "kg"}
        for (label, unit), figure in zip(units.items(), (made.cost_usd, made.energy_kwh, made.carbon_kg), strict=True):
            yield label, _ends(figure, unit)
            yield label, figure.basis
    else:
        yield "time and cost", "name the chip with --chip"
    for run in made.compared:
        chips = f"{human(run['chip_hours'], 'chip-hour')} on {', '.join(run['hardware'] or [])}"
        yield "compared with", f"{run['name']}: {human(run['flop'], 'FLOP')}, {chips}"
    for flop, is_above in made.thresholds.items():
        yield "thresholds", f"{is_above} {flop:.0e} FLOP ({THRESHOLDS[flop]})"
    if made.base and made.base["share"]:
        of_base = f"{made.base['share']:.2g} of {made.base['name']}, {human(made.base['flop'], 'FLOP')}"
        yield "base", f"{of_base}; from a third on, EU guidelines see a new provider"
    if made.tokens_per_parameter:
        ratio = human(made.tokens_per_parameter)
        yield "compute-optimal", f"{ratio} tokens per parameter against 20 (Hoffmann et al. 2022)"


def _ends(figure: Figure, unit: str) -> str:
    """A value with its interval, where it has one."""
    if not figure:
        return "not known" + ("; give --price-per-hour" if unit == "USD" else "")
    value, low, high = (float(f"{end:.3g}") for end in figure[:3])
    inner = unit if unit == "kWh" else None  # whose prefix may differ
    return human(value, unit) + (f" ({human(low, inner)} to {human(high, inner)})" if low < high else "")


def _formula(made: Estimate) -> str:
    """What the FLOP are the product of."""
    given = made.given
    if "flop" in given:
        return "as given"
    if is_counted(given):
        size = given.get("active_parameters", given.get("parameters"))
        epochs = f" × {given['epochs']:g} epochs" if "epochs" in given else ""
        return f"{given.get('training_factor', 6):g} × {size:.4g} parameters × {given['tokens']:.4g} tokens{epochs}"
    rate = f"{made.chip.peak:.4g} FLOP/s × {made.utilization:.2g}" if made.chip else ""
    return f"{made.chip_hours.value:,.0f} chip-hours × 3600 s × {rate}"
