"""`traincompute convert`: a quantity of compute or of chip time in the other units of its kind. No dataset is needed."""

from __future__ import annotations

import json
from fractions import Fraction

import click

from traincompute.unit_table import DAY, FLOP_PER_PFS_DAY, UNITS, UnitError
from traincompute.units import Quantity, parse_quantity

# dense peak rate in FP16 or BF16 on tensor cores, FLOP/s (NVIDIA data sheets of the SXM versions)
PEAK = {"A100": 3.12e14, "H100": 9.894e14}
UTILISATION = 0.4
# unit of the input: {unit of the output: how many of the input it is}
OUTPUT: dict[str, dict[str, Fraction | float]] = {
    "FLOP": {"FLOP": 1, "petaflop/s-day": FLOP_PER_PFS_DAY, "FLOP-day": DAY},
    "FLOP/s": {"FLOP/s": 1, "petaflop/s": 10**15, "FLOP per day": Fraction(1, DAY)},
    "chip-hour": {"chip-hour": 1, "chip-day": 24, "chip-year": 8766},
    "kWh": {"kWh": 1, "MWh": 10**3, "GWh": 10**6, "MJ": Fraction(10, 36)},
    "W": {"W": 1, "kW": 10**3, "MW": 10**6},
    "kg": {"kg": 1, "t": 10**3},
}


@click.command()
@click.argument("quantity")
@click.option("--to", metavar="UNIT", help="Print only this unit of the list.")
@click.option("--chip", type=click.Choice(list(PEAK), case_sensitive=False), help="Only the hours of this chip.")
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

    Compute (FLOP, petaflop/s-days, FLOP-days) also becomes hours of an A100 and an H100 at a utilisation.

    Example: traincompute convert "3640 pfs-days"
    """
    unit, read = read_any(quantity)
    made = converted(unit, read, utilisation)
    wanted = to or (f"{chip.upper()}-hour" if chip else None)
    if wanted:
        found = {name: ends for name, ends in made.items() if name.casefold() == wanted.casefold()}
        if not found:
            raise click.UsageError(f'"{quantity}" has no unit "{wanted}"; it has {", ".join(made)}')
        made = found
    if as_json:
        click.echo(json.dumps({"read": quantity, "note": read.note, "utilisation": utilisation, **made}, indent=1))
        return
    for name, ends in made.items():
        note = f"  at {utilisation:g} of the dense FP16 peak" if name in (f"{c}-hour" for c in PEAK) else ""
        click.echo(f"{_written(ends):<24} {name}{note}")


def read_any(text: str) -> tuple[str, Quantity]:
    """The unit of the list that the text is a quantity of, and what it says. Raises click.UsageError."""
    refused: UnitError | None = None
    for unit in OUTPUT:
        try:
            read = parse_quantity(text, unit)
        except UnitError as error:
            refused = refused if refused and "did you mean" in refused.remedy else error
            continue
        if not any(character.isalpha() for character in text.replace("e", "").replace("E", "")):
            raise click.UsageError(f'"{text}" has no unit; write for example "{text} FLOP" or "{text} pfs-days"')
        return unit, read
    known = [unit for unit in UNITS if unit not in OUTPUT and _reads(text, unit)]
    if known:
        raise click.UsageError(f'"{text}" is a quantity of {known[0] or "items"}, of which there is one unit only')
    raise click.UsageError(f'"{text}": {refused.reason}; {refused.remedy}' if refused else f'"{text}" is no quantity')


def _reads(text: str, unit: str) -> bool:
    try:
        parse_quantity(text, unit)
    except UnitError:
        return False
    return True


def converted(unit: str, read: Quantity, utilisation: float = UTILISATION) -> dict[str, list[float | None]]:
    """[value, low, high] in each unit of the kind; a bound or a range has low or high."""
    sizes = {name: Fraction(size) for name, size in OUTPUT[unit].items()}
    if unit == "FLOP":
        sizes |= {f"{chip}-hour": Fraction(peak) * 3600 * Fraction(utilisation) for chip, peak in PEAK.items()}
    return {
        name: [None if end is None else float(Fraction(end) / size) for end in (read.value, read.low, read.high)]
        for name, size in sizes.items()
    }


def _written(ends: list[float | None]) -> str:
    value, low, high = (None if end is None else f"{end:.6g}" for end in ends)
    if value is not None:
        return value + (f" ({low} to {high})" if low and high else "")
    if low is not None and high is not None:
        return f"{low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}"
