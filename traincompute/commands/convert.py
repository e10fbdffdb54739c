"""`traincompute convert`: a quantity of compute or of chip time in the other units of its kind. No dataset is
needed."""

from __future__ import annotations

import json

import click

from traincompute.commands.options import json_option
from traincompute.units.convert import OUTPUT, PEAK, UTILISATION, converted, read_any


@click.command()
@click.argument("quantity")
@click.option("--to", metavar="UNIT", help="Print only this unit of the list.")
@click.option(
    "--chip",
    type=click.Choice(list(PEAK), case_sensitive=False),
    help="Only the hours of this chip; of chip-hours, also the FLOP.",
)
@click.option(
    "--utilisation",
    type=click.FloatRange(0, 1, min_open=True),
    default=UTILISATION,
    show_default=True,
    help="Share of the chip's peak that model FLOP reach, for A100-hours and H100-hours.",
)
@json_option()
def convert(quantity: str, to: str | None, chip: str | None, utilisation: float, as_json: bool) -> None:
    """Convert QUANTITY, a number with its unit, into the other units of its kind.

    Compute (FLOP, petaflop/s-days, FLOP-days) also becomes hours of an A100 and an H100 at a utilisation, and hours of
    these chips ("1000 H100-hours", or --chip) become compute.

    Example: traincompute convert "3640 pfs-days"
    """
    unit, read = read_any(quantity)
    named = chip or next((name for name in PEAK if name.casefold() in quantity.casefold()), None)
    made = converted(unit, read, utilisation, named)
    wanted = to or (f"{chip}-hour" if chip and unit != "chip-hour" else None)
    found = {name: ends for name, ends in made.items() if name.casefold() == (wanted or name).casefold()}
    if not found:
        raise click.UsageError(f'"{quantity}" has no unit "{wanted}"; it has {", ".join(made)}')
    if as_json:
        click.echo(json.dumps({"read": quantity, "note": read.note, "utilisation": utilisation, **found}, indent=1))
        return
    rated = OUTPUT["FLOP"] if unit == "chip-hour" else [f"{name}-hour" for name in PEAK]
    for name, ends in found.items():
        note = f"  at {utilisation:g} of the dense FP16 peak" if name in rated else ""
        click.echo(f"{_written(ends):<24} {name}{note}")


def _written(ends: list[float | None]) -> str:
    value, low, high = ("" if end is None else f"{end:.6g}" for end in ends)
    if not (low and high):
        return value or (f"at least {low}" if low else f"at most {high}")
    return f"{value} ({low} to {high})" if value else f"{low} to {high}"
