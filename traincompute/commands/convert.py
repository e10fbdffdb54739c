"""`traincompute convert`: a quantity of compute or of chip time in the other units of its kind. No dataset is
needed."""

from __future__ import annotations

import json

import click

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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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
    if wanted:
        found = {name: ends for name, ends in made.items() if name.casefold() == wanted.casefold()}
        if not found:
            raise click.UsageError(f'"{quantity}" has no unit "{wanted}"; it has {", ".join(made)}')
        made = found
    if as_json:
        click.echo(json.dumps({"read": quantity, "note": read.note, "utilisation": utilisation, **made}, indent=1))
        return
    for name, ends in made.items():
        is_rated = name in OUTPUT["FLOP"] if unit == "chip-hour" else name in (f"{c}-hour" for c in PEAK)
        note = f"  at {utilisation:g} of the dense FP16 peak" if is_rated else ""
        click.echo(f"{_written(ends):<24} {name}{note}")


def _written(ends: list[float | None]) -> str:
    value, low, high = (None if end is None else f"{end:.6g}" for end in ends)
    if value is not None:
        return value + (f" ({low} to {high})" if low and high else "")
    if low is not None and high is not None:
        return f"{low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}"
