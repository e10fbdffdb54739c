"""An estimate for people: each quantity with what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

import click

from traincompute.planning.estimate import THRESHOLDS, Estimate, is_counted
from traincompute.planning.evidence import Figure
from traincompute.show.table import text_width
from traincompute.show.values import human, short_power

LABEL = 18  # columns of the screen before the text


def as_text(made: Estimate) -> str:
    """The lines, as wide as the terminal."""
    width, indent = text_width(100), " " * LABEL
    lines = [click.wrap_text(text, width, label.ljust(LABEL), indent) for label, text in _lines(made) if text]
    return short_power("\n".join(lines))


def _lines(made: Estimate) -> Iterator[tuple[str, str]]:
    yield "training compute", f"{_ends(made.flop, 'FLOP')} = {_formula(made)}"
    if made.chip:
        days = f", {_ends(made.days, 'day')}" if made.days else ""
        count = f"{made.given['chips']:,.0f} " if "chips" in made.given else ""
        chips = f"{count}{made.chip.name} at {made.utilization:.0%} of the {made.chip.precision} peak"
        yield "time", f"{_ends(made.chip_hours, 'chip-hour')}{days} on {chips}"
        yield "", made.chip_hours.basis
        for label, unit in (("cost", "USD"), ("energy", "kWh"), ("carbon", "kg")):
            figure: Figure = getattr(made, f"{label}_{unit.lower()}")
            yield label, _ends(figure, unit)
            yield "", figure.basis
    else:
        yield "time and cost", "name the chip with --chip"
    for place, run in enumerate(made.compared):
        chips = f"{human(run['chip_hours'], 'chip-hour')} on {', '.join(run['hardware'] or [])}"
        yield "" if place else "compared with", f"{run['name']}: {human(run['flop'], 'FLOP')}, {chips}"
    for place, (flop, is_above) in enumerate(made.thresholds.items()):
        yield "" if place else "thresholds", f"{is_above} {flop:.0e} FLOP ({THRESHOLDS[flop]})"
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
    value, low, high = (float(f"{end:.3g}") for end in (figure.value, figure.low, figure.high))
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
