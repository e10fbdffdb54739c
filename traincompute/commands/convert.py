"""`traincompute convert`: a quantity of compute or of chip time in the other units of its kind, without a dataset."""

from __future__ import annotations

import json

import click

from traincompute.base.errors import InputError
from traincompute.commands.options import json_option
from traincompute.units import DAY, FLOP_PER_PFS_DAY, Quantity, UnitError, parse_quantity

# dense peak rate in FP16 or BF16 on tensor cores, FLOP/s (NVIDIA data sheets of the SXM versions)
PEAK = {"A100": 3.12e14, "H100": 9.894e14}
UTILISATION = 0.4
BOUNDS = ("", "at least ", "at most ")  # value, low and high
# unit of the input: {unit of the output: how many of the input it is}
OUTPUT: dict[str, dict[str, float]] = {
    "FLOP": {"FLOP": 1, "petaflop/s-day": FLOP_PER_PFS_DAY, "FLOP-day": DAY},
    "chip-hour": {"chip-hour": 1, "chip-day": 24, "chip-year": 8766},
}


@click.command()
@click.argument("quantity")
@click.option("--chip", type=click.Choice(list(PEAK), case_sensitive=False), help="Chip for a QUANTITY in chip-hours.")
@click.option("--utilisation", type=click.FloatRange(0, 1, min_open=True), default=UTILISATION, show_default=True,
              help="Share of the chip's peak rate that is used.")  # fmt: skip
@json_option
def convert(quantity: str, chip: str | None, utilisation: float, as_json: bool) -> None:
    """Convert QUANTITY, a number with a unit, into other units of compute or of chip time.

    A QUANTITY in FLOP is also converted to A100-hours and H100-hours. Chip-hours are converted to FLOP only if the chip
    is named in QUANTITY, as in "1000 H100-hours", or with --chip.

    Example: traincompute convert "3640 pfs-days"
    """
    unit, read = _read(quantity)
    chip = chip or next((name for name in PEAK if name.casefold() in quantity.casefold()), None)
    hours = {f"{name}-hour": 3600 * peak * utilisation for name, peak in PEAK.items()}  # in FLOP
    by_rate = hours if unit == "FLOP" else {}
    if unit != "FLOP" and chip:
        by_rate = {name: size / hours[f"{chip}-hour"] for name, size in OUTPUT["FLOP"].items()}
    found = {
        name: [end and end / size for end in (read.value, read.low, read.high)]
        for name, size in (OUTPUT[unit] | by_rate).items()
    }
    if as_json:
        click.echo(json.dumps({"read": quantity, "note": read.note, "utilisation": utilisation, **found}, indent=1))
        return
    for name, ends in found.items():
        [text] = [f"{bound}{end:.6g}" for bound, end in zip(BOUNDS, ends, strict=True) if end is not None]
        note = f"  at {utilisation:g} of the dense FP16 peak" if name in by_rate else ""
        click.echo(f"{text:<24} {name}{note}")


def _read(text: str) -> tuple[str, Quantity]:
    """The unit of OUTPUT that the text is a quantity of, and what it says. Raises InputError."""
    refused = []
    for unit in OUTPUT:
        try:
            read = parse_quantity(text, unit)
        except UnitError as error:
            refused.append(error.reason)
            continue
        if not read.note.endswith(unit):  # what was converted comes last
            raise InputError(f'"{text}" has no unit; write for example "{text} FLOP" or "{text} pfs-days"')
        return unit, read
    raise InputError(f'"{text}": {refused[0]}; units of {" and ".join(OUTPUT)} can be converted')
