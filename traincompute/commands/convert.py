"""`traincompute convert`: a quantity of compute or of chip time in the other units of its kind. No dataset is
needed."""

from __future__ import annotations

import json

import click

from traincompute.commands.options import json_option
from traincompute.units.convert import PEAK, UTILISATION, converted, read_any

SHARE = click.FloatRange(0, 1, min_open=True)


@click.command()
@click.argument("quantity")
@click.option("--chip", type=click.Choice(list(PEAK), case_sensitive=False), help="The chip of chip-hours.")
@click.option("--utilisation", type=SHARE, default=UTILISATION, show_default=True, help="Share of the peak rate.")
@json_option()
def convert(quantity: str, chip: str | None, utilisation: float, as_json: bool) -> None:
    """Convert QUANTITY, a number with its unit, into the other units of its kind.

    FLOP are also given in hours of an A100 and an H100, and hours of these ("1000 H100-hours", or --chip) in FLOP.

    Example: traincompute convert "3640 pfs-days"
    """
    unit, read = read_any(quantity)
    chip = chip or next((name for name in PEAK if name.casefold() in quantity.casefold()), None)
    found = converted(unit, read, utilisation, chip)
    if as_json:
        click.echo(json.dumps({"read": quantity, "note": read.note, "utilisation": utilisation, **found}, indent=1))
        return
    for name, ends in found.items():
        value, low, high = ("" if end is None else f"{end:.6g}" for end in ends)
        limits = f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}" if high else ""
        is_rated = "FLOP" in name.upper() if unit == "chip-hour" else "00-hour" in name
        note = f"  at {utilisation:g} of the dense FP16 peak" if is_rated else ""
        click.echo(f"{f'{value} ({limits})' if value and limits else value or limits:<24} {name}{note}")
